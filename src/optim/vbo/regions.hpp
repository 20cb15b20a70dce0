// SPDX-License-Identifier: MIT
// Two local searches and where they look. The leader works where the best results are, the second
// in the best other region; the two change roles when the second finds better. Which basin is
// the deepest cannot be seen before somebody has climbed down it. When the second's run ends it
// begins again in a region where none has ended yet; the leader's begins again around the best
// result, wider. A narrow leader moves to a better result that it could not have drawn itself,
// which a jump may find; the share of jumps falls until that happens. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "optim/vbo/local_search.hpp"
#include "optim/vbo/options.hpp"

namespace vbo {

class Regions {
 public:
  Regions(const Encoding& encoding, const VboOptions& options, std::uint64_t seed);

  bool usable() const { return leader_->usable(); }  // there are numeric parameters
  LocalSearch& leader() { return *leader_; }
  const LocalSearch& leader() const { return *leader_; }
  const LocalSearch& second() const { return *second_; }
  bool is_narrow() const;  // the leader has narrowed to one basin
  // Share of jumps while it is; nothing where exploration is switched off.
  std::optional<double> jump_share() const;
  // The leader, for its next owner; nothing else may be called afterwards.
  std::unique_ptr<LocalSearch> release_leader() { return std::move(leader_); }

  // A result, and which search suggested it, if any.
  enum class From { leader, second, neither };
  void learn(ConstVectorRef code, double value, From from);

  // Once per round: generations end, roles change, runs begin; the frame follows the leader.
  void advance(const Archive& archive, Frame& frame);
  void imagine(Judge& judge, const Archive& archive, int generations, int population,
               std::int64_t round, int threads);

  void write(StateWriter& out) const;
  void read(StateReader& in);

 private:
  void begin_second(const Archive& archive);

  std::unique_ptr<LocalSearch> leader_, second_;
  bool with_second_;           // whether the second search may ever run
  double explore_;             // share of jumps after a success
  double jump_share_;          // now
  std::vector<Vector> ended_;  // codes (D) where runs have ended, the last few
};

}  // namespace vbo
