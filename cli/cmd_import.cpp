// SPDX-License-Identifier: MIT
#include <algorithm>

#include "cli/ask_and_tell.hpp"
#include "cli/commands.hpp"
#include "cli/import.hpp"
#include "cli/target.hpp"
#include "cli/trial_json.hpp"
#include "core/delivery.hpp"
#include "core/one_line.hpp"

namespace vbo::cli {
namespace {

constexpr std::size_t kShownProblems = 20;

struct ImportArguments {
  std::string study;
  std::string file;
  std::string optuna_study;
  double wait = kWaitSeconds;
  bool skip_bad = false;
  bool actual = false;
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

// What was read, and what became of it.
struct Done {
  Imported read;
  std::size_t found = 0;
  std::vector<Trial> added;
};

// Reads the file for this study; an error when rows are wrong and nobody said to leave them out.
Result<std::vector<Evaluated>> read_for(const ImportArguments& options, const StudyRecord& record,
                                        Done& done) {
  Result<Imported> read = read_results(options.file, record, options.optuna_study, options.actual);
  if (!read) return read.error();
  done.read = std::move(*read);
  done.found = done.read.results.size();
  if (!done.read.problems.empty()) {
    print_err(listing(done.read.problems));
    if (!options.skip_bad) {
      return Error{ErrorKind::invalid_input,
                   "nothing was imported; leave these rows out with --skip-bad"};
    }
  }
  return std::move(done.read.results);
}

Result<void> import_into(Study& study, const ImportArguments& options, Done& done) {
  Result<std::vector<Evaluated>> results = read_for(options, study.record(), done);
  if (!results) return results.error();
  const Result<std::vector<Trial>> stored = study.trials();
  if (!stored) return stored.error();
  Result<std::vector<Trial>> added = study.add(without_known(std::move(*results), *stored));
  if (!added) return added.error();
  done.added = std::move(*added);
  return study.close();
}

// While another process coordinates the study: that one takes them up.
Result<void> import_by_way_of(const ImportArguments& options, Done& done) {
  const auto delivery = [&](const StudyRecord& record) -> Result<Delivery> {
    Result<std::vector<Evaluated>> results = read_for(options, record, done);
    if (!results) return results.error();
    return Delivery{.results = std::move(*results), .once = true};
  };
  Result<Answer> answer =
      ask_for({.study = options.study, .wait_seconds = options.wait, .results = delivery});
  if (!answer) return answer.error();
  done.added = std::move(answer->trials);
  return {};
}

int import_results(const ImportArguments& options) {
  Done done;
  Result<void> imported;
  if (Result<Study> study = open_to_write(options.study)) {
    imported = import_into(*study, options, done);
  } else if (study.error().kind == ErrorKind::busy) {
    imported = import_by_way_of(options, done);
  } else {
    return fail(study.error());
  }
  if (!imported) return fail(imported.error());
  const std::size_t known = done.found - done.added.size();
  if (options.json) {
    print_json({{"imported", done.added.size()},
                {"known", known},
                {"skipped", done.read.problems.size()},
                {"pruned", done.read.pruned},
                {"first_id", done.added.empty() ? Json() : Json(done.added.front().id)}});
    return kDone;
  }
  std::string text = "imported " + std::to_string(done.added.size()) + " results";
  if (known > 0) text += ", " + std::to_string(known) + " were there already";
  if (!done.read.problems.empty()) {
    text += ", " + std::to_string(done.read.problems.size()) + " left out";
  }
  if (done.read.pruned > 0) {
    text += ", " + std::to_string(done.read.pruned) + " pruned ones have no value";
  }
  print_out(text + "\n");
  return kDone;
}

}  // namespace

Action define_import(CLI::App& app, const Console&) {
  auto options = std::make_shared<ImportArguments>();
  Arguments arguments(app);
  arguments.positional("STUDY", options->study, "Study file (.toml) or storage (.db)");
  arguments.positional("FILE", options->file,
                       "CSV file, the storage (.db) of another study, or an Optuna storage file");
  arguments.option("--study", options->optuna_study, "NAME",
                   "Which study of an Optuna file that holds several");
  arguments.option("--wait", options->wait, "SECONDS",
                   "How long to wait until a running study includes them", 0.0, kLongestWait);
  arguments.flag("--actual", options->actual,
                 "Take points as they were measured: off the steps, outside constraints");
  arguments.flag("--skip-bad", options->skip_bad, "Leave out rows that cannot be used");
  arguments.flag("--json", options->json, "Print JSON");
  return [options] { return import_results(*options); };
}

}  // namespace vbo::cli
