// SPDX-License-Identifier: MIT
// The local half of the search: a Gaussian N(m, sigma^2 C) over the numeric coordinates that moves,
// widens and tilts with its own results (the CMA-ES update), and in between with imagined results:
// whole generations judged by the critics instead of the objective. Critics that rank well thus
// save rounds; real results correct what they got wrong. When it has converged or stands still it
// starts again elsewhere; nothing that was learned is forgotten. Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "optim/cmaes/box.hpp"
#include "optim/cmaes/strategy.hpp"
#include "optim/encoding.hpp"
#include "optim/state_bytes.hpp"
#include "optim/vbo/archive.hpp"
#include "optim/vbo/critics.hpp"
#include "optim/vbo/frame.hpp"
#include "vbo/random.hpp"

namespace vbo {

class LocalSearch {
 public:
  // Works on the real and integer parameters of `encoding`; usable() is false when there are none.
  LocalSearch(const Encoding& encoding, std::uint64_t seed);

  bool usable() const { return numeric_.dimension() > 0; }

  // A result of one of its own suggestions, or anybody's that is better than all of its own.
  void learn(ConstVectorRef code, double value, bool own);

  // Starts, takes a generation of results when enough are in, or starts again, and moves the frame.
  void advance(const Archive& archive, Frame& frame);

  // `generations` of `population` points that only the critics have judged.
  void imagine(Critics& critics, const Frame& frame, const Archive& archive, int generations,
               int population, std::int64_t round, int threads);

  // Writes a draw from the distribution into the numeric coordinates of `code` (D).
  void sample(VectorRef code, Rng& rng) const;

  double deviation() const;  // largest standard deviation, in widths of the box
  std::int64_t restarts() const { return restarts_; }

  void write(StateWriter& out) const;
  void read(StateReader& in);

 private:
  struct Result {
    double value;
    Vector genotype;
  };

  Vector numeric_part(ConstVectorRef code) const;  // (Dn) of (D)
  Vector scale() const;  // lifts integer deviations to the least useful ones
  void begin(ConstVectorRef code, double sigma);
  void restart(const Archive& archive);
  void update(std::vector<Result> results);

  const Encoding& encoding_;
  std::uint64_t seed_;
  std::vector<Eigen::Index> coordinates_;  // of the numeric parameters in a code
  Encoding numeric_;                       // of these parameters alone
  cmaes::Box box_;
  std::optional<cmaes::Strategy> strategy_;
  std::vector<Result> results_;  // since the last generation
  double best_ = 0.0;            // of this run, by its own results; -inf before the first
  std::int64_t idle_ = 0;        // generations in a row without a better one
  std::int64_t restarts_ = 0;
  std::vector<Vector> visited_;  // (Dn) codes where earlier runs ended, the last few
};

}  // namespace vbo
