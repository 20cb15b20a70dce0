// SPDX-License-Identifier: MIT
#include "cluster/fleet.hpp"

#include <algorithm>
#include <cmath>

namespace vbo {
namespace {

// Looking costs the site's controller something: often while things change, rarely otherwise.
constexpr double kShortestPause = 1.0;  // seconds
constexpr double kLongestPause = 15.0;
constexpr double kLongestBackoff = 60.0;

// Reasons to wait that are nobody's fault.
const std::set<std::string, std::less<>> kUsual = {"", "None", "Priority", "Resources", "Prolog"};

std::string jobs_text(std::int64_t count) {
  return count == 1 ? "1 job" : std::to_string(count) + " jobs";
}

}  // namespace

Fleet::Fleet(Scheduler& scheduler, FleetOptions options,
             std::function<void(const std::string&)> say)
    : scheduler_(scheduler), options_(options), say_(std::move(say)) {}

Fleet::Count Fleet::count(const std::vector<ClusterJob>& jobs) {
  Count count;
  for (const ClusterJob& job : jobs) {
    hidden_.erase(job.id);
    switch (job.state) {
      case ClusterJob::State::waiting:
        ++count.waiting;
        if (!kUsual.contains(job.word)) count.why_waiting = job.word;
        break;
      case ClusterJob::State::running:
        ++count.running;
        break;
      case ClusterJob::State::leaving:
      case ClusterJob::State::done:
        break;
      case ClusterJob::State::ended:
      case ClusterJob::State::failed:
        if (!seen_.insert(job.id).second || !looked_) break;  // of an earlier run: nothing to us
        ++count.lost;
        if (job.state == ClusterJob::State::failed) {
          ++failures_;
          count.failed_job = job.id;
        }
        count.why_lost = job.word;
        break;
    }
  }
  looked_ = true;
  return count;
}

Result<double> Fleet::look(const Demand& demand, double now_seconds) {
  const Result<std::vector<ClusterJob>> jobs = scheduler_.jobs();
  if (!jobs && !looked_) return Error{ErrorKind::not_found, jobs.error().message};
  if (!jobs) return trouble(jobs.error());
  if (away_) say_("the batch system is back");
  away_ = false;

  if (demand.ended > ended_before_) {
    failures_ = 0;
    backoff_ = 0.0;
    hidden_since_ = now_seconds;  // perhaps of one of them
  }
  ended_before_ = demand.ended;
  const Count now = count(*jobs);
  const std::string words = now.failed_job.empty() ? "" : scheduler_.last_words(now.failed_job);
  if (options_.most_failures > 0 && failures_ >= options_.most_failures) {
    return Error{ErrorKind::conflict, jobs_text(failures_) +
                                          " failed one after another without a result" +
                                          (words.empty() ? "" : "; the last one said: " + words)};
  }
  if (!now.failed_job.empty()) {
    backoff_ = std::clamp(2 * backoff_, kShortestPause, kLongestBackoff);
    submit_after_ = now_seconds + backoff_;
  }

  if (const auto there = missing_jobs(now.waiting + now.running > 0, now_seconds); !there) {
    return there.error();
  }

  const std::int64_t useful = (demand.left + options_.slots_per_job - 1) / options_.slots_per_job;
  const std::int64_t missing =
      std::min(options_.jobs, useful) - now.waiting - now.running - std::ssize(hidden_);
  if (now.lost > 0 && demand.left > 0) {
    say_(jobs_text(now.lost) + " ended before the study did (" + now.why_lost + ")" +
         (words.empty() ? "" : ": " + words));
  }
  if (!now.why_waiting.empty()) {
    say_once("jobs have to wait, and the reason given is: " + now.why_waiting);
  }
  if (missing > 0 && now_seconds >= submit_after_) {
    std::vector<std::string> accepted;
    const auto submitted = scheduler_.submit(missing, accepted);
    if (hidden_.empty()) hidden_since_ = now_seconds;
    hidden_.insert(accepted.begin(), accepted.end());
    if (!submitted) {
      const bool nobody_works = now.waiting + now.running == 0;
      if (nobody_works || submitted.error().kind == ErrorKind::not_found) {
        if (submitted.error().kind != ErrorKind::io) return submitted.error();
      }
      return trouble(submitted.error());
    }
  } else if (missing < 0 && now.waiting > 0) {
    std::vector<std::string> ids;
    for (auto job = jobs->rbegin(); job != jobs->rend() && std::ssize(ids) < -missing; ++job) {
      if (job->state == ClusterJob::State::waiting) ids.push_back(job->id);
    }
    seen_.insert(ids.begin(), ids.end());
    if (const auto cancelled = scheduler_.cancel(ids); !cancelled)
      return trouble(cancelled.error());
  }
  const bool changed = missing != 0 || now.lost > 0 || now.waiting != waiting_before_ ||
                       now.running != running_before_;
  waiting_before_ = now.waiting;
  running_before_ = now.running;
  return quiet_until_next_look(changed);
}

// A controller that lags lists what it has accepted a little later. One that never does would be
// asked for more and more: what is not listed counts as waiting, and no results for so long end it.
Result<void> Fleet::missing_jobs(bool somebody_works, double now_seconds) {
  if (hidden_.empty() || now_seconds - hidden_since_ < options_.longest_hidden) return {};
  const std::string text = jobs_text(std::ssize(hidden_)) + " of this study (" + *hidden_.begin() +
                           (hidden_.size() > 1 ? ", ..." : "") +
                           ") that the batch system has accepted did not appear in its list of "
                           "jobs within " +
                           std::to_string(std::llround(options_.longest_hidden)) + " s";
  if (!somebody_works) {
    return Error{ErrorKind::conflict,
                 text + "; are they in another cluster, where its list does not look?"};
  }
  say_(text + "; asking for others");
  hidden_.clear();
  backoff_ = std::clamp(2 * backoff_, kShortestPause, kLongestBackoff);
  submit_after_ = now_seconds + backoff_;
  return {};
}

Result<double> Fleet::quiet_until_next_look(bool changed) {
  pause_ = changed ? kShortestPause : std::clamp(2 * pause_, kShortestPause, kLongestPause);
  return pause_;
}

// Trouble that may pass.
Result<double> Fleet::trouble(const Error& error) {
  if (error.kind == ErrorKind::not_found) return error;
  if (error.kind == ErrorKind::io) {
    if (!away_) say_(error.message);
    away_ = true;
  } else {
    say_once(error.message);
  }
  return quiet_until_next_look(false);
}

void Fleet::say_once(const std::string& text) {
  if (announced_.insert(text).second) say_(text);
}

Result<void> Fleet::recall() { return scheduler_.cancel_all(); }

Result<std::int64_t> Fleet::alive() {
  const auto jobs = scheduler_.jobs();
  if (!jobs) return jobs.error();
  return std::count_if(jobs->begin(), jobs->end(), [](const ClusterJob& job) {
    return job.state == ClusterJob::State::waiting || job.state == ClusterJob::State::running ||
           job.state == ClusterJob::State::leaving;
  });
}

}  // namespace vbo
