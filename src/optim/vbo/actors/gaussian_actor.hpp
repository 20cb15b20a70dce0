// SPDX-License-Identifier: MIT
// The Gaussian actor: N(m, sigma^2 C) over the numeric coordinates, updated from its own results
// (the CMA-ES update) and, between real batches, from model-based generations: samples scored by
// the surrogate instead of the objective. A surrogate that ranks well saves rounds this way; real
// results correct its errors. One object holds one search at a time; its owner decides where the
// next one begins. Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "optim/cmaes/box.hpp"
#include "optim/cmaes/strategy.hpp"
#include "optim/encoding.hpp"
#include "optim/state_bytes.hpp"
#include "optim/vbo/archive.hpp"
#include "optim/vbo/critics/local_coordinates.hpp"
#include "vbo/random.hpp"

namespace vbo {

class GaussianActor {
 public:
  // Works on the real and integer parameters of `encoding`; usable() is false when there are none.
  GaussianActor(const Encoding& encoding, std::uint64_t seed);

  bool usable() const { return numeric_.dimension() > 0; }

  // A result of one of its own suggestions, or anybody's that is better than all of its own.
  void learn(ConstVectorRef code, double value, bool own);

  // Begins at `code` (D) with standard deviation `sigma`, in widths of the box. `so_far`
  // is what counts as its best value.
  void begin(ConstVectorRef code, double sigma,
             double so_far = -std::numeric_limits<double>::infinity());
  bool running() const { return strategy_.has_value(); }

  // Takes a generation of results if enough are in.
  void advance();
  // It has converged, or has not improved for `patience` generations.
  bool is_over(std::int64_t patience) const;

  // The coordinates' neighbourhood becomes this search's.
  void set_coordinates(LocalCoordinates& coordinates) const;

  // `generations` of `population` points that only a surrogate has scored: score(X) is its
  // prediction (n) at codes X (D,n).
  void run_model_generations(const std::function<Vector(ConstMatrixRef X)>& score,
                             const Archive& archive, int generations, int population,
                             std::int64_t round);

  // Writes a draw from the distribution into the numeric coordinates of `code` (D).
  void sample(VectorRef code, Rng& rng) const;

  // The same for others who draw: axes() z is a step (Dn), z ~ N(0, I). Where a step from the mean
  // leads, in the numeric coordinates of `code` (D), and the way back for gradients.
  // REQUIRES: running().
  Matrix axes() const;
  void place(ConstVectorRef step, VectorRef code) const;
  Vector pull_back(ConstVectorRef step, ConstVectorRef d_code) const;  // (Dn)

  double deviation() const;              // largest standard deviation, in widths of the box
  double best() const { return best_; }  // best value of its results, or what it began with
  // How far the middle one of the newest generation lies below the best of it: what the search can
  // still gain by going on. Infinite before there is a generation.
  double reach() const { return reach_; }
  // Root-mean-square distance of `code` (D) from the mean, in widths of the box.
  double distance(ConstVectorRef code) const;
  // The same in its own deviations along its own axes: 1 for its draws, in the mean of squares.
  double steps_to(ConstVectorRef code) const;
  Vector mean_code(ConstVectorRef code) const;  // `code` (D) with the mean in its numeric part

  void write(StateWriter& out) const;
  void read(StateReader& in, bool running);  // `running`: what the state must be

 private:
  struct Result {
    double value;
    Vector genotype;
  };

  Vector numeric_part(ConstVectorRef code) const;  // (Dn) of (D)
  Vector scale() const;  // lifts integer deviations to the least useful ones
  void update(std::vector<Result> results);

  const Encoding& encoding_;
  std::uint64_t seed_;
  std::vector<Eigen::Index> coordinates_;  // of the numeric parameters in a code
  Encoding numeric_;                       // of these parameters alone
  cmaes::Box box_;
  std::optional<cmaes::Strategy> strategy_;
  std::vector<Result> results_;  // since the last generation
  double best_ = 0.0;            // of its results, or what it began with
  double reach_ = std::numeric_limits<double>::infinity();
  std::int64_t idle_ = 0;  // generations in a row without a better one
};

}  // namespace vbo
