// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "cli/commands.hpp"
#include "cli/csv.hpp"
#include "cli/trial_json.hpp"
#include "core/one_line.hpp"
#include "information/estimate.hpp"

namespace vbo::cli {
namespace {

struct MiArguments {
  std::string samples;
  std::vector<std::string> x, y, categorical;
  std::string estimator = std::string(to_string(EstimateOptions{}.estimator));
  EstimateOptions options;
  std::int64_t folds = EstimateOptions{}.folds;
  std::int64_t seed = 1;
  std::int64_t steps = EstimateOptions{}.max_steps;
  std::int64_t threads = 0;
  bool skip_missing = false;
  bool no_baseline = false;
  bool json = false;
};

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::vector<std::string> estimator_names() {
  std::vector<std::string> names;
  for (const Estimator e : all_estimators()) {
    if (e != Estimator::js) names.emplace_back(to_string(e));  // js trains, but measures nothing
  }
  return names;
}

Json finite_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json estimate_json(const InformationEstimate& e, const MiArguments& args) {
  return {{"mi", e.nats},
          {"low", e.low},
          {"high", e.high},
          {"ceiling", finite_or_null(e.ceiling)},
          {"estimator", args.estimator},
          {"samples", e.samples},
          {"folds", e.fold_nats},
          {"raw", e.raw},
          {"gaussian", e.gaussian_nats},
          {"x", args.x},
          {"y", args.y}};
}

std::string estimate_text(const InformationEstimate& e, const MiArguments& args) {
  std::string text =
      fmt::format("{:.4f} nats between {} and {}\n", e.nats, joined(args.x), joined(args.y));
  text += fmt::format("{:.4f} to {:.4f}: 95% interval over {} folds\n", e.low, e.high,
                      e.fold_nats.size());
  if (std::isfinite(e.ceiling)) {
    text += fmt::format("{:.4f}: ceiling, the most {} can say with this many samples\n", e.ceiling,
                        args.estimator);
  } else {
    text += fmt::format("no ceiling ({})\n", args.estimator);
  }
  text += fmt::format("{} samples\n", e.samples);
  return text;
}

int run_mi(MiArguments args, const Console& console) {
  const Result<CsvTable> table = read_csv(args.samples);
  if (!table) return fail(table.error());
  for (const std::string& name : args.x) {
    if (std::find(args.y.begin(), args.y.end(), name) != args.y.end()) {
      return fail(kWrongUsage, "column \"" + name + "\" is in both --x and --y");
    }
  }
  ColumnChoice choice{
      .names = args.x, .categorical = args.categorical, .skip_missing = args.skip_missing};
  choice.names.insert(choice.names.end(), args.y.begin(), args.y.end());
  const Result<std::vector<DataColumn>> columns = select_columns(*table, choice);
  if (!columns) return fail(columns.error());
  const std::span<const DataColumn> all(*columns);
  const EncodedColumns x = encode_columns(all.first(args.x.size()));
  const EncodedColumns y = encode_columns(all.subspan(args.x.size()));
  if (!console.quiet) {
    for (const EncodedColumns* side : {&x, &y}) {
      for (const std::string& name : side->constant) {
        print_err("note: column \"" + one_line(name) +
                  "\" never changes, so it carries no information\n");
      }
    }
  }
  args.options.estimator = *estimator_from(args.estimator);
  args.options.folds = static_cast<int>(args.folds);
  args.options.seed = static_cast<std::uint64_t>(args.seed);
  args.options.max_steps = static_cast<int>(args.steps);
  args.options.threads = static_cast<int>(args.threads);
  args.options.gaussian_baseline = !args.no_baseline;
  const Result<InformationEstimate> estimate =
      estimate_information(x.values, y.values, args.options);
  if (!estimate) return fail(kWrongUsage, table->source + ": " + estimate.error().message);
  if (args.json) {
    print_json(estimate_json(*estimate, args));
  } else {
    print_out(estimate_text(*estimate, args));
  }
  if (!console.quiet && estimate->high > 0.85 * estimate->ceiling) {
    print_err(
        "note: the estimate is close to its ceiling, so the true value may be larger; more "
        "samples or fewer folds raise the ceiling, dv-offdiag and smile have none\n");
  }
  return kDone;
}

}  // namespace

Action define_mi(CLI::App& app, const Console& console) {
  using Need = Arguments::Need;
  auto args = std::make_shared<MiArguments>();
  Arguments arguments(app);
  arguments.required("--samples", args->samples, "FILE",
                     "CSV file with a header line; - for standard input");
  arguments.list("--x", args->x, "NAMES", "Columns of X, separated by commas", Need::required);
  arguments.list("--y", args->y, "NAMES", "Columns of Y, separated by commas", Need::required);
  arguments.option("--estimator", args->estimator, "NAME",
                   "One of " + joined(estimator_names()) + "; " + args->estimator + " if not given",
                   estimator_names());
  arguments.option("--folds", args->folds, "K", "Held-out parts; each is predicted once", 2, 100);
  arguments.option("--seed", args->seed, "N", "Same seed, same answer", 0,
                   std::numeric_limits<std::int64_t>::max());
  arguments.option("--steps", args->steps, "N", "Most training steps per fold", 0, 1000000);
  arguments.option("--clip", args->options.estimator_options.clip, "T",
                   "Scores beyond it are cut (smile only)", 1e-3, 1e3);
  arguments.list("--categorical", args->categorical, "NAMES",
                 "Columns whose numbers are only labels", Need::optional);
  arguments.flag("--skip-missing", args->skip_missing, "Leave out rows with an empty cell");
  arguments.flag("--no-baseline", args->no_baseline,
                 "Start training from zero, not from the best Gaussian fit");
  arguments.option("--threads", args->threads, "N", "At most so many; 0 = all cores", 0, 1024);
  arguments.flag("--json", args->json, "Print JSON");
  return [args, &console] { return run_mi(*args, console); };
}

}  // namespace vbo::cli
