// SPDX-License-Identifier: MIT
// How the queue holds up. The storage is an SQLite file in a temporary folder, or a PostgreSQL
// database given by its URL (without "study=").
//   queue_scale busy METHOD WORKERS MEAN_SECONDS SECONDS [URL]
//       workers that sleep (log-normal, sigma 0.5), one coordinator: the share of time in which
//       they evaluate, and how long a freed one waits for its next trial
//   queue_scale rate SECONDS [URL]
//       claims and results per second, from 1, 4 and 16 connections
//   queue_scale size TRIALS [URL]
//       status, best, claim and tell in a study of so many trials
//   queue_scale idle WORKERS SECONDS URL
//       workers that wait for work; look at the server's CPU meanwhile
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "vbo/vbo.hpp"

namespace {

using namespace vbo;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

// What all workers of one run measure. Only what happens between the two moments counts.
struct Meter {
  std::mutex mutex;
  Clock::time_point begin, end;
  double busy = 0.0;
  std::vector<double> gaps;  // from the end of an evaluation to the start of the next

  double inside(Clock::time_point from, Clock::time_point to) const {
    return std::max(
        0.0, std::chrono::duration<double>(std::min(to, end) - std::max(from, begin)).count());
  }
};

// One evaluation at a time that takes a log-normal while and gives a parabola's value.
class Sleeper final : public Executor {
 public:
  Sleeper(double mean, std::uint64_t seed, Meter& meter)
      : mean_(mean), rng_(seed, "sleeper"), meter_(meter) {}
  ~Sleeper() override {
    const std::scoped_lock lock(meter_.mutex);
    if (running_) meter_.busy += meter_.inside(start_, std::min(until_, Clock::now()));
  }
  std::size_t capacity() const override { return 1; }
  std::size_t running() const override { return running_ ? 1 : 0; }
  void submit(Job job) override {
    constexpr double kSigma = 0.5;  // exp(mu + sigma^2 / 2) is the mean
    const double seconds = mean_ * std::exp(kSigma * rng_.normal() - kSigma * kSigma / 2);
    const auto now = Clock::now();
    if (ended_ != Clock::time_point{}) {
      const std::scoped_lock lock(meter_.mutex);
      if (meter_.inside(ended_, now) > 0.0) {
        meter_.gaps.push_back(std::chrono::duration<double>(now - ended_).count());
      }
    }
    start_ = now;
    until_ =
        now + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    job_ = std::move(job);
    running_ = true;
  }
  std::vector<Outcome> wait(std::chrono::milliseconds at_most) override {
    std::this_thread::sleep_until(std::min(until_, Clock::now() + at_most));
    if (!running_ || Clock::now() < until_) return {};
    running_ = false;
    ended_ = until_;
    {
      const std::scoped_lock lock(meter_.mutex);
      meter_.busy += meter_.inside(start_, until_);
    }
    Outcome outcome;
    outcome.id = job_.id;
    outcome.seconds = std::chrono::duration<double>(until_ - start_).count();
    double sum = 0.0;
    for (const Value& value : job_.point) sum += std::pow(std::get<double>(value) - 0.3, 2);
    outcome.value = sum;
    return {outcome};
  }
  void cancel() override { running_ = false; }

