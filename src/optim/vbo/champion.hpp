// SPDX-License-Identifier: MIT
// The best of the runs that have ended: a local search that goes on polishing the best result, and
// jumps from it, while a new run looks for a better basin. Its results never reach the new run's
// models, which would only learn to come back here. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>

#include "optim/vbo/local_search.hpp"

namespace vbo {

class Champion {
 public:
  // `search` has narrowed to its basin; `jumps` is the share of a batch that jumps from it get.
  Champion(std::unique_ptr<LocalSearch> search, double jumps)
      : search_(std::move(search)), jump_share_(jumps) {}

  const LocalSearch& search() const { return *search_; }
  double best() const { return search_->best(); }
  // Shares of a batch. A new run gets less with every run before it that ended at a worse place:
  // after k of them the chance that the next one is better is 1 / (k + 2), by Laplace's rule.
  double run_share() const;
  double jump_share() const { return jump_share_; }
  double polish_share() const;  // what neither of them gets

  void learn(ConstVectorRef code, double value, bool own);
  // Once per round: takes a generation. A better result of `history` that the search could not have
  // drawn itself (a jump's) moves it there, and jumps get `explore` of a batch again.
  void advance(const Archive& history, double explore);

  void outlive() { ++outlived_; }  // a run has ended without finding a better place

  void write(StateWriter& out) const;
  void read(StateReader& in);

 private:
  double doubt() const;  // that its place is the best: 1 at first

  std::unique_ptr<LocalSearch> search_;
  double jump_share_;
  std::int64_t outlived_ = 0;  // runs
};

// The share of jumps after one more round without success.
double fewer_jumps(double share);
// Moves `search` to the best result of `archive`, where that is better than all of its own and
// farther away than it would draw. Whether it did.
bool relocate(LocalSearch& search, const Archive& archive);

}  // namespace vbo
