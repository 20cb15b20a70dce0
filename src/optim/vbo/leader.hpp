// SPDX-License-Identifier: MIT
// A run's local search and what gets it out of its basin. It works where the best results are; when
// it stands still it begins again around the best of them, wider. Once it is narrow, jumps have a
// share of the batch that falls until one of them finds a better result that the search could not
// have drawn itself: the search moves there. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "optim/vbo/local_search.hpp"
#include "optim/vbo/options.hpp"

namespace vbo {

class Leader {
 public:
  Leader(const Encoding& encoding, const VboOptions& options, std::uint64_t seed);

  bool usable() const { return search_->usable(); }  // there are numeric parameters
  LocalSearch& search() { return *search_; }
  const LocalSearch& search() const { return *search_; }
  bool is_narrow() const;   // it has narrowed to one basin
  int generations() const;  // that it imagines in this round
  // Share of jumps while it is; nothing where exploration is switched off.
  std::optional<double> jump_share() const;
  // The search, for its next owner; nothing else may be called afterwards.
  std::unique_ptr<LocalSearch> release() { return std::move(search_); }

  void learn(ConstVectorRef code, double value, bool own);  // `own`: the search suggested it
  // Once per round: its generation ends, or it begins; the frame follows.
  void advance(const Archive& archive, Frame& frame);

  void write(StateWriter& out) const;
  void read(StateReader& in, bool running);

 private:
  std::unique_ptr<LocalSearch> search_;
  std::int64_t numbers_;   // numeric parameters
  std::int64_t imagined_;  // most generations a round
  double explore_;         // share of jumps after a success
  double jump_share_;      // now
};

}  // namespace vbo
