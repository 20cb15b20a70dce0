// SPDX-License-Identifier: MIT
#include "bench/flops_counted.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "bench/design.hpp"
#include "bench/job.hpp"
#include "bench/text_table.hpp"
#include "numerics/flops.hpp"
#include "tasks/task.hpp"

namespace vbo::bench {
namespace {

using Clock = std::chrono::steady_clock;

Trial evaluated(const tasks::Task& task, TrialId id, Point point, std::uint64_t seed) {
  const double sign = task.info().goal == Goal::minimize ? -1.0 : 1.0;
  Trial trial{.id = id, .point = std::move(point), .state = TrialState::completed};
  Rng rng(seed, "benchmark-evaluation", static_cast<std::uint64_t>(id));
  trial.value = sign * task.evaluate(trial.point, rng);
  trial.attempts = 1;
  return trial;
}

template <class Work>
void measure(std::uint64_t& flops, double& seconds, const Work& work) {
  const flops::Scope scope;
  const auto start = Clock::now();
  work();
  seconds = std::chrono::duration<double>(Clock::now() - start).count();
  flops = scope.count();
}

Result<CountedCost> one_cell(const tasks::Task& task, const std::string& method, std::int64_t n,
                             const CountOptions& options) {
  const auto spec = parse_method(method);
  if (!spec) return spec.error();
  const auto made = make_optimizer(task.space(), {.method = spec->name,
                                                  .seed = options.seed,
                                                  .batch = options.batch,
                                                  .budget = n + options.batch,
                                                  .threads = options.threads,
                                                  .settings = spec->settings});
  if (!made) return Error{made.error().kind, method + ": " + made.error().message};
  Optimizer& optimizer = **made;
  // All but the last batch are space-filling points the method did not choose. The last batch it
  // chooses itself, not counted, so that the counted round begins as every later one would.
  const std::int64_t own = std::min(n, options.batch);
  std::vector<Trial> history;
  for (Point& point : initial_design(task.space(), n - own, options.seed)) {
    const auto id = static_cast<TrialId>(history.size()) + 1;
    history.push_back(evaluated(task, id, std::move(point), options.seed));
  }
  if (!history.empty()) optimizer.tell(history);
  std::vector<TrialId> ids(static_cast<std::size_t>(own));
  std::iota(ids.begin(), ids.end(), n - own + 1);
  std::vector<Suggestion> chosen = optimizer.ask(ids);
  std::vector<Trial> batch;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    batch.push_back(evaluated(task, ids[i], std::move(chosen[i].point), options.seed));
  }
  CountedCost cost{.method = method, .observations = n, .measured = true};
  measure(cost.tell_flops, cost.tell_seconds, [&] { optimizer.tell(batch); });
  ids.resize(static_cast<std::size_t>(options.batch));
  std::iota(ids.begin(), ids.end(), n + 1);
  measure(cost.ask_flops, cost.ask_seconds, [&] { (void)optimizer.ask(ids); });
  return cost;
}

// Seconds at the next size from those at the last: t n^p, with the p between 1 and 3 that the last
// two sizes show, or 1.
class GrowthGuess {
 public:
  void seen(std::int64_t n, double seconds) {
    if (n_ > 0 && n > n_ && seconds_ > 0.0 && seconds > 0.0) {
      power_ = std::clamp(std::log(seconds / seconds_) / std::log(ratio(n)), 1.0, 3.0);
    }
    n_ = n;
    seconds_ = seconds;
  }
  double seconds_at(std::int64_t n) const {
    return n_ == 0 ? 0.0 : seconds_ * std::pow(ratio(n), power_);
  }

 private:
  double ratio(std::int64_t n) const { return static_cast<double>(n) / static_cast<double>(n_); }
  std::int64_t n_ = 0;
  double seconds_ = 0.0, power_ = 1.0;
};

const CountedCost* find(const CountReport& report, const std::string& method, std::int64_t n) {
  for (const CountedCost& row : report.rows) {
    if (row.method == method && row.observations == n && row.measured) return &row;
  }
  return nullptr;
}

}  // namespace

