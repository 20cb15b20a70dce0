// SPDX-License-Identifier: MIT
// Keeps as many jobs of a batch system as a study can use: asks for those that are missing, takes
// back waiting ones that nobody needs any more, replaces what was lost. It decides; it has no clock
// and no thread of its own (see Launcher), and knows a batch system as a Scheduler alone.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>

#include "cluster/scheduler.hpp"

namespace vbo {

struct FleetOptions {
  std::int64_t jobs = 1;           // >= 1: so many at the same time
  std::int64_t slots_per_job = 1;  // >= 1: evaluations of a job at the same time
  double longest_hidden = 300.0;   // seconds; until a job that was accepted has to be listed
  int most_failures = 20;          // give up after so many failed jobs without a result; 0 = never
};

// What a fleet has to know of its study.
struct Demand {
  std::int64_t left = 0;   // evaluations that are still to be made
  std::int64_t ended = 0;  // and those that are
};

class Fleet {
 public:
  // `say` gets what a person should know, one line each; both must outlive the fleet.
  Fleet(Scheduler& scheduler, FleetOptions options, std::function<void(const std::string&)> say);

  // Looks at the jobs and does what is needed. Returns after how many seconds to look again. An
  // error means that it makes no sense to go on.
  Result<double> look(const Demand& demand, double now_seconds);

  // Cancels all jobs: workers get SIGTERM, finish within their grace and give back the rest.
  Result<void> recall();
  // Jobs that may still store a result.
  Result<std::int64_t> alive();

 private:
  struct Count {
    std::int64_t waiting = 0, running = 0, lost = 0;
    std::string failed_job;  // one that failed, of those not seen before
    std::string why_lost, why_waiting;
  };
  Count count(const std::vector<ClusterJob>& jobs);
  void say_once(const std::string& text);
  Result<double> trouble(const Error& error);
  Result<void> missing_jobs(bool somebody_works, double now_seconds);
  Result<double> quiet_until_next_look(bool changed);

  Scheduler& scheduler_;
  FleetOptions options_;
  std::function<void(const std::string&)> say_;
  std::set<std::string> seen_;  // ended jobs that have been counted
  std::set<std::string> announced_;
  std::set<std::string> hidden_;  // accepted, and not listed so far
  double hidden_since_ = 0.0;     // by the caller's clock; or the last result since
  bool looked_ = false, away_ = false;
  std::int64_t ended_before_ = 0;
  int failures_ = 0;           // jobs, since the last result
  double backoff_ = 0.0;       // seconds between submissions while jobs fail
  double submit_after_ = 0.0;  // by the caller's clock
  double pause_ = 0.0;         // seconds until the next look
  std::int64_t waiting_before_ = 0, running_before_ = 0;
};

}  // namespace vbo
