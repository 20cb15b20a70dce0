// SPDX-License-Identifier: MIT
#include "numerics/parallel.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
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

TEST(ParallelFor, IsUsableInAForkedChild) {
  const auto meet = [] {  // two pieces that wait for each other: neither thread can do both
    Flag flags[2];
    parallel_for(3, 2, [&](int i) {
      flags[i].raise();
      flags[1 - i].await();
    });
  };
  meet();
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(20);  // the parent's helpers do not live here: new ones are needed
    meet();
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  meet();
}

TEST(SideBySide, ThreadsLeftOverGoToPiecesThatDivide) {
  for (const int threads : {1, 3, 4, 9}) {
    std::vector<std::atomic<int>> given(4);
    std::atomic<int> together{0};
    std::vector<Piece> pieces;
    for (std::size_t i = 0; i < given.size(); ++i) {
      pieces.push_back({[&, i](int own) {
                          given[i] += own;
                          parallel_for(own, 10, [&](int) { ++together; });
                        },
                        i < 2 ? Piece::any : 1});
    }
    const flops::Scope scope;
    pieces[0].work = [&, first = pieces[0].work](int own) {
      first(own);
      Team(own).for_each(5, [](int) { flops::add(3); });
    };
    side_by_side(threads, pieces);
    EXPECT_EQ(together, 40);
    EXPECT_EQ(scope.count(), 15U);
    const int more = threads == 9 ? 2 : 0;  // five beyond one for each, for two pieces
    EXPECT_EQ(given[0], 1 + more);
    EXPECT_EQ(given[1], 1 + more);
    EXPECT_EQ(given[2], 1);
    EXPECT_EQ(given[3], 1);
  }
}

TEST(SideBySide, NobodyHasMoreThreadsThanItCanUse) {
  int few = 0, many = 0, one = 0;
  side_by_side(16, {{[&](int own) { few = own; }, 3},
                    {[&](int own) { many = own; }, Piece::any},
                    {[&](int own) { one = own; }}});
  EXPECT_EQ(few, 3);
  EXPECT_EQ(many, 12);
  EXPECT_EQ(one, 1);
}

TEST(SideBySide, APiecesFailureIsRethrownAndLoopsStaySerialInside) {
  const std::vector<Piece> pieces{{[](int) { throw std::runtime_error("no"); }, Piece::any},
                                  {[](int) {}}};
  EXPECT_THROW(side_by_side(6, pieces), std::runtime_error);
  std::atomic<int> largest{0};
  parallel_for(2, 2, [&](int) {
    side_by_side(8, {{[&](int own) { largest = std::max(largest.load(), own); }, Piece::any}});
  });
  EXPECT_EQ(largest, 1);
}

TEST(SideBySide, LeavesTheCallersLoopsTheirThreads) {
  std::thread([] {
    for (const std::size_t pieces : {1U, 3U}) {
      side_by_side(8, std::vector<Piece>(pieces, {[](int) {}, Piece::any}));
      EXPECT_EQ(Team(4).size(), 4) << pieces;
    }
    const Piece inner{[](int own) { EXPECT_EQ(own, 1); }, Piece::any};
    const Piece outer{[&](int) { side_by_side(8, {inner, inner}); }, Piece::any};
    side_by_side(8, {outer, outer});
  }).join();
}

// Whoever does a piece, its loops have the same helpers: threads do not become more with the calls.
TEST(SideBySide, HelpersStayWithThePlaceOfAPiece) {
  std::mutex mutex;
  std::set<std::thread::id> seen;
  const auto note = [&](int) {
    const std::lock_guard lock(mutex);
    seen.insert(std::this_thread::get_id());
  };
  const Piece short_piece{[&](int) {
    note(0);
    std::this_thread::sleep_for(std::chrono::microseconds(50));  // others take the next pieces
  }};
  const Piece with_loops{[&](int own) { parallel_for(own, 20, note); }, Piece::any};
  std::vector<Piece> pieces(6, short_piece);
  pieces.insert(pieces.end(), 2, with_loops);
  std::thread([&] {  // one that has no teams yet
    for (int call = 0; call < 300; ++call) side_by_side(16, pieces);
  })
      .join();
  EXPECT_LE(seen.size(), 16U);  // eight for the pieces, four more for each that divides
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
