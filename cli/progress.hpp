// SPDX-License-Identifier: MIT
// What a person sees while a study runs, on standard error: two live lines on a terminal, a plain
// line now and then elsewhere. Thread-safe; a thread of its own keeps the clock ticking.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "cli/console.hpp"
#include "core/order.hpp"
#include "vbo/report.hpp"
#include "vbo/storage.hpp"

namespace vbo::cli {

struct ProgressState {
  std::string study;
  std::int64_t budget = 0;
  std::int64_t completed = 0, failed = 0, running = 0;
  std::int64_t ended_here = 0;  // completed or failed since this process began
  std::optional<double> best;
  TrialId best_id = 0;
  std::optional<double> estimated;  // under noise: of the trial that is best by its estimate...
  TrialId estimated_id = 0;         // ... this one
  bool best_feasible = true;        // false: the least violating result, none is feasible yet
  std::int64_t front = -1;          // of several objectives: how many trade-offs; -1 = there is one
  double hypervolume = 0.0;
  double seconds = 0.0;  // since this process began
  double startup = 0.0;  // of these, before the first evaluation began
  int interrupts = 0;
};

// The pure part: text for a state. Lines never exceed `width` columns.
std::string progress_lines(const ProgressState& state, int width, bool unicode);  // two lines
std::string progress_sentence(const ProgressState& state);                        // one line

class Progress {
 public:
  // `results`: those before this process began, or of one objective the best of them. `estimate`
  // is called now and then, by the thread of its own; may be empty.
  Progress(const Console& console, ProgressState start, const std::atomic<int>& interrupts,
           const StudyRecord& record, std::vector<Trial> results,
           std::function<Estimate()> estimate = {});
  ~Progress();  // takes the live lines away
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void started(const Trial& trial);
  void finished(const Trial& trial);
  void set_running(std::int64_t count);  // of all workers, wherever they are
  void set_estimate(const Estimate& estimate);

 private:
  enum class Kind { none, live, plain };
  void take(const Trial& trial);
  void measure_front(bool at_once);
  void drop_what_is_behind(std::vector<Trial> front);
  void look_at_noise(std::unique_lock<std::mutex>& lock);
  void tick();
  void update_clock();
  void note_begin();  // of the first evaluation
  void draw();
  void erase();
  void say(const std::string& line);  // above the live lines

  const Console& console_;
  const std::atomic<int>& interrupts_;
  const std::chrono::steady_clock::time_point begin_;
  Kind kind_ = Kind::none;
  bool unicode_ = false;

  std::mutex mutex_;  // guards everything below
  std::condition_variable wake_;
  ProgressState state_;
  const StudyRecord record_;
  const Order order_;
  const std::function<Estimate()> estimate_;
  std::chrono::steady_clock::time_point estimate_at_;
  Standing best_;                // of state_.best
  std::vector<Trial> on_front_;  // and what its reference is measured by, and what came since
  bool front_changed_ = false;
  std::chrono::steady_clock::time_point measure_at_;
  std::int64_t failures_shown_ = 0;
  bool drawn_ = false;
  bool evaluates_ = false;  // the first evaluation has begun
  bool interrupt_announced_ = false;
  bool done_ = false;
  std::thread ticker_;
};

}  // namespace vbo::cli
