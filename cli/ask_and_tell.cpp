// SPDX-License-Identifier: MIT
#include "cli/ask_and_tell.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "cli/target.hpp"
#include "core/limits.hpp"
#include "vbo/study.hpp"

namespace vbo::cli {
namespace {

using Clock = std::chrono::steady_clock;

// Suggestions from whoever coordinates the study: another process that runs it, or somebody else
// who asks, or ourselves, and then for all who wait.
class Asker {
 public:
  explicit Asker(const AskWish& options)
      : options_(options),
        end_(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                std::chrono::duration<double>(options.wait_seconds))) {}

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
    Result<Study> study = open_to_write(options_.study, options_.threads);
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

  const AskWish& options_;
  const Clock::time_point end_;
  std::optional<OpenedStudy> queue_;
  std::int64_t request_ = 0;
  Error last_;  // why we are not the coordinator
};

}  // namespace

Result<Answer> ask_for(const AskWish& wish) { return Asker(wish).ask(); }

Result<void> tell_result(const std::string& study_argument, const Outcome& outcome,
                         double wait_seconds) {
  Result<OpenedStudy> study = open_queue(study_argument, wait_seconds);
  if (!study) return study.error();
  Storage& storage = *study->storage;
  Result<std::optional<Trial>> stored = storage.load_trial(outcome.id);
  if (!stored) return stored.error();
  if (!*stored) {
    return Error{ErrorKind::not_found, "trial " + std::to_string(outcome.id) +
                                           " does not exist; the open ones: vbo ask " +
                                           study_argument + " --pending"};
  }
  if (outcome.value && !outcome.failure) {
    Result<void> complete = check_metrics(study->record.space, outcome.metrics);
    if (!complete) return complete.error();
  }
  Trial open = std::move(**stored);
  open.value.reset();
  open.failure.reset();
  open.metrics.clear();
  const Result<Completion> completed =
      storage.complete(ended_by(std::move(open), outcome, study->record.space.limits()), 0);
  return completed ? Result<void>() : completed.error();
}

}  // namespace vbo::cli
