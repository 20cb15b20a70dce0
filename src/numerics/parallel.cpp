// SPDX-License-Identifier: MIT
#include "numerics/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "numerics/flops.hpp"

namespace vbo {
namespace {

thread_local bool inside = false;

}  // namespace

void parallel_for(int threads, int n, const std::function<void(int)>& work) {
  if (threads <= 0) threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  threads = std::min(threads, n);
  if (threads <= 1 || inside) {
    for (int i = 0; i < n; ++i) work(i);
    return;
  }
  std::atomic<int> next{0};
  std::atomic<std::uint64_t> counted{0};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const bool counting = flops::sink != nullptr;
  const auto drain = [&] {
    inside = true;
    try {
      if (counting) {
        const flops::Scope scope;
        for (int i = next++; i < n; i = next++) work(i);
        counted += scope.count();
      } else {
        for (int i = next++; i < n; i = next++) work(i);
      }
    } catch (...) {
      next = n;
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
    }
    inside = false;
  };
  {
    std::vector<std::jthread> helpers;
    for (int t = 1; t < threads; ++t) helpers.emplace_back(drain);
    // The caller's own share must not reach its outer scope twice.
    std::uint64_t* const outer = std::exchange(flops::sink, nullptr);
    drain();
    flops::sink = outer;
  }
  flops::add(counted);
  if (failure) std::rethrow_exception(failure);
}

}  // namespace vbo
