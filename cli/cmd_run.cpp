// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <exception>
#include <filesystem>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include "cli/commands.hpp"
#include "cli/evaluator.hpp"
#include "cli/file_kind.hpp"
#include "cli/launch.hpp"
#include "cli/progress.hpp"
#include "cli/signals.hpp"
#include "cli/target.hpp"
#include "cli/trial_json.hpp"
#include "core/limits.hpp"
#include "core/one_line.hpp"
#include "exec/command_template.hpp"
#include "report/json.hpp"
#include "report/state.hpp"
#include "vbo/report.hpp"
#include "vbo/worker.hpp"

namespace vbo::cli {
namespace {

constexpr std::int64_t kMost = 4096;  // workers or threads
constexpr std::int64_t kAsTheFileSays = -1;
constexpr double kLongest = 1e9;                          // seconds
constexpr std::chrono::seconds kPatience{3600};           // for a server that is away
constexpr std::chrono::milliseconds kStandByEvery{1000};  // looks for a study that is left alone

struct RunArguments {
  std::string file;
  std::int64_t threads = 0;
  std::int64_t workers = kAsTheFileSays;  // 0 = coordinate only
  std::string on;                         // "" = this process evaluates
  std::int64_t grace = 20;
  double time_limit = 0.0;  // seconds; 0 = none
  bool json = false;
};

struct Summary {
  RunEnd end = RunEnd::budget_spent;
  TrialCounts counts;
  Recommended recommended;     // of one objective
  std::optional<Front> front;  // of several
  std::int64_t ended_before = 0;
  double seconds = 0.0;
  std::vector<FailureGroup> failures;  // most frequent first
  StudyState state = StudyState::too_early;
  std::optional<Outlook> outlook;
};

bool is_paused(const Summary& summary) {
  return summary.end == RunEnd::too_many_failures || summary.end == RunEnd::setup_failure;
}

// Why evaluations fail, where that is what one has to know.
std::string failure_text(const Summary& summary, const Console& console) {
  const bool all = summary.counts.completed == 0;
  if (summary.failures.empty() || !(all || is_paused(summary))) return "";
  const FailureGroup& most = summary.failures.front();
  std::string text;
  if (all && !is_paused(summary)) {
    text += console.paint(1, Style::bad, "Every evaluation has failed.") + "\n";
  }
  text += fmt::format("{} ({} of {} failures): {}\n",
                      summary.failures.size() == 1 ? "Reason" : "Most frequent reason", most.count,
                      summary.counts.failed, one_line(most.message));
  if (!most.last_line.empty()) {
    text += "Last line of its standard error: " + most.last_line + "\n";
  }
  return text;
}

// Where the study stands and what more would bring; nothing where that is said otherwise.
std::string state_text(const Summary& summary) {
  std::string text;
  switch (summary.state) {
    case StudyState::too_early:
      break;
    case StudyState::every_evaluation_fails:
      return "";
    default:
      text = "State: " + explained(summary.state, summary.front.has_value()) + ".\n";
  }
  if (const std::optional<Outlook>& outlook = summary.outlook) {
    text += fmt::format("Another {} evaluation{}: {}.\n", outlook->batch,
                        outlook->batch == 1 ? "" : "s", outlook_text(*outlook));
  }
  return text;
}

Result<void> find_state(Study& study, Summary& summary) {
  const Result<std::unique_ptr<Storage>> storage = study.connect(Access::read);
  if (!storage) return storage.error();
  Result<StudyReport> report = make_report(**storage);
  if (!report) return report.error();
  add_estimate(*report, summary.recommended.estimate);
  summary.failures = std::move(report->failures);
  summary.state = report->state;
  summary.outlook = report->outlook;
  return {};
}

std::string headline(const StudyFile& file, const Summary& summary) {
  const std::int64_t ended = summary.counts.completed + summary.counts.failed;
  std::string text =
      fmt::format("{}: {} of {} evaluations", one_line(file.study.name), ended, file.study.budget);
  if (summary.counts.failed > 0) text += fmt::format(", {} failed", summary.counts.failed);
  if (ended > summary.ended_before) text += ", " + duration_text(summary.seconds);
  return text;
}

// Why it ended, when that is not simply the budget.
std::string reason(const StudyFile& file, const Summary& summary) {
  switch (summary.end) {
    case RunEnd::budget_spent:
      return summary.counts.completed + summary.counts.failed > summary.ended_before
                 ? ""
                 : "The budget was spent already.";
    case RunEnd::interrupted:
      return "Interrupted; nothing is lost.";
    case RunEnd::too_many_failures:
      return fmt::format("Paused: {} evaluations in a row have failed.",
                         file.stop.failures_in_a_row);
    case RunEnd::no_more_information:
      return "Stopped: the predicted information of the last rounds is below stop.information.";
    case RunEnd::space_exhausted:
      return "Every point of the space has been evaluated.";
    case RunEnd::time_over:
      return "The time is over; nothing is lost.";
    case RunEnd::good_enough:
      return "Stopped: the best result is as good as stop.value asks for.";
    case RunEnd::setup_failure:
      return fmt::format(
          "Paused: the first evaluations all failed in the same way, so the set-up is probably "
          "wrong. They do not count.");
  }
  return "";
}

// The best result, or one of the best trade-offs; null when there is none.
const Trial* one_to_show(const Summary& summary) {
  if (summary.recommended.best) return &*summary.recommended.best;
  return summary.front && !summary.front->trials.empty() ? &summary.front->trials.front() : nullptr;
}

std::string result_text(const StudyFile& file, const Summary& summary, const Console& console) {
  const Space& space = file.study.space;
  if (const std::optional<Trial>& best = summary.recommended.best) {
    if (summary.recommended.estimate.best) {
      return "\n" +
             console.paint(1, Style::good,
                           fmt::format("Best by its estimate: trial {}", best->id)) +
             "\n" + estimate_lines(summary.recommended.estimate, "  ") +
             luckiest_line(summary.recommended.luckiest, "  ") +
             point_lines(space, best->point, "  ") + limit_lines(space, *best, "  ");
    }
    const bool feasible = is_feasible(space, *best);
    return "\n" +
           console.paint(1, feasible ? Style::good : Style::bad,
                         (feasible ? "Best " : "Nothing is feasible; closest ") +
                             short_number(*best->value())) +
           fmt::format("  (trial {})\n", best->id) + point_lines(space, best->point, "  ") +
           limit_lines(space, *best, "  ");
  }
  if (summary.front && !summary.front->trials.empty()) {
    const Front& front = *summary.front;
    return "\n" +
           console.paint(
               1, Style::good,
               fmt::format("{} trade-offs, hypervolume {}{}", front.trials.size(),
                           front.exact ? "" : "about ", short_number(front.hypervolume))) +
           "\n" + short_front_table(space, front);
  }
  if (summary.front && summary.counts.completed > 0) return "Nothing is feasible.\n";
  return summary.failures.empty() ? "No evaluation has succeeded.\n" : "";
}

using Steps = std::vector<std::pair<std::string, std::string>>;  // a command, and what for

std::string steps_text(const Steps& steps) {
  std::size_t width = 0;
  for (const auto& step : steps) width = std::max(width, step.first.size());
  std::string text = "Next:\n";
  for (const auto& [command, purpose] : steps) {
    text += fmt::format("  {:<{}}   {}\n", command, width, purpose);
  }
  return text;
}

// Commands to continue with, ready for a shell. After failures the cause comes first: running again
// at once would only repeat them.
std::string next_steps(const StudyFile& file, const Summary& summary) {
  const std::string db = shell_quoted(file.study.storage), study = shell_quoted(file.path);
  constexpr std::int64_t enough_for_importance = 20;
  Steps steps;
  const auto look_at_files = [&] {
    const ProcessOptions& process = file.evaluate->process;
    if (process.files.folder.empty() || process.files.keep == Keep::none) return;
    const auto folder = std::filesystem::path(process.directory) / process.files.folder;
    steps.emplace_back("ls " + shell_quoted(folder.string()), "what failed evaluations have left");
  };
  const auto repair = [&] {
    steps.emplace_back("vbo retry " + study + " --failed",
                       "when it is repaired: evaluate them again");
    steps.emplace_back("vbo run " + study, "resume");
  };
  switch (summary.end) {
    case RunEnd::setup_failure:
      steps.emplace_back("vbo check " + study, "look: one point with all that it prints");
      look_at_files();
      repair();
      break;
    case RunEnd::too_many_failures:
      steps.emplace_back("vbo trials " + db + " --state failed --json", "look: why they failed");
      look_at_files();
      repair();
      break;
    case RunEnd::budget_spent:
      if (summary.counts.completed > 0 || summary.counts.failed == 0) break;
      steps.emplace_back("vbo trials " + db + " --state failed --json", "look: why they failed");
      look_at_files();
      repair();
      return steps_text(steps);
    case RunEnd::interrupted:
    case RunEnd::time_over:
      steps.emplace_back("vbo run " + study, "resume");
      break;
    default:
      break;
  }
  const Trial* shown = one_to_show(summary);
  if (shown) {
    steps.emplace_back("vbo serve " + db, "look at it in the browser");
    steps.emplace_back("vbo report " + db, "the same as one file");
    if (summary.counts.completed >= enough_for_importance) {
      steps.emplace_back("vbo importance " + db, "which parameters matter");
    }
    if (summary.front) {
      steps.emplace_back("vbo front " + db, "all best trade-offs");
    } else {
      steps.emplace_back("vbo best " + db + " --json", "the best point for a program");
    }
    steps.emplace_back(fmt::format("vbo explain {} {}", db, shown->id), "why this point was tried");
  }
  steps.emplace_back("vbo trials " + db, "every evaluation, as CSV");
  if (summary.end == RunEnd::budget_spent) {
    steps.emplace_back("vbo run " + study, "after raising study.budget: continue");
  }
  return steps_text(steps);
}

void print_summary(const StudyFile& file, const Summary& summary, const Console& console) {
  std::string text = console.paint(1, Style::bold, headline(file, summary)) + "\n";
  const std::string why = reason(file, summary);
  if (!why.empty()) text += why + "\n";
  text += state_text(summary);
  text += failure_text(summary, console);
  text += result_text(file, summary, console);
  print_out(text);
  std::fflush(stdout);
  if (!console.quiet) print_err("\n" + next_steps(file, summary));
}

Json summary_json(const StudyFile& file, const Summary& summary) {
  Json json = {
      {"study", file.study.name},
      {"end", to_string(summary.end)},
      {"completed", summary.counts.completed},
      {"failed", summary.counts.failed},
      {"budget", file.study.budget},
      {"seconds", summary.seconds},
      {"failure", summary.failures.empty() ? Json() : Json(summary.failures.front().message)},
      {"stderr", summary.failures.empty() ? "" : summary.failures.front().last_line},
      {"state", to_string(summary.state)},
      {"next_batch", json_of(summary.outlook)}};
  if (summary.front) {
    json["front"] = front_json(file.study.space, *summary.front);
  } else {
    const Estimate& estimate = summary.recommended.estimate;
    json["best"] = best_json(file.study.space, summary.recommended.best);
    json["estimate"] = estimate.best ? json_of(*estimate.best) : Json();
    json["noise"] = json_of(estimate.noise);
  }
  return json;
}

int exit_code_of(const StudyFile& file, const Summary& summary) {
  if (summary.end == RunEnd::interrupted) return kInterrupted;
  const Trial* shown = one_to_show(summary);
  if (!shown || !is_feasible(file.study.space, *shown)) return kNoSuccess;
  return is_paused(summary) ? kFailed : kDone;
}

// The workers of this process: a thread that takes from the study's queue like any other worker.
class LocalWorkers {
 public:
  // Without an executor there are none.
  LocalWorkers(Study& study, Executor* executor, double patience_seconds, Progress& progress) {
    if (!executor) {
      ended_ = true;
      return;
    }
    Result<std::unique_ptr<Storage>> connected = study.connect(Access::queue);
    if (!connected) {
      error_ = connected.error();
      ended_ = true;
      return;
    }
    thread_ = std::thread(
        [this, executor, patience_seconds, &progress, storage = std::move(*connected)]() mutable {
          WorkOptions options;
          options.interrupts = &stop_;
          options.leaves_at_end = false;
          options.patience_seconds = patience_seconds;
          options.on_started = [&](const Trial& trial) { progress.started(trial); };
          try {
            if (const Result<WorkEnd> end = work(*storage, *executor, options); !end) {
              error_ = end.error();
            }
          } catch (const std::bad_alloc&) {
            failure_ = std::current_exception();
          } catch (const std::system_error&) {
            failure_ = std::current_exception();
          }
          storage.reset();
          ended_ = true;
        });
  }
  ~LocalWorkers() { stop(2); }
  LocalWorkers(const LocalWorkers&) = delete;
  LocalWorkers& operator=(const LocalWorkers&) = delete;

