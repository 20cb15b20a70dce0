// SPDX-License-Identifier: MIT
// A quadratic model of the results around a code, over the numeric parameters: what classical
// optimization uses near a smooth optimum, and more exact there than networks or a Gaussian process
// however ill-conditioned the function. Failed and infeasible results, and those with other
// categories than the code, are left out.
#pragma once

#include <optional>
#include <vector>

#include "models/quadratic/quadratic_model.hpp"
#include "optim/encoding.hpp"
#include "optim/vbo/critics/critic.hpp"
#include "optim/vbo/critics/local_coordinates.hpp"
#include "optim/vbo/critics/outcome_scale.hpp"

namespace vbo {

// Immutable once fitted: may be shared between threads.
class LocalQuadratic {
 public:
  // Learns the results with these indices. Nothing where they are too few, or do not span the
  // space.
  static std::optional<LocalQuadratic> fit(const Encoding& encoding, const Archive& results,
                                           ConstVectorRef around, std::vector<int> indices);

  // Predicted outcomes (q) at codes X (D,q), and their derivative (D,q) where `slope` is not null.
  Vector mean(ConstMatrixRef X, Matrix* slope = nullptr) const;
  // Deviation of a new result there (q).
  Vector deviation(ConstMatrixRef X) const;
  // Root-mean-square distance from `around`, in deviations of the results it was fitted to (q).
  Vector distance(ConstMatrixRef X) const;
  // The code around which it was fitted, with the numeric part where the prediction is highest
  // inside the box and the region of the results it was fitted to.
  Vector optimum() const;

 private:
  LocalQuadratic(std::vector<Eigen::Index> coordinates, Vector around, Matrix whitening,
                 QuadraticModel model, double best, double good_gap, double mean_weight);
  Matrix whitened(ConstMatrixRef X) const;  // (Dn,q)

  std::vector<Eigen::Index> coordinates_;  // of the numeric parameters in a code
  Vector around_;                          // (D)
  Matrix whitening_;                       // (Dn,Dn): results have unit second moments after it
  QuadraticModel model_;                   // of outcomes minus best_
  double best_;
  double good_gap_;  // to the best result, with which a result counts a fourth
  double mean_weight_;
};

// The member of the panel: fitted to the results nearest to the local search, with the categories
// of the best one. Not thread-safe.
class QuadraticCritic final : public Critic {
 public:
  // All outlive it; `scale` is the panel's of the round.
  QuadraticCritic(const Encoding& encoding, const LocalCoordinates& coordinates,
                  const OutcomeScale& scale)
      : encoding_(encoding), coordinates_(coordinates), scale_(scale) {}

  std::string_view name() const override { return "quadratic"; }
  Learning learning(const Archive& archive, const Replay& replay, std::int64_t round) override;
  bool is_fitted() const override { return model_.has_value(); }
  std::vector<bool> covers(ConstMatrixRef X) const override;
  Matrix predict(const OutcomeLevels& levels, ConstMatrixRef X, int threads) const override;
  Vector mean(ConstMatrixRef X, int threads, Matrix* slope) const override;

  void write(StateWriter&) const override {}
  void read(StateReader&) override {}

 private:
  const Encoding& encoding_;
  const LocalCoordinates& coordinates_;
  const OutcomeScale& scale_;
  std::optional<LocalQuadratic> model_;
  Vector categories_;  // a code with those of the results it was fitted to
};

// At most `count` different optima of quadratic models around the best result, each fitted to a
// neighbourhood of another size: small ones are exact, large ones see far. `turn` chooses the sizes
// where there are more than `count`. The search's coordinates give the metric in which results are
// near.
std::vector<Vector> quadratic_optima(const Encoding& encoding, const Archive& results,
                                     const LocalCoordinates::Neighbourhood& search, int count,
                                     std::uint64_t turn);

}  // namespace vbo
