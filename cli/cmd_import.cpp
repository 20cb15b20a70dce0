// SPDX-License-Identifier: MIT
#include <algorithm>

#include "cli/commands.hpp"
#include "cli/import.hpp"
#include "cli/target.hpp"
#include "cli/trial_json.hpp"
#include "core/one_line.hpp"

namespace vbo::cli {
namespace {

constexpr std::size_t kShownProblems = 20;

struct ImportArguments {
  std::string study;
  std::string file;
  bool skip_bad = false;
  bool json = false;
};

std::string listing(const std::vector<std::string>& problems) {
  std::string text;
  for (std::size_t i = 0; i < std::min(problems.size(), kShownProblems); ++i) {
    text += "vbo: " + one_line(problems[i]) + "\n";
  }
  if (problems.size() > kShownProblems) {
    text += "vbo: ... and " + std::to_string(problems.size() - kShownProblems) + " more\n";
  }
  return text;
}

int import_results(const ImportArguments& options) {
  Result<Study> study = open_to_write(options.study);
  if (!study) return fail(study.error());
  Result<Imported> read = read_results(options.file, study->record());
  if (!read) return fail(read.error());
  if (!read->problems.empty()) {
    print_err(listing(read->problems));
    if (!options.skip_bad) {
      return fail(kWrongUsage, "nothing was imported; leave these rows out with --skip-bad");
    }
  }
  const std::size_t found = read->results.size();
  const Result<std::vector<Trial>> stored = study->trials();
  if (!stored) return fail(stored.error());
  const Result<std::vector<Trial>> added =
      study->add(without_known(std::move(read->results), study->record().space, *stored));
  if (!added) return fail(added.error());
  if (const Result<void> closed = study->close(); !closed) return fail(closed.error());
  const std::size_t known = found - added->size();
  if (options.json) {
    print_json({{"imported", added->size()},
                {"known", known},
                {"skipped", read->problems.size()},
                {"first_id", added->empty() ? Json() : Json(added->front().id)}});
    return kDone;
  }
  std::string text = "imported " + std::to_string(added->size()) + " results";
  if (known > 0) text += ", " + std::to_string(known) + " were there already";
  if (!read->problems.empty()) text += ", " + std::to_string(read->problems.size()) + " left out";
  print_out(text + "\n");
  return kDone;
}

}  // namespace

Action define_import(CLI::App& app, const Console&) {
  auto options = std::make_shared<ImportArguments>();
  Arguments arguments(app);
  arguments.positional("STUDY", options->study, "Study file (.toml) or storage (.db)");
  arguments.positional("FILE", options->file, "CSV file, or the storage (.db) of another study");
  arguments.flag("--skip-bad", options->skip_bad, "Leave out rows that cannot be used");
  arguments.flag("--json", options->json, "Print JSON");
  return [options] { return import_results(*options); };
}

}  // namespace vbo::cli
