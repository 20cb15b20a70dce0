// SPDX-License-Identifier: MIT
// A thread that keeps a fleet of batch jobs for one study while this process coordinates it, and
// takes them back at the end. Two processes that coordinate the same study in turn share the jobs:
// only the one that leads touches them.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "cluster/fleet.hpp"
#include "vbo/storage.hpp"

namespace vbo {

class Launcher {
 public:
  struct Options {
    FleetOptions fleet;
    std::int64_t budget = 0;                      // of the study
    double grace_seconds = 20.0;                  // how long workers may take to end
    std::function<void(const std::string&)> say;  // called from the thread
  };
  // `reader` is the study's storage, once more.
  Launcher(std::unique_ptr<Scheduler> scheduler, std::unique_ptr<Storage> reader, Options options);
  ~Launcher();  // stop()
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;

  // Set to 1: cancel the jobs and wait until they have ended; to 2: cancel them and do not wait.
  std::atomic<int>* stop_flag() { return &stop_; }
  const std::atomic<bool>* ended() const { return &ended_; }
  void lead(bool leads) { leads_ = leads; }  // false: another process coordinates, for now
  void stop();
  // What ended it before its time. REQUIRES: stop().
  const std::optional<Error>& error() const { return error_; }

 private:
  void keep();
  void recall();
  Demand demand();

  std::unique_ptr<Scheduler> scheduler_;
  std::unique_ptr<Storage> reader_;
  Options options_;
  Fleet fleet_;
  Demand last_;
  std::atomic<int> stop_ = 0;
  std::atomic<bool> leads_ = true, ended_ = false;
  std::optional<Error> error_;
  std::thread thread_;
};

}  // namespace vbo
