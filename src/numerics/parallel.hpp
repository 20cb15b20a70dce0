// SPDX-License-Identifier: MIT
// Independent pieces of work over threads. Results must not depend on which thread runs which
// piece: each writes only what belongs to its index.
#pragma once

#include <atomic>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

namespace vbo {

// 0 = all cores.
int thread_count(int threads);

// Threads kept for many short loops, which follow each other too quickly to start threads for each.
// Only one thread at a time may begin loops.
class Team {
 public:
  explicit Team(int threads);   // 0 = all cores; the caller counts as one
  Team(int threads, int most);  // but never more than `most`
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int size() const;
  // Calls work(0) ... work(n-1), each once; returns when all are done. The first exception is
  // rethrown. Pieces are handed out in order, so one may wait for another with a smaller index (see
  // Flag), provided that none throws. Runs in the calling thread when the team or n is 1, or when
  // called from inside another loop.
  void for_each(int n, const std::function<void(int)>& work);

 private:
  struct Shared;
  std::unique_ptr<Shared> shared_;
};

// Something one piece of a loop does and others wait for.
class Flag {
 public:
  void raise() { raised_.store(true, std::memory_order_release); }
  void await() const;

 private:
  std::atomic<bool> raised_{false};
};

// One loop on at most `threads` (0 = all cores), which are kept for the next loop of the
// calling thread, or of the piece it does.
void parallel_for(int threads, int n, const std::function<void(int)>& work);

// Pieces of unlike length side by side, in this order where there are more than `threads` (0 = all
// cores). Threads beyond one for each go to those that can use them, in equal parts, as teams
// of their own: a piece learns how many it has. Within a piece nothing divides again.
struct Piece {
  static constexpr int any = std::numeric_limits<int>::max();
  std::function<void(int threads)> work;
  int most = 1;  // threads it can use
};
void side_by_side(int threads, const std::vector<Piece>& pieces);

}  // namespace vbo
