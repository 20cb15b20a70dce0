// SPDX-License-Identifier: MIT
// How the queue holds up. The storage is an SQLite file in a temporary folder, or a PostgreSQL
// database given by its URL (without "study=").
//   queue_scale busy METHOD WORKERS MEAN_SECONDS SECONDS [URL]
//       workers that sleep (threads; log-normal, sigma 0.5), one coordinator: the share of time in
//       which they evaluate, how long a freed one waits for its next trial, and the CPU of the
//       coordinator (the process without its workers' threads) and of the server
//   queue_scale rate SECONDS [URL]
//       claims and results per second, from 1, 4 and 16 connections, and on PostgreSQL, in turn
//       with them, what the bare server does: one-row updates, a transaction each, as pgbench; the
//       medians of five turns
//   queue_scale size TRIALS [URL]
//       status, best, claim and tell in a study of so many trials
//   queue_scale idle WORKERS SECONDS URL
//       workers that wait for work: what they cost the server
// The server's CPU is that of the postmaster and its children, when it runs on this machine.
// benchmarks/queue_scale_all starts a server and runs everything.
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "benchmarks/queue_server.hpp"
#include "vbo/vbo.hpp"

namespace {

using namespace vbo;
using namespace vbo::benchmarks;
double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

double thread_cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// What all workers of one run measure. Only what happens between the two moments counts.
struct Meter {
  std::mutex mutex;
  Clock::time_point begin = Clock::time_point::max(), end = Clock::time_point::max();
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
  ~Sleeper() override { cancel(); }
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
    outcome.values = {sum};
    return {outcome};
  }
  void cancel() override {  // what runs at the end counts as well
    const std::scoped_lock lock(meter_.mutex);
    if (running_) meter_.busy += meter_.inside(start_, std::min(until_, Clock::now()));
    running_ = false;
  }

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

// A thousand at once are more than a busy server answers in time; a worker tries again as well.
std::unique_ptr<Storage> connect_patiently(Study& study) {
  for (;;) {
    Result<std::unique_ptr<Storage>> storage = study.connect(Access::queue);
    if (storage) return std::move(*storage);
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
  }
}

int busy(const std::string& url, const std::string& method, int workers, double mean,
         double length) {
  const double warm_up = std::max(5.0, 2.0 * mean);  // everybody has ended one by then
  const auto budget =
      static_cast<std::int64_t>(static_cast<double>(workers) * (warm_up + length) / mean);
  Study study = Study::open(options(url, method, std::min(workers, 64), 2 * budget)).value();
  Meter meter;
  const auto seconds = [](double value) {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(value));
  };
  std::atomic<int> interrupts = 0;
  std::atomic<int> there = 0;
  std::atomic<double> workers_cpu = 0.0;
  std::vector<std::thread> threads;
  for (int i = 0; i < workers; ++i) {
    threads.emplace_back([&, i] {
      {
        auto storage = connect_patiently(study);
        Sleeper sleeper(mean, static_cast<std::uint64_t>(i), meter);
        WorkOptions work_options;
        work_options.name = "sleeper " + std::to_string(i);
        work_options.interrupts = &interrupts;
        ++there;
        if (const auto end = work(*storage, sleeper, work_options); !end) {
          std::fprintf(stderr, "%s\n", end.error().message.c_str());
        }
      }
      workers_cpu += thread_cpu_seconds();
    });
  }
  double server_cpu = 0.0;
  std::thread stopper([&] {
    while (there < workers) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    {
      const std::scoped_lock lock(meter.mutex);
      meter.begin = Clock::now() + seconds(warm_up);
      meter.end = meter.begin + seconds(length);
    }
    std::this_thread::sleep_until(meter.begin);
    server_cpu = -server_cpu_seconds(url);
    std::this_thread::sleep_until(meter.end);
    server_cpu += server_cpu_seconds(url);
    interrupts = 2;
  });
  RunOptions run;
  run.interrupts = &interrupts;
  run.local_slots = workers;
  const double cpu = cpu_seconds();
  const auto start = Clock::now();
  const auto end = study.coordinate(run);
  if (!end) std::fprintf(stderr, "%s\n", end.error().message.c_str());
  const double took = seconds_since(start);
  for (std::thread& thread : threads) thread.join();
  stopper.join();
  const double coordinator = cpu_seconds() - cpu - workers_cpu;
  std::sort(meter.gaps.begin(), meter.gaps.end());
  const auto quantile = [&](double q) {
    return meter.gaps.empty() ? 0.0
                              : 1e3 * meter.gaps[static_cast<std::size_t>(
                                          q * static_cast<double>(meter.gaps.size() - 1))];
  };
  std::printf(
      "%-10s %4d workers, %g s: busy %5.1f%%  next trial after %.1f ms (median), %.0f ms (90%%)  "
      "coordinator %.2f cores  server %.2f cores  %lld evaluated\n",
      method.c_str(), workers, mean, 100.0 * meter.busy / (workers * length), quantile(0.5),
      quantile(0.9), coordinator / took, server_cpu / length,
      static_cast<long long>(study.counts().value().completed));
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
      trial.values = {rng.uniform()};
      trial.told_in = event;
    }
    storage.finish_trials(trials).value();
  }
}