Result<CountReport> count_operations(const CountOptions& options,
                                     const std::function<void(const CountedCost&)>& on_cell) {
  const auto task = tasks::make_task(options.task);
  if (!task) return task.error();
  std::vector<std::int64_t> sizes = options.observations;
  std::sort(sizes.begin(), sizes.end());
  CountReport report{.options = options, .origin = this_origin(), .rows = {}};
  for (const std::string& method : options.methods) {
    GrowthGuess guess;
    for (const std::int64_t n : sizes) {
      CountedCost cell{.method = method, .observations = n};
      if (guess.seconds_at(n) <= options.limit_seconds) {
        const auto start = Clock::now();
        const auto counted = one_cell(**task, method, n, options);
        if (!counted) return counted.error();
        cell = *counted;
        guess.seen(n, std::chrono::duration<double>(Clock::now() - start).count());
      }
      report.rows.push_back(cell);
      if (on_cell) on_cell(cell);
    }
  }
  return report;
}

std::string to_markdown(const CountReport& report) {
  TextTable table({"method", "observations", "FLOP tell", "FLOP ask", "FLOP round", "/ vbo",
                   "s tell", "s ask", "ms per suggestion"});
  for (const CountedCost& r : report.rows) {
    if (!r.measured) {
      table.add({r.method, std::to_string(r.observations), "-", "-", "-", "-", "-", "-", "-"});
      continue;
    }
    const CountedCost* reference = find(report, "vbo", r.observations);
    const bool has_ratio = reference != nullptr && reference->flops() > 0;
    table.add({r.method, std::to_string(r.observations),
               number_text(static_cast<double>(r.tell_flops), 4),
               number_text(static_cast<double>(r.ask_flops), 4),
               number_text(static_cast<double>(r.flops()), 4),
               has_ratio ? number_text(static_cast<double>(r.flops()) /
                                           static_cast<double>(reference->flops()),
                                       3)
                         : "-",
               number_text(r.tell_seconds, 3), number_text(r.ask_seconds, 3),
               number_text(1e3 * r.ask_seconds / static_cast<double>(report.options.batch), 3)});
  }
  return "### FLOPs and seconds of one round, counted\n\n" + report.options.task + ", batch " +
         std::to_string(report.options.batch) + ", " + std::to_string(report.options.threads) +
         " thread(s), commit " + report.origin.commit + ", " + report.origin.machine + "\n\n" +
         table.markdown() +
         "\nA round hears of the results of one batch (tell) and suggests the next (ask), with so "
         "many observations in all. A line of dashes would have taken longer than the limit of " +
         number_text(report.options.limit_seconds, 4) + " s.\n";
}

std::string to_json(const CountReport& report) {
  nlohmann::ordered_json json = {
      {"task", report.options.task},       {"batch", report.options.batch},
      {"threads", report.options.threads}, {"seed", report.options.seed},
      {"version", report.origin.version},  {"commit", report.origin.commit},
      {"machine", report.origin.machine},  {"rows", nlohmann::ordered_json::array()}};
  for (const CountedCost& r : report.rows) {
    nlohmann::ordered_json row = {
        {"method", r.method}, {"observations", r.observations}, {"measured", r.measured}};
    if (r.measured) {
      row.update({{"tell_flops", r.tell_flops},
                  {"ask_flops", r.ask_flops},
                  {"flops", r.flops()},
                  {"tell_seconds", r.tell_seconds},
                  {"ask_seconds", r.ask_seconds}});
    }
    json["rows"].push_back(std::move(row));
  }
  return json.dump(2) + "\n";
}

Figure figure_of(const CountReport& report) {
  const std::vector<double> sizes(report.options.observations.begin(),
                                  report.options.observations.end());
  const auto panel = [&](const std::string& title, const std::string& label, auto value) {
    Panel p{.title = title,
            .x = {.label = "observations", .log = true, .marks = sizes},
            .y = {.label = label, .log = true},
            .series = {}};
    for (const CountedCost& r : report.rows) {
      if (!r.measured) continue;
      if (p.series.empty() || p.series.back().label != r.method) {
        p.series.push_back({.label = r.method, .style = style_of(r.method), .markers = true});
      }
      p.series.back().x.push_back(static_cast<double>(r.observations));
      p.series.back().y.push_back(value(r));
    }
    std::stable_sort(p.series.begin(), p.series.end(),
                     [](const Series& a, const Series& b) { return a.y.back() < b.y.back(); });
    return p;
  };
  return {.title = "One round (tell " + std::to_string(report.options.batch) + ", ask " +
                   std::to_string(report.options.batch) + "), counted and timed",
          .panels = {panel("Floating-point operations", "operations per round",
                           [](const CountedCost& r) { return static_cast<double>(r.flops()); }),
                     panel("Time on one core", "seconds per round",
                           [](const CountedCost& r) { return r.tell_seconds + r.ask_seconds; })},
          .columns = 2};
}

}  // namespace vbo::bench
