// SPDX-License-Identifier: MIT
#include <unistd.h>

#include <chrono>

#include "cli/commands.hpp"
#include "cli/target.hpp"
#include "cli/trial_json.hpp"

namespace vbo::cli {
namespace {

constexpr std::int64_t kMostAtOnce = 1'000'000;
constexpr std::int64_t kMostThreads = 4096;

struct Options {
  std::string study;
  std::int64_t count = 1;
  std::int64_t threads = 0;
  double wait = kWaitSeconds;
  bool pending = false;
  bool json = false;
};

int print_suggestions(const Space& space, const std::vector<Trial>& trials, bool json) {
  if (json) {
    Json list = Json::array();
    for (const Trial& trial : trials) list.push_back(suggestion_json(space, trial));
    print_json(list);
    return kDone;
  }
  for (const Trial& trial : trials) {
    print_out(std::to_string(trial.id) + ": " + point_text(space, trial.point) + "\n");
  }
  return kDone;
}

int list_pending(const Options& options) {
  const Result<OpenedStudy> study = open_to_read(options.study);
  if (!study) return fail(study.error());
  Result<std::vector<Trial>> trials = study->storage->load_trials();
  if (!trials) return fail(trials.error());
  std::erase_if(*trials, [](const Trial& t) {
    return t.state != TrialState::waiting && t.state != TrialState::running;
  });
  return print_suggestions(study->record.space, *trials, options.json);
}

using Clock = std::chrono::steady_clock;

struct Answer {
  Space space;
  std::vector<Trial> trials;
};

// Suggestions from whoever coordinates the study: another process that runs it, or somebody else
// who asks, or ourselves, and then for all who wait.
class Asker {
 public:
  explicit Asker(const Options& options)
      : options_(options),
        end_(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                std::chrono::duration<double>(options.wait))) {}

  Result<Answer> ask() {
    const Result<Answer> answer = wait_for_answer();
    // Whoever gives up must not be served later.
    if (!answer && queue_ && request_ != 0) (void)queue_->storage->withdraw_request(request_);
    return answer;
  }

 private:
  Result<Answer> wait_for_answer() {
    for (;;) {
      if (Result<std::optional<Answer>> answer = look(); !answer) {
        return answer.error();
      } else if (*answer) {
        return std::move(**answer);
      }
      const Result<bool> coordinated = coordinate();
      if (!coordinated) return coordinated.error();
      if (*coordinated) continue;  // our request is answered now
      if (Clock::now() >= end_) return last_;
      if (queue_) {
        const auto waited = queue_->storage->wait(std::chrono::milliseconds(50));
        if (!waited) return waited.error();
      } else {
        usleep(20'000);  // somebody is creating the study
      }
    }
  }

  // Places the request as soon as there is a study to place it in; the answer when it is there.
  Result<std::optional<Answer>> look() {
    if (!queue_) {
      Result<OpenedStudy> opened = open_queue(options_.study, seconds_left());
      if (!opened) {
        const bool not_yet = opened.error().kind == ErrorKind::not_found;
        const bool creates = not_yet && is_study_file(options_.study);
        if (creates || opened.error().kind == ErrorKind::busy) return std::optional<Answer>();
        return opened.error();
      }
      queue_ = std::move(*opened);
      const auto placed =
          queue_->storage->request(options_.count, this_host() + ":" + std::to_string(getpid()));
      if (!placed) return placed.error();
      request_ = *placed;
    }
    Result<std::optional<std::vector<Trial>>> answer = queue_->storage->load_answer(request_);
    if (!answer) {
      // The coordinator's word: there is nothing left to suggest.
      if (answer.error().kind == ErrorKind::conflict) {
        return std::optional(Answer{queue_->record.space, {}});
      }
      return answer.error();
    }
    if (!*answer) return std::optional<Answer>();
    return std::optional(Answer{queue_->record.space, std::move(**answer)});
  }

  // Answers all requests when nobody else does; false when somebody does.
  Result<bool> coordinate() {
    Result<Study> study = open_to_write(options_.study, static_cast<int>(options_.threads));
    if (!study) {
      if (study.error().kind != ErrorKind::busy) return study.error();
      last_ = study.error();
      return false;
    }
    if (!queue_) return true;  // created; our request comes next
    const auto answered = study->answer_requests();
    if (!answered) return answered.error();
    const Result<void> closed = study->close();
    return closed ? Result<bool>(true) : closed.error();
  }

  double seconds_left() const {
    return std::max(0.0, std::chrono::duration<double>(end_ - Clock::now()).count());
  }

  const Options& options_;
  const Clock::time_point end_;
  std::optional<OpenedStudy> queue_;
  std::int64_t request_ = 0;
  Error last_;  // why we are not the coordinator
};

int ask(const Options& options, const Console& console) {
  if (options.pending) return list_pending(options);
  const Result<Answer> answer = Asker(options).ask();
  if (!answer) return fail(answer.error());
  const int code = print_suggestions(answer->space, answer->trials, options.json);
  if (answer->trials.empty()) return fail(kNoSuccess, "the space has no more points to suggest");
  if (!console.quiet && !options.json && is_terminal(2)) {
    print_err("Tell a result with: vbo tell " + options.study + " ID VALUE\n");
  }
  return code;
}

}  // namespace

Action define_ask(CLI::App& app, const Console& console) {
  auto options = std::make_shared<Options>();
  Arguments arguments(app);
  arguments.positional("STUDY", options->study, "Study file (.toml) or storage (.db)");
  arguments.option("-n,--count", options->count, "N", "How many suggestions", 1, kMostAtOnce);
  arguments.option("--threads", options->threads, "N", "Threads of the method; 0 = all cores", 0,
                   kMostThreads);
  arguments.option("--wait", options->wait, "SECONDS",
                   "How long to wait for others who ask, tell or run", 0.0, kLongestWait);
  arguments.flag("--pending", options->pending,
                 "List the open suggestions again; make no new ones");
  arguments.flag("--json", options->json, "Print JSON");
  return [options, &console] { return ask(*options, console); };
}

}  // namespace vbo::cli
