// SPDX-License-Identifier: MIT
#include "exec/function_pool.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace vbo {
namespace {

class FunctionPool final : public Executor {
 public:
  FunctionPool(std::function<Outcome(const Job&)> function, std::size_t workers)
      : function_(std::move(function)) {
    threads_.reserve(workers);
    for (std::size_t i = 0; i < workers; ++i) {
      try {
        threads_.emplace_back([this] { work(); });
      } catch (const std::system_error&) {
        if (threads_.empty()) throw;
        break;  // the machine gives no more threads; those there are do the work
      }
    }
  }

  ~FunctionPool() override {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
      jobs_.clear();
    }
    job_added_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  std::size_t capacity() const override { return threads_.size(); }
  std::size_t running() const override { return running_; }

  void submit(Job job) override {
    {
      const std::lock_guard lock(mutex_);
      jobs_.push_back({generation_, std::move(job)});
    }
    ++running_;
    job_added_.notify_one();
  }

  std::vector<Outcome> wait(std::chrono::milliseconds at_most) override {
    if (running_ == 0) return {};
    std::unique_lock lock(mutex_);
    job_done_.wait_for(lock, at_most, [this] { return !outcomes_.empty(); });
    running_ -= outcomes_.size();
    return std::exchange(outcomes_, {});
  }

  void cancel() override {
    const std::lock_guard lock(mutex_);
    ++generation_;
    jobs_.clear();
    outcomes_.clear();
    running_ = 0;
  }

 private:
  struct Entry {
    std::size_t generation;  // cancel() starts a new one; results of older ones are dropped
    Job job;
  };

  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      job_added_.wait(lock, [this] { return stop_ || !jobs_.empty(); });
      if (stop_) return;
      const Entry entry = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      Outcome outcome = evaluate(entry.job);
      lock.lock();
      if (entry.generation != generation_) continue;
      outcomes_.push_back(std::move(outcome));
      job_done_.notify_one();
    }
  }

  Outcome evaluate(const Job& job) const {
    Outcome outcome;
    const auto start = std::chrono::steady_clock::now();
    try {
      outcome = function_(job);
    } catch (const std::exception& error) {
      outcome = Outcome::failed(FailureCause::crash, error.what());
    }
    outcome.id = job.id;
    outcome.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return outcome;
  }

  std::function<Outcome(const Job&)> function_;
  std::size_t running_ = 0;  // of the calling thread
  std::mutex mutex_;         // guards everything below
  std::condition_variable job_added_;
  std::condition_variable job_done_;
  std::deque<Entry> jobs_;
  std::vector<Outcome> outcomes_;
  std::size_t generation_ = 0;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace

std::unique_ptr<Executor> make_function_pool(std::function<double(const Job&)> function,
                                             std::size_t workers) {
  return make_outcome_pool(
      [function = std::move(function)](const Job& job) { return Outcome::of(function(job)); },
      workers);
}

std::unique_ptr<Executor> make_outcome_pool(std::function<Outcome(const Job&)> function,
                                            std::size_t workers) {
  return std::make_unique<FunctionPool>(std::move(function), workers);
}

std::unique_ptr<Executor> make_function_executor(std::function<double(const Point&)> function,
                                                 std::size_t workers) {
  return make_function_pool(
      [function = std::move(function)](const Job& job) { return function(job.point); },
      std::max<std::size_t>(workers, 1));
}

}  // namespace vbo
