// SPDX-License-Identifier: MIT
#include "cluster/launcher.hpp"

#include <algorithm>
#include <chrono>

namespace vbo {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kStep{50};   // how soon a stop is noticed
constexpr std::chrono::milliseconds kLook{500};  // while jobs end
constexpr double kLongerThanGrace = 15.0;        // seconds a batch system may need on top

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

Launcher::Launcher(std::unique_ptr<Scheduler> scheduler, std::unique_ptr<Storage> reader,
                   Options options)
    : scheduler_(std::move(scheduler)),
      reader_(std::move(reader)),
      options_(std::move(options)),
      fleet_(*scheduler_, options_.fleet, options_.say),
      last_{.left = options_.budget},
      thread_([this] {
        keep();
        if (leads_) recall();
        ended_ = true;
      }) {}

Launcher::~Launcher() { stop(); }

void Launcher::stop() {
  if (stop_ < 1) stop_ = 1;
  if (thread_.joinable()) thread_.join();
}

// What the storage says; while it is away, what it said last.
Demand Launcher::demand() {
  if (const Result<TrialCounts> counts = reader_->counts()) {
    last_.ended = counts->completed + counts->failed;
    last_.left = std::max<std::int64_t>(0, options_.budget - last_.ended);
  }
  return last_;
}

void Launcher::keep() {
  const auto start = Clock::now();
  double next = 0.0;
  while (stop_ == 0) {
    if (leads_ && seconds_since(start) >= next) {
      const Result<double> pause = fleet_.look(demand(), seconds_since(start));
      if (!pause) {
        error_ = pause.error();
        return;
      }
      next = seconds_since(start) + *pause;
    }
    std::this_thread::sleep_for(kStep);
  }
}

void Launcher::recall() {
  if (const auto recalled = fleet_.recall(); !recalled) {
    options_.say("the jobs could not be cancelled: " + recalled.error().message);
    return;
  }
  const auto start = Clock::now();
  while (stop_ < 2 && !error_ && seconds_since(start) < options_.grace_seconds + kLongerThanGrace) {
    const Result<std::int64_t> alive = fleet_.alive();
    if (alive && *alive == 0) return;
    for (auto slept = kStep; slept < kLook && stop_ < 2; slept += kStep) {
      std::this_thread::sleep_for(kStep);
    }
  }
}

}  // namespace vbo
