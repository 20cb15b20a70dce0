// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "cli/commands.hpp"
#include "cli/evaluator.hpp"
#include "cli/file_kind.hpp"
#include "cli/signals.hpp"
#include "cli/target.hpp"
#include "cli/trial_json.hpp"
#include "core/one_line.hpp"
#include "vbo/worker.hpp"

namespace vbo::cli {
namespace {

constexpr std::int64_t kMostWorkers = 4096;
constexpr double kShortestLease = 1.0;
constexpr double kLongestLease = 86400.0;
constexpr double kLongestIdle = 1e9;

struct WorkArguments {
  std::string file;
  std::int64_t workers = 0;  // 0 = as the file says
  std::string name;
  double idle = 0.0;
  double lease = kLeaseSeconds;
  double patience = 3600.0;
  std::int64_t grace = 20;
  bool json = false;
};

struct Counts {
  std::int64_t completed = 0, failed = 0, late = 0;
};

constexpr std::string_view end_name(WorkEnd end) {
  switch (end) {
    case WorkEnd::study_ended:
      return "study_ended";
    case WorkEnd::idle:
      return "idle";
    case WorkEnd::interrupted:
      return "interrupted";
  }
  return "?";
}

std::string end_text(WorkEnd end, const WorkArguments& options) {
  switch (end) {
    case WorkEnd::study_ended:
      return "the study has ended";
    case WorkEnd::idle:
      return fmt::format("nothing to do for {}", duration_text(options.idle));
    case WorkEnd::interrupted:
      return "interrupted; what was not finished waits for others";
  }
  return "";
}

// The storage of a study file that somebody else runs. It may take them a while to create it.
Result<std::unique_ptr<Storage>> open_when_there(const StudyFile& file,
                                                 const WorkArguments& options,
                                                 const std::atomic<int>& interrupts,
                                                 const Console& console) {
  const auto step = std::chrono::milliseconds(200);
  const double patience =
      options.idle > 0.0 ? std::min(options.idle, options.patience) : options.patience;
  bool notified = false;
  for (double waited = 0.0;; waited += 0.2) {
    Result<std::unique_ptr<Storage>> storage =
        open_storage(file.study.storage, Access::queue, options.lease);
    Result<std::optional<StudyRecord>> record =
        storage ? (*storage)->load_study() : Result<std::optional<StudyRecord>>(storage.error());
    if (record && *record) return storage;
    const Error error = record ? Error{ErrorKind::not_found, "no study there yet"} : record.error();
    const bool may_come = error.kind == ErrorKind::not_found || error.kind == ErrorKind::busy ||
                          error.kind == ErrorKind::io;
    if (!may_come || waited >= patience || interrupts > 0) return error;
    if (!notified && !console.quiet) {
      print_err(fmt::format("vbo: waiting for the study \"{}\" in {} ({})\n",
                            one_line(file.study.name), file.study.storage,
                            one_line(error.message)));
      notified = true;
    }
    std::this_thread::sleep_for(step);
  }
}

int work_on(const WorkArguments& options, const Console& console) {
  const std::atomic<int>& interrupts = watch_interrupts(static_cast<unsigned>(options.grace));
  if (!is_study_file(options.file)) {
    return fail(kWrongUsage, options.file +
                                 ": expected a study file (.toml): it says how to evaluate, and "
                                 "where the storage is");
  }
  Result<StudyFile> file = read_study_file(options.file);
  if (!file) return fail(file.error());
  Result<std::unique_ptr<Executor>> executor = make_executor(*file, options.workers);
  if (!executor) return fail(executor.error());
  Result<std::unique_ptr<Storage>> storage = open_when_there(*file, options, interrupts, console);
  if (!storage) return fail(storage.error());

  Counts counts;
  WorkOptions work_options;
  work_options.name = options.name;
  work_options.idle_seconds = options.idle;
  work_options.lease_seconds = options.lease;
  work_options.patience_seconds = options.patience;
  work_options.interrupts = &interrupts;
  work_options.on_finished = [&](const Trial& trial, Completion completion) {
    if (completion == Completion::unknown) return;
    ++(completion == Completion::second ? counts.late
       : trial.value()                  ? counts.completed
                                        : counts.failed);
    if (console.quiet || !trial.failure) return;
    print_err(
        fmt::format("vbo: trial {} failed: {}\n", trial.id, one_line(trial.failure->message)));
  };
  work_options.on_disconnect = [&](const Error& error) {
    if (!console.quiet)
      print_err("vbo: waiting for the storage: " + one_line(error.message) + "\n");
  };
  work_options.on_reconnect = [&] {
    if (!console.quiet) print_err("vbo: the storage is back\n");
  };
  const Result<WorkEnd> end = work(**storage, **executor, work_options);
  if (!end) return fail(end.error());
  if (options.json) {
    print_json({{"end", end_name(*end)},
                {"completed", counts.completed},
                {"failed", counts.failed},
                {"late", counts.late}});
  } else {
    print_out(fmt::format("{} evaluated, {} of them failed: {}\n", counts.completed + counts.failed,
                          counts.failed, end_text(*end, options)));
  }
  return *end == WorkEnd::interrupted ? kInterrupted : kDone;
}

}  // namespace

Action define_work(CLI::App& app, const Console& console) {
  auto options = std::make_shared<WorkArguments>();
  Arguments arguments(app);
  arguments.positional("FILE", options->file, "Study file (.toml)");
  arguments.option("--workers", options->workers, "N",
                   "Evaluations at the same time, instead of the file's", 1, kMostWorkers);
  arguments.option("--name", options->name, "NAME", "Its name in `vbo workers`; default HOST:PID");
  arguments.option("--idle", options->idle, "SECONDS",
                   "Leave after so long without a trial; 0 = stay until the study ends", 0.0,
                   kLongestIdle);
  arguments.option("--lease", options->lease, "SECONDS",
                   "Time without a sign of life after which others take over its trials",
                   kShortestLease, kLongestLease);
  arguments.option("--patience", options->patience, "SECONDS",
                   "How long to wait for a storage that cannot be reached", 0.0, kLongestIdle);
  grace_option(arguments, options->grace);
  arguments.flag("--json", options->json, "Print the result as JSON");
  return [options, &console] { return work_on(*options, console); };
}

}  // namespace vbo::cli
