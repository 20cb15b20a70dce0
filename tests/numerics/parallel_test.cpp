// SPDX-License-Identifier: MIT
#include "numerics/parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "numerics/flops.hpp"

namespace vbo {
namespace {

TEST(ParallelFor, EveryPieceOnce) {
  for (const int threads : {0, 1, 2, 5}) {
    for (const int n : {0, 1, 2, 100}) {
      std::vector<std::atomic<int>> hits(static_cast<std::size_t>(n));
      parallel_for(threads, n, [&](int i) { ++hits[static_cast<std::size_t>(i)]; });
      for (const auto& hit : hits) EXPECT_EQ(hit, 1);
    }
  }
}

TEST(Team, HasNoMoreThreadsThanAskedFor) {
  EXPECT_EQ(Team(3).size(), 3);
  EXPECT_EQ(Team(3, 2).size(), 2);
  EXPECT_EQ(Team(1, 5).size(), 1);
  EXPECT_EQ(Team(4, 0).size(), 1);
  EXPECT_EQ(Team(0, 1).size(), 1);
}

TEST(ParallelFor, NestedCallsStayInTheirThread) {
  std::atomic<int> total{0};
  std::atomic<int> strangers{0};
  parallel_for(3, 6, [&](int) {
    const auto self = std::this_thread::get_id();
    parallel_for(3, 10, [&](int) {
      ++total;
      if (std::this_thread::get_id() != self) ++strangers;
    });
  });
  EXPECT_EQ(total, 60);
  EXPECT_EQ(strangers, 0);
}

TEST(ParallelFor, RethrowsAndStaysUsable) {
  for (const int threads : {1, 4}) {
    const auto run = [&] {
      parallel_for(threads, 50, [](int i) {
        if (i == 7) throw std::runtime_error("piece " + std::to_string(i));
      });
    };
    EXPECT_THROW(run(), std::runtime_error);
    std::atomic<int> done{0};
    parallel_for(threads, 9, [&](int) { ++done; });
    EXPECT_EQ(done, 9);
  }
}

TEST(Flops, NothingIsCountedWithoutAScope) {
  flops::add(5);
  const flops::Scope scope;
  EXPECT_EQ(scope.count(), 0U);
}

TEST(Flops, ScopesNestAndTheOuterIncludesTheInner) {
  const flops::Scope outer;
  flops::add(1);
  {
    const flops::Scope inner;
    flops::add(10);
    EXPECT_EQ(inner.count(), 10U);
  }
  EXPECT_EQ(outer.count(), 11U);
  EXPECT_EQ(flops::gemm(2, 3, 4), 48U);
}

TEST(Flops, CountsDoNotDependOnThreads) {
  const auto count = [](int threads) {
    const flops::Scope scope;
    flops::add(1000);
    parallel_for(threads, 20, [](int i) {
      flops::add(static_cast<std::uint64_t>(i));
      parallel_for(2, 3, [](int j) { flops::add(static_cast<std::uint64_t>(100 * j)); });
    });
    return scope.count();
  };
  const std::uint64_t want = 1000 + 190 + 20 * 300;
  for (const int threads : {1, 2, 7}) EXPECT_EQ(count(threads), want);
}

TEST(Flops, CountingSurvivesAnException) {
  const flops::Scope scope;
  EXPECT_THROW(parallel_for(2, 4, [](int) -> void { throw std::runtime_error("x"); }),
               std::runtime_error);
  flops::add(3);
  EXPECT_EQ(scope.count(), 3U);
}

}  // namespace
}  // namespace vbo