// Claims, and as many results, per second.
double claim_rate(Storage& coordinator, int connections, double length) {
  std::atomic<std::int64_t> claims = 0;
  std::atomic<int> at_work = connections;
  std::vector<std::thread> threads;
  const auto start = Clock::now();
  for (int i = 0; i < connections; ++i) {
    threads.emplace_back([&, i] {
      const auto storage = coordinator.connect(Access::queue).value();
      while (seconds_since(start) < length) {
        const auto claimed = storage->claim(named("w" + std::to_string(i)), 1, 1e6).value();
        if (claimed.empty()) break;  // the stock is used up
        Trial trial = claimed[0].trial;
        trial.state = TrialState::completed;
        trial.values = {0.5};
        storage->complete(trial, claimed[0].token).value();
        ++claims;
      }
      --at_work;
    });
  }
  // As a coordinator does: news that nobody reads would pile up.
  while (at_work > 0) (void)coordinator.wait(std::chrono::milliseconds(100));
  for (std::thread& thread : threads) thread.join();
  return static_cast<double>(claims) / seconds_since(start);
}

int rate(const std::string& url, double length) {
  constexpr int kSlices = 5;  // in turn with the bare server, for other work comes and goes
  const auto stock = static_cast<std::int64_t>(8000 * length / kSlices);
  auto coordinator = open_storage(url, Access::coordinate).value();
  coordinator
      ->create_study({.name = "rate", .budget = 1, .space = options(url, "random", 1, 1).space})
      .value();
  TrialId next = 1;
  for (const int connections : {1, 4, 16}) {
    std::vector<double> bare, claims;
    for (int slice = 0; slice < kSlices; ++slice) {
      fill(*coordinator, next, stock, 3 * next, false);
      next += stock;
      if (is_server(url)) bare.push_back(bare_rate(url, connections, length / kSlices));
      claims.push_back(claim_rate(*coordinator, connections, length / kSlices));
      std::vector<Trial> ended = coordinator->load_untold().value();
      for (Trial& trial : ended) trial.told_in = 3 * next;
      coordinator->tell_trials(ended).value();
    }
    const auto median = [](std::vector<double> values) {
      std::sort(values.begin(), values.end());
      return values[values.size() / 2];
    };
    std::printf("%2d connections: %6.0f claims and as many results per second", connections,
                median(claims));
    if (!bare.empty()) {
      std::printf(": %6.0f transactions, %.0f%% of the bare server's %.0f", 2 * median(claims),
                  200 * median(claims) / median(bare), median(bare));
    }
    std::printf("\n");
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
    if (there > 0 && is_server(url)) {
      fill_by_copying(url, there + 1, target - there, 2 * there + 2000);
    } else {
      fill(*storage, there + 1, target - there, 2 * there, true);
    }
    there = target;
    fill(*storage, there + 1, 100, 2 * there, false);
    tidy_up(url);
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
      trial.values = {1.0};
      queue->complete(trial, claims[at++].token).value();
    });
    std::vector<Trial> untold = storage->load_untold().value();
    at = 0;
    const double told = timed([&] {
      untold[at].told_in = 2 * there + 1000 + static_cast<EventId>(at);
      storage->tell_trials({&untold[at++], 1}).value();
    });
    std::printf(
        "%8lld trials: status %.2f ms  best %.2f ms  claim %.2f ms  tell %.2f ms  coordinator's "
        "tell %.2f ms\n",
        static_cast<long long>(there), status, best, claim, tell, told);
    std::fflush(stdout);
    there += 100;
  }
  return 0;
}

int idle(const std::string& url, int workers, double length) {
  Study study = Study::open(options(url, "random", 1, 1000)).value();
  std::atomic<int> interrupts = 0;
  std::atomic<int> there = 0;
  std::vector<std::thread> threads;
  Meter meter;
  for (int i = 0; i < workers; ++i) {
    threads.emplace_back([&, i] {
      auto storage = connect_patiently(study);
      Sleeper sleeper(1.0, static_cast<std::uint64_t>(i), meter);
      WorkOptions work_options;
      work_options.name = "idle " + std::to_string(i);
      work_options.interrupts = &interrupts;
      ++there;
      (void)work(*storage, sleeper, work_options);
    });
  }
  while (there < workers) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  std::this_thread::sleep_for(std::chrono::seconds(5));
  const double cpu = server_cpu_seconds(url);
  std::this_thread::sleep_for(std::chrono::duration<double>(length));
  const double share = (server_cpu_seconds(url) - cpu) / length;
  std::printf("%d idle workers: the server uses %.1f%% of a core\n", workers, 100.0 * share);
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
