// SPDX-License-Identifier: MIT
// The local search of a restart: a Gaussian actor, when it begins again, and how much is left to
// mutations. It works where the best results are; when it stagnates it begins again around the best
// of them, wider. Once it is narrow, mutations have a share of the batch that decays until one of
// them finds a better result that the search could not have sampled itself: the search moves there.
// Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

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
  // Share of mutations while it is; nothing where exploration is switched off.
  std::optional<double> mutation_share() const;
  // The search, for its next owner; nothing else may be called afterwards.
  std::unique_ptr<GaussianActor> release() { return std::move(search_); }

  void learn(ConstVectorRef code, double value, bool own);  // `own`: the search suggested it
  // Once per round: its generation ends, or it begins; the coordinates follows.
  void advance(const Archive& archive, LocalCoordinates& coordinates);

  void write(StateWriter& out) const;
  void read(StateReader& in, bool running);

 private:
  std::unique_ptr<GaussianActor> search_;
  double explore_;         // share of mutations after a success
  double mutation_share_;  // now
};

}  // namespace vbo
