// SPDX-License-Identifier: MIT
#include "bench/runner.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>

#include "bench/play.hpp"
#include "core/elapsed.hpp"
#include "numerics/parallel.hpp"

namespace vbo::bench {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// Time left, from what the same kind of job (task, method, batch) took so far; kinds not seen yet
// count as the mean of all seen.
class TimeLeft {
 public:
  TimeLeft(const std::vector<Job>& todo, int workers) : workers_(workers) {
    for (const Job& job : todo) ++open_[kind(job)];
  }
  void ended(const Job& job, double seconds) {
    --open_[kind(job)];
    auto& [sum, count] = seen_[kind(job)];
    sum += seconds;
    ++count;
    total_ += seconds;
    ++ended_;
  }
  // What a job like this one took so far; 0 when none ended yet.
  double seconds_of(const Job& job) const {
    const auto seen = seen_.find(kind(job));
    return seen == seen_.end() ? 0.0 : seen->second.first / seen->second.second;
  }
  double seconds() const {
    double left = 0.0;
    for (const auto& [kind, count] : open_) {
      const auto seen = seen_.find(kind);
      const double each = seen != seen_.end() ? seen->second.first / seen->second.second
                          : ended_ > 0        ? total_ / ended_
                                              : 0.0;
      left += each * count;
    }
    return left / workers_;
  }

 private:
  static std::string kind(const Job& job) {
    return job.task + "|" + job.method + "|" + std::to_string(job.batch);
  }
  std::map<std::string, int> open_;
  std::map<std::string, std::pair<double, int>> seen_;
  double total_ = 0.0;
  int ended_ = 0;
  int workers_;
};

}  // namespace

Result<RunnerReport> run_jobs(const std::vector<Job>& jobs, const RunnerOptions& options,
                              const std::function<void(const Progress&)>& on_progress) {
  std::error_code error;
  fs::create_directories(options.directory, error);
  if (error) {
    return Error{ErrorKind::io,
                 "cannot create " + options.directory.string() + ": " + error.message()};
  }
  RunnerReport report;
  const Origin origin = this_origin();
  std::vector<Job> todo;
  for (const Job& job : jobs) {
    if (options.redo) fs::remove(options.directory / (file_stem(job) + ".part"), error);
    const fs::path path = options.directory / (file_stem(job) + ".jsonl");
    if (!options.redo && fs::exists(path, error)) {
      const Result<JobResult> found = read_job(path);
      if (found && found->job == job) {
        ++report.found;
        if (found->origin != origin) ++report.found_elsewhere;
        continue;
      }
    }
    todo.push_back(job);
  }

  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const int workers = std::clamp(options.jobs > 0 ? options.jobs : cores, 1,
                                 std::max(1, static_cast<int>(todo.size())));
  TimeLeft time_left(todo, workers);
  const auto start = Clock::now();
  std::mutex mutex;
  Progress progress{.total = todo.size()};
  const auto interrupted = [&] { return options.interrupts != nullptr && *options.interrupts > 0; };
  const auto time_left_for = [&](double seconds) {
    return options.limit_seconds <= 0.0 || seconds_since(start) + seconds < options.limit_seconds;
  };
  const auto stopped = [&] { return interrupted() || !time_left_for(0.0); };
  parallel_for(workers, static_cast<int>(todo.size()), [&](int index) {
    const Job& job = todo[static_cast<std::size_t>(index)];
    {
      const std::lock_guard lock(mutex);
      if (stopped() || !time_left_for(time_left.seconds_of(job))) return;
    }
    const auto job_start = Clock::now();
    const fs::path checkpoint = options.directory / (file_stem(job) + ".part");
    const PlayOptions play_options{
        .keep_points = options.keep_points, .cancelled = stopped, .checkpoint = checkpoint};
    Result<JobResult> result = [&]() -> Result<JobResult> {
      try {
        return play(job, play_options);
      } catch (const std::exception& e) {
        return Error{ErrorKind::unsupported, e.what()};
      }
    }();
    if (!result && result.error().kind == ErrorKind::busy) return;
    if (result) {
      if (auto written = write_job(options.directory, *result); !written) result = written.error();
      std::error_code absent;
      fs::remove(checkpoint, absent);
    }
    const std::lock_guard lock(mutex);
    progress.job_seconds = seconds_since(job_start);
    time_left.ended(job, progress.job_seconds);
    ++progress.finished;
    progress.seconds = seconds_since(start);
    progress.seconds_left = time_left.seconds();
    progress.job = &job;
    progress.result = result ? &*result : nullptr;
    progress.error = result ? "" : result.error().message;
    if (result) {
      ++report.run;
    } else {
      ++report.failed;
      report.errors.push_back(file_stem(job) + ": " + progress.error);
    }
    if (on_progress) on_progress(progress);
  });
  report.interrupted = interrupted();
  report.left = todo.size() - progress.finished;
  return report;
}

}  // namespace vbo::bench