  std::atomic<int>* stop_flag() { return &stop_; }
  const std::atomic<bool>* ended() const { return &ended_; }
  void stop(int how) {
    if (stop_ < how) stop_ = how;
    if (thread_.joinable()) thread_.join();
  }
  // For want of memory or threads, what ended them is the program's end too. REQUIRES: stop().
  void rethrow() {
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  }
  // What ended them before their time. REQUIRES: stop().
  const std::optional<Error>& error() const { return error_; }

 private:
  std::atomic<int> stop_ = 0;
  std::atomic<bool> ended_ = false;
  std::optional<Error> error_;
  std::exception_ptr failure_;
  std::thread thread_;
};

bool is_shared(const StudyFile& file) {
  return file.study.storage.find("://") != std::string::npos;
}

// Opens the study; one on a server waits there while another process runs it, and while the server
// is away when it was there before.
Result<Study> open_or_stand_by(const StudyFile& file, bool was_there,
                               const std::atomic<int>& interrupts, const Console& console) {
  const auto begin = std::chrono::steady_clock::now();
  for (bool notified = false;; notified = true) {
    Result<Study> study = open_study(file);
    if (study || !is_shared(file)) return study;
    const ErrorKind kind = study.error().kind;
    const bool busy = kind == ErrorKind::busy;
    const bool away =
        kind == ErrorKind::io && was_there && std::chrono::steady_clock::now() - begin < kPatience;
    if ((!busy && !away) || interrupts > 0) return study;
    if (!notified && !console.quiet) {
      print_err(busy ? "vbo: standing by (" + one_line(study.error().message) + ")\n"
                     : "vbo: waiting for the storage: " + one_line(study.error().message) + "\n");
    }
    std::this_thread::sleep_for(kStandByEvery);
  }
}

// Coordinates until there is a result, also when the server was away, or gave the study to
// somebody else, in between.
Result<RunEnd> coordinate(const StudyFile& file, Study& study, const RunOptions& options,
                          const Console& console, Launcher* launcher) {
  for (;;) {
    if (launcher) launcher->lead(true);
    Result<RunEnd> end = study.coordinate(options);
    if (end || !is_shared(file)) return end;
    const ErrorKind kind = end.error().kind;
    if (kind != ErrorKind::io && kind != ErrorKind::busy) return end;
    if (launcher) launcher->lead(false);
    if (!console.quiet)
      print_err("vbo: " + one_line(end.error().message) + "; going on when possible\n");
    { const Study gone = std::move(study); }  // it knows less than the storage now
    Result<Study> again = open_or_stand_by(file, true, *options.interrupts, console);
    if (!again) {
      // Unless somebody else leads, the jobs are ours to take back.
      if (launcher) launcher->lead(again.error().kind != ErrorKind::busy);
      return again.error();
    }
    study = std::move(*again);
  }
}

// Who evaluates: an executor of this process, jobs of a batch system, or neither: others.
struct Crew {
  std::unique_ptr<Executor> executor;
  std::optional<LaunchOptions> launch;
};

// Has the crew evaluate until there is a reason to stop.
Result<RunEnd> conduct(const StudyFile& file, Study& study, const Crew& crew, RunOptions& options,
                       Progress& progress, const Console& console) {
  if (crew.launch) {
    const Result<std::unique_ptr<Launcher>> jobs = launch(file, *crew.launch, study, console);
    if (!jobs) return jobs.error();
    options.stop_workers = (*jobs)->stop_flag();
    options.workers_ended = (*jobs)->ended();
    Result<RunEnd> end = coordinate(file, study, options, console, jobs->get());
    (*jobs)->stop();
    return (*jobs)->error() ? Result<RunEnd>(*(*jobs)->error()) : end;
  }
  const double patience = is_shared(file) ? std::chrono::duration<double>(kPatience).count() : 0.0;
  LocalWorkers workers(study, crew.executor.get(), patience, progress);
  if (crew.executor) {
    options.local_slots = static_cast<std::int64_t>(crew.executor->capacity());
    options.stop_workers = workers.stop_flag();
    options.workers_ended = workers.ended();
  }
  Result<RunEnd> end = coordinate(file, study, options, console, nullptr);
  workers.stop(2);
  workers.rethrow();
  return workers.error() ? Result<RunEnd>(*workers.error()) : end;
}

Result<void> find_best(const Study& study, Summary& summary) {
  if (study.record().objectives.size() > 1) {
    Result<Front> front = study.front();
    if (!front) return front.error();
    summary.front = std::move(*front);
    return {};
  }
  const Result<std::vector<Trial>> trials = study.trials();
  if (!trials) return trials.error();
  summary.recommended = recommend(study.record(), *trials);
  return {};
}

// What progress is measured against: the best result, or all of several objectives.
Result<std::vector<Trial>> results_to_begin_with(const Study& study) {
  if (study.record().objectives.size() > 1) return study.trials();
  const Result<std::optional<Trial>> best = study.best();
  if (!best) return best.error();
  return *best ? std::vector<Trial>{**best} : std::vector<Trial>();
}

// Results that the method knows, which is where progress begins: what others stored after an
// earlier coordinator had ended is counted when this one takes it.
Result<TrialCounts> counts_told(Study& study) {
  const Result<std::unique_ptr<Storage>> storage = study.connect(Access::read);
  if (!storage) return storage.error();
  constexpr int most_looks = 100;
  for (int looks = 1;; ++looks) {
    const Result<std::vector<Trial>> untold = (*storage)->load_untold();
    if (!untold) return untold.error();
    Result<TrialCounts> counts = (*storage)->counts();
    if (!counts) return counts;
    const Result<std::vector<Trial>> later = (*storage)->load_untold();
    if (!later) return later.error();
    if (later->size() != untold->size() && looks < most_looks) continue;  // workers go on meanwhile
    for (const Trial& trial : *untold) {
      --(trial.state == TrialState::completed ? counts->completed
         : trial.state == TrialState::stopped ? counts->stopped
                                              : counts->failed);
    }
    return counts;
  }
}

// Says now and then what the results so far say about noise, by a connection of its own; an empty
// function for several objectives.
Result<std::function<Estimate()>> estimator_of(Study& study) {
  if (study.record().objectives.size() > 1) return std::function<Estimate()>();
  Result<std::unique_ptr<Storage>> connected = study.connect(Access::read);
  if (!connected) return connected.error();
  return std::function<Estimate()>(
      [record = study.record(), storage = std::shared_ptr<Storage>(std::move(*connected))] {
        const Result<std::vector<Trial>> trials = storage->load_history();
        return trials ? estimate(record, *trials) : Estimate();
      });
}

Result<Summary> run_study(const StudyFile& file, Study& study, const Crew& crew,
                          const std::atomic<int>& interrupts, double time_limit,
                          const Console& console) {
  const Result<TrialCounts> before = counts_told(study);
  if (!before) return before.error();
  Result<std::vector<Trial>> results = results_to_begin_with(study);
  if (!results) return results.error();

  ProgressState start{.study = one_line(file.study.name),
                      .budget = file.study.budget,
                      .completed = before->completed,
                      .failed = before->failed};
  Result<std::function<Estimate()>> estimator = estimator_of(study);
  if (!estimator) return estimator.error();
  const auto begin = std::chrono::steady_clock::now();
  Summary summary;
  Result<RunEnd> end = RunEnd::budget_spent;
  {
    Progress progress(console, start, interrupts, study.record(), std::move(*results),
                      std::move(*estimator));
    RunOptions options;
    options.stop = file.stop;
    options.stop.run_seconds = time_limit;
    options.interrupts = &interrupts;
    options.on_finished = [&](const Trial& trial) { progress.finished(trial); };
    options.on_turn = [&](const QueueState& queue) { progress.set_running(queue.running); };
    end = conduct(file, study, crew, options, progress, console);
    if (!end) return end.error();
    if (const auto found = find_best(study, summary); !found) return found.error();
    progress.set_estimate(summary.recommended.estimate);
  }
  summary.end = *end;
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  summary.ended_before = before->completed + before->failed;
  const Result<TrialCounts> counts = study.counts();
  if (!counts) return counts.error();
  summary.counts = *counts;
  if (const auto found = find_state(study, summary); !found) return found.error();
  if (const Result<void> closed = study.close(); !closed) return closed.error();
  return summary;
}

// A study whose set-up was wrong begins anew: all that there is failed in the same way, and taught
// nothing.
Result<void> retry_setup_failures(const StudyFile& file, Study& study, const Console& console) {
  if (file.stop.failures_in_a_row == 0) return {};
  const Result<std::vector<Trial>> trials = study.trials();
  if (!trials) return trials.error();
  std::vector<TrialId> failed;
  std::string message;
  for (const Trial& trial : *trials) {
    if (!trial.has_ended()) continue;
    if (!trial.failure || trial.failure->cause == FailureCause::infeasible) return {};
    if (!failed.empty() && trial.failure->message != message) return {};
    message = trial.failure->message;
    failed.push_back(trial.id);
  }
  if (failed.empty()) return {};
  if (!console.quiet) {
    print_err(fmt::format("vbo: {} failed, all in the same way; evaluating {} again\n",
                          failed.size() == 1
                              ? "the evaluation so far"
                              : fmt::format("the {} evaluations so far", failed.size()),
                          failed.size() == 1 ? "it" : "them"));
  }
  return study.retry(std::move(failed), "the set-up had failed");
}

// A storage where a study file is expected, by its name or by what is in it.
bool is_storage(const std::string& argument) {
  if (argument.find("://") != std::string::npos || argument.ends_with(".db")) return true;
  return is_sqlite_file(argument);
}

int run(const RunArguments& options, const Console& console) {
  const std::atomic<int>& interrupts = watch_interrupts(static_cast<unsigned>(options.grace));
  if (is_storage(options.file)) {
    return fail(kWrongUsage,
                "found the storage " + options.file +
                    ", expected the study file (.toml) that says how to evaluate: vbo run "
                    "STUDY.toml. To look at the study: vbo status " +
                    shell_quoted(options.file) +
                    ". To evaluate its suggestions yourself: vbo ask " +
                    shell_quoted(options.file));
  }
  Result<StudyFile> file = read_study_file(options.file);
  if (!file) return fail(file.error());
  file->study.optimizer.threads = static_cast<int>(options.threads);
  Crew crew;
  if (!options.on.empty()) {
    if (options.workers == 0) {
      return fail(kWrongUsage, "--workers 0 leaves the jobs of --on nothing to do; leave it out");
    }
    crew.launch = LaunchOptions{.launcher = options.on,
                                .workers = std::max<std::int64_t>(options.workers, 0),
                                .grace_seconds = options.grace};
    if (const auto fits = check_launch(*file, *crew.launch); !fits) return fail(fits.error());
  } else if (options.workers != 0) {
    Result<std::unique_ptr<Executor>> made = make_executor(*file, options.workers);
    if (!made) return fail(made.error());
    crew.executor = std::move(*made);
  }
  Result<Study> study = open_or_stand_by(*file, false, interrupts, console);
  if (!study) return fail(study.error());
  if (!study->change().empty() && !console.quiet) {
    print_err("vbo: the study goes on with other settings: " + one_line(study->change()) + "\n");
  }
  if (!study->warning().empty()) print_err("vbo: " + one_line(study->warning()) + "\n");
  if (const auto retried = retry_setup_failures(*file, *study, console); !retried) {
    return fail(retried.error());
  }
  if (const std::string chosen = study->report().message; !console.quiet && !chosen.empty()) {
    print_err("vbo: " + one_line(chosen) + "\n");
  }
  const Result<Summary> summary =
      run_study(*file, *study, crew, interrupts, options.time_limit, console);
  if (!summary) return fail(summary.error());
  if (options.json) {
    print_json(summary_json(*file, *summary));
  } else {
    print_summary(*file, *summary, console);
  }
  return exit_code_of(*file, *summary);
}

}  // namespace

Action define_run(CLI::App& app, const Console& console) {
  auto options = std::make_shared<RunArguments>();
  Arguments arguments(app);
  arguments.positional("FILE", options->file, "Study file (.toml)");
  arguments.option("--workers", options->workers, "N",
                   "Evaluations at the same time, instead of the file's; 0 = only coordinate", 0,
                   kMost);
  arguments.option(
      "--on", options->on, "LAUNCHER",
      "Let jobs of a batch system evaluate, as set in [cluster] of the study file: slurm",
      {"slurm"});
  arguments.option("--threads", options->threads, "N", "Threads of the method; 0 = all cores", 0,
                   kMost);
  grace_option(arguments, options->grace);
  arguments.option("--time-limit", options->time_limit, "SECONDS",
                   "Start nothing new after so long; 0 = no limit", 0.0, kLongest);
  arguments.flag("--json", options->json, "Print the result as JSON");
  return [options, &console] { return run(*options, console); };
}

}  // namespace vbo::cli