 private:
  double mean_;
  Rng rng_;
  Meter& meter_;
  Job job_;
  bool running_ = false;
  Clock::time_point start_{}, until_{}, ended_{};
};

StudyOptions options(const std::string& url, const std::string& method, std::int64_t batch,
                     std::int64_t budget) {
  std::vector<Parameter> parameters;
  for (int i = 0; i < 6; ++i)
    parameters.push_back(Parameter::real("x" + std::to_string(i + 1), 0, 1));
  StudyOptions study;
  study.name = "queue";
  study.space = Space::make(std::move(parameters)).value();
  study.budget = budget;
  study.optimizer = {.method = method, .seed = 1, .batch = batch, .budget = budget};
  study.storage = url;
  return study;
}

int busy(const std::string& url, const std::string& method, int workers, double mean,
         double length) {
  const auto budget = static_cast<std::int64_t>(static_cast<double>(workers) * length / mean);
  Study study = Study::open(options(url, method, std::min(workers, 64), 2 * budget)).value();
  Meter meter;
  meter.begin = Clock::now() + std::chrono::seconds(2);  // everybody has begun by then
  meter.end = meter.begin +
              std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(length));
  std::atomic<int> interrupts = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < workers; ++i) {
    threads.emplace_back([&, i] {
      auto storage = study.connect(Access::queue).value();
      Sleeper sleeper(mean, static_cast<std::uint64_t>(i), meter);
      WorkOptions work_options;
      work_options.name = "sleeper " + std::to_string(i);
      work_options.interrupts = &interrupts;
      if (const auto end = work(*storage, sleeper, work_options); !end) {
        std::fprintf(stderr, "%s\n", end.error().message.c_str());
      }
    });
  }
  std::thread stopper([&] {
    std::this_thread::sleep_until(meter.end);
    interrupts = 2;
  });
  RunOptions run;
  run.interrupts = &interrupts;
  run.local_slots = workers;
  const double cpu = cpu_seconds();
  const auto start = Clock::now();
  const auto end = study.coordinate(run);
  if (!end) std::fprintf(stderr, "%s\n", end.error().message.c_str());
  const double share = (cpu_seconds() - cpu) / seconds_since(start);
  for (std::thread& thread : threads) thread.join();
  stopper.join();
  std::sort(meter.gaps.begin(), meter.gaps.end());
  const auto quantile = [&](double q) {
    return meter.gaps.empty() ? 0.0
                              : 1e3 * meter.gaps[static_cast<std::size_t>(
                                          q * static_cast<double>(meter.gaps.size() - 1))];
  };
  std::printf(
      "%-10s %4d workers, %g s: busy %5.1f%%  next trial after %.1f ms (median), %.0f ms (90%%)  "
      "%.2f cores  %lld evaluated\n",
      method.c_str(), workers, mean, 100.0 * meter.busy / (workers * length), quantile(0.5),
      quantile(0.9), share, static_cast<long long>(study.counts().value().completed));
  return 0;
}

WorkerInfo named(const std::string& name) {
  WorkerInfo worker;
  worker.name = worker.process = name;
  worker.host = "host";
  return worker;
}

// Writes trials the way a coordinator does, a thousand at a time.
void fill(Storage& storage, TrialId first, std::int64_t count, EventId event, bool ended) {
  Rng rng(static_cast<std::uint64_t>(first), "fill");
  for (TrialId next = first; next < first + count;) {
    std::vector<Trial> trials;
    for (; next < first + count && trials.size() < 1000; ++next) {
      Trial trial;
      trial.id = next;
      for (int d = 0; d < 6; ++d) trial.point.emplace_back(rng.uniform());
      trial.rationale = {"filled", rng.normal(), {{"exploitation", rng.normal()}}};
      trial.asked_in = ++event;
      trials.push_back(std::move(trial));
    }
    for (Trial& trial : trials) trial.asked_in = event;
    storage.add_trials(trials, std::nullopt).value();
    if (!ended) continue;
    ++event;
    for (Trial& trial : trials) {
      trial.state = TrialState::completed;
      trial.value = rng.uniform();
      trial.told_in = event;
    }
    storage.finish_trials(trials).value();
  }
}

