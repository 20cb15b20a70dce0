// SPDX-License-Identifier: MIT
// Where evaluations fail: what suggestions are screened by once something has failed. Two models of
// success (optim/feasibility.hpp): one over the whole cube, and one over the neighbourhood of the
// best result, in coordinates in which the results around it look round and of size one, so that a
// border is seen as sharply as the search is narrow. A pure function of the first results of a
// study: nothing to keep in a snapshot. Not thread-safe.
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
  void add(Success success) { success_.push_back(success); }

  // From the first `results` of `history`.
  void learn(const Archive& history, int results);
  bool known() const { return whole_.knows_failures(); }

  // That evaluations at these codes (D) succeed. REQUIRES: known().
  Vector success_probability(const std::vector<Vector>& codes) const;

 private:
  std::vector<int> spread_sample(int results) const;
  std::vector<int> nearest(const Archive& history, int results, const Vector& centre) const;
  void set_frame(const Archive& history, const std::vector<int>& around);
  void add_failures(const Archive& history, int results, std::vector<int>& around) const;
  void teach(Feasibility& model, const Archive& history, const std::vector<int>& indices,
             bool local) const;
  Vector to_local(ConstVectorRef code) const;
  bool is_local(ConstVectorRef code) const;

  const Encoding& encoding_;
  GpOptions model_;
  std::uint64_t seed_;
  std::vector<Success> success_;
  Feasibility whole_, local_;
  // The neighbourhood: codes x with |A (x - centre)| <= 1/2 in every coordinate.
  Vector centre_;     // (D)
  Matrix whitening_;  // A (D,D): makes the results in it round and of size one
};

}  // namespace vbo
