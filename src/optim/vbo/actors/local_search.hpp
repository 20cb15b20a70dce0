// SPDX-License-Identifier: MIT
// The local search of a restart: a Gaussian actor, and when it begins again. It works where the
// best results are; when it stagnates it begins again around the best of them, wider. Once it is
// narrow, a better result that it could not have sampled itself, a mutation's, moves it there. Not
// thread-safe.
#pragma once

#include <cstdint>
#include <memory>

#include "optim/vbo/actors/gaussian_actor.hpp"
#include "optim/vbo/options.hpp"

namespace vbo {

class LocalSearch {
 public:
  LocalSearch(const Encoding& encoding, const VboOptions& options, std::uint64_t seed);

  bool usable() const { return search_->usable(); }  // there are numeric parameters
  GaussianActor& search() { return *search_; }
  const GaussianActor& search() const { return *search_; }
  bool is_narrow() const;  // it has narrowed to one basin
  // The search, for its next owner; nothing else may be called afterwards.
  std::unique_ptr<GaussianActor> release() { return std::move(search_); }

  void learn(ConstVectorRef code, double value, bool own);  // `own`: the search suggested it
  // Once per round: its generation ends, or it begins; the coordinates follows.
  void advance(const Archive& archive, LocalCoordinates& coordinates);

  void write(StateWriter& out) const;
  void read(StateReader& in, bool running);

 private:
  std::unique_ptr<GaussianActor> search_;
  bool explores_;  // there are mutations
};

}  // namespace vbo
