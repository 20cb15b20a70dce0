// SPDX-License-Identifier: MIT
// The local search of the best restart that has ended. It keeps refining the best result, and a
// share of the batch mutates that result, while a new restart looks for a better basin. Its results
// are not given to the new restart's models, which would otherwise lead back to the same basin. Not
// thread-safe.
#pragma once

#include <cstdint>
#include <memory>

#include "optim/vbo/actors/gaussian_actor.hpp"

namespace vbo {

class IncumbentSearch {
 public:
  // `search` has narrowed to its basin; `mutations` is the share of a batch that mutations from it
  // get.
  IncumbentSearch(std::unique_ptr<GaussianActor> search, double mutations)
      : search_(std::move(search)), mutation_share_(mutations) {}

  const GaussianActor& search() const { return *search_; }
  double best() const { return search_->best(); }
  // Shares of a batch. A new restart gets less with every run before it that ended at a worse
  // place: after k of them the chance that the next one is better is 1 / (k + 2), by Laplace's
  // rule.
  double restart_share() const;
  double mutation_share() const { return mutation_share_; }
  double refinement_share() const;  // what neither of them gets

  void learn(ConstVectorRef code, double value, bool own);
  // Once per round: takes a generation. A better result of `history` that the search could not have
  // drawn itself (a mutation's) moves it there, and mutations get `explore` of a batch again.
  void advance(const Archive& history, double explore);

  void outlive() { ++outlived_; }  // a restart has ended without finding a better place

  void write(StateWriter& out) const;
  void read(StateReader& in);

 private:
  double doubt() const;  // that its place is the best: 1 at first

  std::unique_ptr<GaussianActor> search_;
  double mutation_share_;
  std::int64_t outlived_ = 0;  // restarts
};

// The share of mutations after one more round without success.
double decayed_mutation_share(double share);
// Moves `search` to the best result of `archive`, where that is better than all of its own and
// farther away than it would draw. Whether it did.
bool relocate(GaussianActor& search, const Archive& archive);

}  // namespace vbo
