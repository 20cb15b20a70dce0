// SPDX-License-Identifier: MIT
// Where evaluations fail: what suggestions are screened by once something has failed
// (optim/feasibility.hpp), with a closer look at the surroundings of the best result
// (optim/border.hpp). A pure function of the first results of a study: nothing to keep in a
// snapshot. Not thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "optim/encoding.hpp"
#include "optim/feasibility.hpp"
#include "optim/vbo/archive.hpp"

namespace vbo {

class Failures {
 public:
  Failures(const Encoding& encoding, std::uint64_t seed, int threads);

  // Of the next result of the study's archive.
  void add(const Trial& trial);

  // From the first `results` of `history`.
  void learn(const Archive& history, int results);
  bool known() const { return model_.knows_anything(); }
  bool happened() const { return model_.knows_failures(); }  // not only bounds

  // That evaluations at these codes (D) succeed. REQUIRES: known().
  Vector success_probability(const std::vector<Vector>& codes) const;

 private:
  std::vector<int> spread_sample(int results) const;

  const Encoding& encoding_;
  GpOptions options_;
  std::uint64_t seed_;
  std::vector<Success> success_;
  std::vector<Vector> excesses_;  // of the limits, as scaled_excesses()
  Feasibility model_;
};

}  // namespace vbo
