// SPDX-License-Identifier: MIT
#include "exec/function_pool.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstdint>
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
      : function_(std::move(function)), job_done_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (job_done_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
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
    close(job_done_);
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

  bool watch(int fd) override {
    watched_ = fd;
    return true;
  }

  std::vector<Outcome> wait(std::chrono::milliseconds at_most) override {
    const auto end = std::chrono::steady_clock::now() + at_most;
    while (running_ > 0) {
      std::vector<Outcome> ended = take();
      const auto left =
          std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
      if (!ended.empty() || left.count() <= 0) return ended;
      std::array<pollfd, 2> events{{{job_done_, POLLIN, 0}, {watched_, POLLIN, 0}}};
      (void)poll(events.data(), events.size(), static_cast<int>(left.count()));
      if (events[1].revents != 0) return take();
    }
    return {};
  }

  void cancel() override {
    const std::lock_guard lock(mutex_);
    ++generation_;
    jobs_.clear();
    outcomes_.clear();
    running_ = 0;
  }

 private:
  std::vector<Outcome> take() {
    std::uint64_t count = 0;
    const std::lock_guard lock(mutex_);
    (void)!read(job_done_, &count, sizeof count);
    running_ -= outcomes_.size();
    return std::exchange(outcomes_, {});
  }

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
      constexpr std::uint64_t one = 1;
      if (outcomes_.size() == 1) (void)!write(job_done_, &one, sizeof one);
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
  int watched_ = -1;
  const int job_done_;  // an eventfd: readable while there are outcomes
  std::mutex mutex_;    // guards everything below
  std::condition_variable job_added_;
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
