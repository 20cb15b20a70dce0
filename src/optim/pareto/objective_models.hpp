// SPDX-License-Identifier: MIT
// A model per objective, all fitted to the same results: a Gaussian process, or a polynomial of
// degree two at most and a Gaussian process of what it leaves over, whichever is likelier. Outcomes
// are fitted as
//   v = (y - ideal) / width       the ideal is 0, the worst of the front -1
// unchanged between -2 and 1 and logarithmic beyond, so that values far from the front do not
// flatten what matters. All predictions are in these units. Const calls are thread-safe.
#pragma once

#include <vector>

#include "models/gp/gp.hpp"
#include "models/quadratic/quadratic_model.hpp"
#include "optim/objectives/trade_off.hpp"
#include "optim/state_bytes.hpp"

namespace vbo::pareto {

// How the values of each objective are fitted: v, bent where that suits a polynomial better.
struct Scaling {
  ObjectiveRanges ranges;
  std::vector<bool> bent;  // (M)

  // Of values Y (M,n) at X (D,n): bent where the residuals of a trend are likelier so.
  static Scaling of(const ObjectiveRanges& ranges, ConstMatrixRef X, ConstMatrixRef Y);
  Matrix outcomes(ConstMatrixRef Y) const;  // v of values Y (M,n)
  // Variances of v from the standard errors of values Y (M,n), to first order.
  Matrix variances(ConstMatrixRef Y, ConstMatrixRef errors) const;
};

// Standard coordinates of the data, for trends.
struct TrendCoordinates {
  Vector centre, scale;  // (D)

  static TrendCoordinates of_data(ConstMatrixRef X);
  Matrix of(ConstMatrixRef X) const;
};

class ObjectiveModels {
 public:
  ObjectiveModels(Eigen::Index objectives, GpOptions options, int threads);

  // Of what fit() and condition() are given next: (M,n) as V, or empty where none is known.
  void set_known_variances(Matrix variances) { known_ = std::move(variances); }
  // Learns hyper-parameters, starting from the last ones, and conditions on V (M,n) at X (D,n).
  void fit(ConstMatrixRef X, ConstMatrixRef V, std::uint64_t seed, std::uint64_t round);
  // Conditions on the same data with hyper-parameters that were read.
  bool condition(ConstMatrixRef X, ConstMatrixRef V);

  Eigen::Index objectives() const { return std::ssize(models_); }
  Matrix mean(ConstMatrixRef X) const;  // (M,q) at X (D,q)
  // Means and standard deviations (M,q).
  struct Prediction {
    Matrix mean, deviation;
  };
  Prediction predict(ConstMatrixRef X) const;
  // The scalarization of the mean at x (D) in these ranges, smoothed, and its derivative (D).
  double score(ConstVectorRef x, const ObjectiveRanges& ranges, ConstVectorRef weights,
               VectorRef slope) const;

  // The derivative (D) of what has the derivatives d_mean and d_deviation (M) by the prediction at
  // x (D).
  Vector pull_back(ConstVectorRef x, ConstVectorRef d_mean, ConstVectorRef d_deviation) const;
  // Also conditions on the means at X (D,k), as if they had been observed.
  void add_fantasies(ConstMatrixRef X);

  // Hyper-parameters.
  void write(StateWriter& out) const;
  void read(StateReader& in);

 private:
  struct State {
    Vector theta;       // of GaussianProcess::state()
    double mean = 0.0;  // of the process
  };
  struct Model {
    explicit Model(const GpOptions& options) : gp(options) {}
    GaussianProcess gp;
    std::optional<QuadraticModel> trend = {};
    State plain = {}, beside_trend = {};
    bool has_trend = false;  // which of the two is used
  };
  // Standard coordinates of X (D,n) for trends.
  Matrix local(ConstMatrixRef X) const { return coordinates_.of(X); }
  double fit_one(std::size_t m, bool with_trend, ConstMatrixRef X, ConstVectorRef v, Rng rng);
  bool place(std::size_t m, ConstMatrixRef X, ConstVectorRef v);
  Vector known(std::size_t m) const;

  GpOptions options_;
  int threads_;
  std::vector<Model> models_;
  Matrix known_;
  TrendCoordinates coordinates_;
};

}  // namespace vbo::pareto
