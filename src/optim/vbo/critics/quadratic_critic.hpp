// SPDX-License-Identifier: MIT
// A quadratic model of the results around a code, over the numeric parameters: what classical
// optimization uses near a smooth optimum, and more exact there than networks or a Gaussian process
// however ill-conditioned the function. Failed and infeasible results, and those with other
// categories than the code, are left out. Immutable once fitted: may be shared between threads.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "models/quadratic/quadratic_model.hpp"
#include "optim/encoding.hpp"
#include "optim/vbo/actors/gaussian_actor.hpp"
#include "optim/vbo/archive.hpp"

namespace vbo {

class QuadraticCritic {
 public:
  // Learns the results with these indices. Nothing where they are too few, or do not span the
  // space.
  static std::optional<QuadraticCritic> fit(const Encoding& encoding, const Archive& results,
                                            ConstVectorRef around, std::vector<int> indices);
  // ... the results nearest to the mean of a search.
  static std::optional<QuadraticCritic> fit_near(const Encoding& encoding, const Archive& results,
                                                 const GaussianActor& search);

  Vector mean(ConstMatrixRef X) const;  // predicted outcomes (q) at codes X (D,q)
  // The code around which it was fitted, with the numeric part where the prediction is highest
  // inside the box and the region of the results it was fitted to.
  Vector optimum() const;

 private:
  QuadraticCritic(std::vector<Eigen::Index> coordinates, Vector around, Matrix whitening,
                  QuadraticModel model);

  std::vector<Eigen::Index> coordinates_;  // of the numeric parameters in a code
  Vector around_;                          // (D)
  Matrix whitening_;                       // (Dn,Dn): results have unit second moments after it
  QuadraticModel model_;
};

// At most `count` different optima of quadratic models around the best result, each fitted to a
// neighbourhood of another size: small ones are exact, large ones see far. `turn` chooses the sizes
// where there are more than `count`. `search` gives the metric in which results are near.
std::vector<Vector> quadratic_optima(const Encoding& encoding, const Archive& results,
                                     const GaussianActor& search, int count, std::uint64_t turn);

}  // namespace vbo
