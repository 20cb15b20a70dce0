// SPDX-License-Identifier: MIT
// Two local searches and where they look. The leader works where the best results are, the second
// in the best region elsewhere; the two change roles when the second finds better. Which basin is
// the deepest cannot be seen before somebody has climbed down it. Runs that end begin again in a
// region where none has ended yet. Nothing learned is forgotten in between: the critics
// keep all results. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "optim/vbo/local_search.hpp"

namespace vbo {

class Regions {
 public:
  Regions(const Encoding& encoding, double second_share, std::uint64_t seed);

  bool usable() const { return leader_->usable(); }  // there are numeric parameters
  LocalSearch& leader() { return *leader_; }
  const LocalSearch& leader() const { return *leader_; }
  const LocalSearch& second() const { return *second_; }
  // Share of the local suggestions that goes to the second search: half until the leader has
  // narrowed to one basin, then what the options say.
  double second_share() const;

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
  void begin_elsewhere(LocalSearch& search, const Archive& archive);

  std::unique_ptr<LocalSearch> leader_, second_;
  double share_;               // of the second search
  std::vector<Vector> ended_;  // codes (D) where runs have ended, the last few
};

}  // namespace vbo