int rate(const std::string& url, double length) {
  auto coordinator = open_storage(url, Access::coordinate).value();
  coordinator
      ->create_study({.name = "rate", .budget = 1, .space = options(url, "random", 1, 1).space})
      .value();
  TrialId next = 1;
  for (const int connections : {1, 4, 16}) {
    const std::int64_t stock = 20000;
    fill(*coordinator, next, stock, next, false);
    next += stock;
    std::atomic<std::int64_t> claims = 0;
    std::vector<std::thread> threads;
    const auto start = Clock::now();
    for (int i = 0; i < connections; ++i) {
      threads.emplace_back([&, i] {
        const auto storage = coordinator->connect(Access::queue).value();
        while (seconds_since(start) < length) {
          const auto claimed = storage->claim(named("w" + std::to_string(i)), 1, 1e6).value();
          if (claimed.empty()) return;
          Trial trial = claimed[0].trial;
          trial.state = TrialState::completed;
          trial.value = 0.5;
          storage->complete(trial, claimed[0].token).value();
          ++claims;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    std::printf("%2d connections: %6.0f claims and as many results per second\n", connections,
                static_cast<double>(claims) / seconds_since(start));
  }
  return 0;
}

int size(const std::string& url, std::int64_t count) {
  auto storage = open_storage(url, Access::coordinate).value();
  storage
      ->create_study({.name = "size", .budget = count, .space = options(url, "random", 1, 1).space})
      .value();
  std::int64_t there = 0;
  for (std::int64_t target = 1000; target <= count; target *= 10) {
    fill(*storage, there + 1, target - there, 2 * there, true);
    there = target;
    fill(*storage, there + 1, 100, 2 * there, false);
    const auto timed = [](auto work) {
      std::vector<double> times;
      for (int i = 0; i < 21; ++i) {
        const auto start = Clock::now();
        work();
        times.push_back(1e3 * seconds_since(start));
      }
      std::sort(times.begin(), times.end());
      return times[times.size() / 2];
    };
    const auto queue = storage->connect(Access::queue).value();
    const auto reader = storage->connect(Access::read).value();
    const double status = timed([&] { (void)reader->counts().value(); });
    const double best = timed([&] { (void)reader->best_trial(Goal::minimize).value(); });
    std::vector<Claim> claims;
    const double claim = timed([&] {
      for (Claim& one : queue->claim(named("w"), 1, 1e6).value()) claims.push_back(one);
    });
    std::size_t at = 0;
    const double tell = timed([&] {
      Trial trial = claims[at].trial;
      trial.state = TrialState::completed;
      trial.value = 1.0;
      queue->complete(trial, claims[at++].token).value();
    });
    std::printf("%8lld trials: status %.2f ms  best %.2f ms  claim %.2f ms  tell %.2f ms\n",
                static_cast<long long>(there), status, best, claim, tell);
    std::vector<Trial> rest = storage->load_untold().value();
    for (Trial& trial : rest) trial.told_in = 2 * there + 1000;
    storage->tell_trials(rest).value();
    there += 100;
  }
  return 0;
}

int idle(const std::string& url, int workers, double length) {
  Study study = Study::open(options(url, "random", 1, 1000)).value();
  std::atomic<int> interrupts = 0;
  std::vector<std::thread> threads;
  Meter meter;
  for (int i = 0; i < workers; ++i) {
    threads.emplace_back([&, i] {
      auto storage = study.connect(Access::queue).value();
      Sleeper sleeper(1.0, static_cast<std::uint64_t>(i), meter);
      WorkOptions work_options;
      work_options.name = "idle " + std::to_string(i);
      work_options.interrupts = &interrupts;
      (void)work(*storage, sleeper, work_options);
    });
  }
  std::this_thread::sleep_for(std::chrono::duration<double>(length));
  interrupts = 2;
  for (std::thread& thread : threads) thread.join();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const auto folder =
      std::filesystem::temp_directory_path() / ("vbo-queue-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const auto url = [&](std::size_t at) {
    return words.size() > at ? words[at] + "&study=" + words[0] + std::to_string(getpid())
                             : (folder / "queue.db").string();
  };
  int code = 2;
  if (words.size() >= 5 && words[0] == "busy") {
    code = busy(url(5), words[1], std::stoi(words[2]), std::stod(words[3]), std::stod(words[4]));
  } else if (words.size() >= 2 && words[0] == "rate") {
    code = rate(url(2), std::stod(words[1]));
  } else if (words.size() >= 2 && words[0] == "size") {
    code = size(url(2), std::stol(words[1]));
  } else if (words.size() >= 4 && words[0] == "idle") {
    code = idle(url(3), std::stoi(words[1]), std::stod(words[2]));
  } else {
    std::fprintf(stderr, "see the top of benchmarks/queue_scale.cpp\n");
  }
  std::filesystem::remove_all(folder);
  return code;
}
