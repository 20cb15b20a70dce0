// SPDX-License-Identifier: MIT
// The local search of the best restart that has ended. It keeps refining the best result with a
// part of the batch while a new restart looks for a better basin with the rest. Its results are not
// given to the new restart's models, which would otherwise lead back to the same basin. Not
// thread-safe.
#pragma once

#include <memory>

#include "optim/vbo/actors/gaussian_actor.hpp"

namespace vbo {

class IncumbentSearch {
 public:
  // `search` has narrowed to its basin.
  explicit IncumbentSearch(std::unique_ptr<GaussianActor> search) : search_(std::move(search)) {}

  const GaussianActor& search() const { return *search_; }
  double best() const { return search_->best(); }
  double restart_share() const;  // of what mutations leave of a batch; the rest refines

  void learn(ConstVectorRef code, double value, bool own);
  // Once per round: takes a generation. A better result of `history` that the search could not have
  // drawn itself (a mutation's) moves it there.
  void advance(const Archive& history);

  void write(StateWriter& out) const;
  void read(StateReader& in);

 private:
  std::unique_ptr<GaussianActor> search_;
};

// Moves `search` to the best result of `archive`, where that is better than all of its own and
// farther away than it would draw.
void relocate(GaussianActor& search, const Archive& archive);

}  // namespace vbo
