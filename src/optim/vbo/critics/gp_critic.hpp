// SPDX-License-Identifier: MIT
// The Gaussian process (GP) of the panel. It is fitted to a bounded number of results, so a round
// costs the same at any number of them: all while they are few, then those nearest to the local
// search, in its coordinates (gp_window.hpp). Without numeric parameters, when the best result lies
// elsewhere, or when nearby results differ too little, it is the best ones and a uniform sample of
// the rest. Targets are normal scores, warped where that is likelier. Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/gp/gp.hpp"
#include "optim/encoding.hpp"
#include "optim/vbo/batch/expected_improvement.hpp"
#include "optim/vbo/critics/critic.hpp"
#include "optim/vbo/critics/gp_window.hpp"
#include "optim/vbo/critics/training_subset.hpp"
#include "optim/vbo/options.hpp"

namespace vbo {

class GpCritic final : public Critic {
 public:
  GpCritic(const Encoding& encoding, const LocalCoordinates& coordinates, const VboOptions& options,
           std::uint64_t seed);

  std::string_view name() const override { return "gp"; }
  Learning learning(const Archive& archive, const Replay& replay, std::int64_t round) override;
  bool is_fitted() const override { return model_.has_value(); }
  // Near the search it is fitted to its window alone.
  std::vector<bool> covers(ConstMatrixRef X) const override;
  Matrix predict(const OutcomeLevels& levels, ConstMatrixRef X, int threads) const override;
  Vector mean(ConstMatrixRef X, int threads, Matrix* slope) const override;

  // REQUIRES (both): is_fitted(). Posterior deviation at X (D,N), and its derivative (D,N).
  Vector deviation(ConstMatrixRef X, Matrix* slope) const;
  GpMember member(double weight) const;
  const TargetScale& scale() const { return scale_; }
  // Of an observation, in squared normal scores; 0 before the first fit.
  double noise_variance() const { return noise_variance_; }

  // What there was before the last fit; learning again from the same archive repeats it.
  void write(StateWriter& out) const override;
  void read(StateReader& in) override;

 private:
  struct Fit {
    GaussianProcess model;
    TargetScale scale;
    double best = 0.0;            // highest mean at a result
    double known_variance = 0.0;  // of results, on average
    double likelihood = 0.0;      // logarithm, of outcomes, whatever the warp
  };
  struct Fits;
  std::vector<int> look_nearby(const Archive& archive, int most);
  Fit fitted(const TrainingSubset& subset, int warp, std::int64_t round, int threads) const;
  void take_best(Fits& fits);

  const LocalCoordinates& coordinates_;
  GpOptions model_options_;
  VboOptions options_;
  std::uint64_t seed_;
  std::optional<GaussianProcess> model_;
  Vector state_before_fit_;                      // empty before the first fit
  Vector state_;                                 // after it
  std::int64_t warp_before_fit_ = 0, warp_ = 0;  // Warp::choice
  double noise_variance_ = 0.0;                  // in squared normal scores, by the last fit
  double known_variance_ = 0.0;                  // of these what comes with results, on average
  bool near_before_fit_ = false;
  GpWindow view_;
  TargetScale scale_;
  double best_ = 0.0;  // highest mean at a result
};

}  // namespace vbo
