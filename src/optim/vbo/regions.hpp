// SPDX-License-Identifier: MIT
// Two local searches and where they look. The leader works where the best results are, the second
// in the best region elsewhere; the two change roles when the second finds better. Which basin is
// the deepest cannot be seen before somebody has climbed down it. When the second's run ends it
// begins again in a region where none has ended yet; the leader's begins again around the best
// result, wider. Nothing learned is forgotten in between: the critics keep all results.
// Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "optim/vbo/local_search.hpp"

namespace vbo {

class Regions {
 public:
  // `with_second`: whether the second search may ever run.
  Regions(const Encoding& encoding, bool with_second, std::uint64_t seed);

  bool usable() const { return leader_->usable(); }  // there are numeric parameters
  LocalSearch& leader() { return *leader_; }
  const LocalSearch& leader() const { return *leader_; }
  const LocalSearch& second() const { return *second_; }
  bool has_decided() const;  // the leader has narrowed to one basin

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
  bool with_second_;
  std::vector<Vector> ended_;  // codes (D) where runs have ended, the last few
};

}  // namespace vbo
