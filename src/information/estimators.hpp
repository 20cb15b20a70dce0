// SPDX-License-Identifier: MIT
// Mutual information from the scores of a critic, in nats, each estimator with its gradient and
// with the ceiling its value cannot pass. Scores come in one of two forms:
//   square     T (B,B), T_ij = T(x_i, y_j): the diagonal holds the true pairs, the rest pairs an x
//              with the y of another sample;
//   separated  t (N), t_i = T(x_i, y_i), and R (N,M), R_ij = T(x_i, y_j) with y_j drawn from the
//              marginal.
// Logarithms of means of exponentials are shifted by the maximum and never overflow.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "numerics/linalg.hpp"

namespace vbo {

// LME = log mean exp, sp = softplus. "refs" are the pairs taken for the product of marginals: all
// B^2 in the square form of dv, infonce and self_normalized (which puts the ceiling ln B on them),
// the pairs i != j for the others, all of R in the separated form.
enum class Estimator {
  dv,               // mean t - LME_refs T                        Donsker and Varadhan 1983
  dv_offdiagonal,   // the same, without the diagonal: no ceiling, no guaranteed bound at finite B
  dv_shuffled,      // the same, over the pairs (i, i+1 mod B) only
  mine,             // value as dv_offdiagonal; gradient with a moving average of mean e^T in place
                    // of the batch's, against its bias            Belghazi et al. 2018
  nwj,              // mean t - e^{-1} mean_refs e^T              Nguyen, Wainwright, Jordan 2010
  infonce,          // mean_i [t_i - LME_j T_ij]                  van den Oord et al. 2018
  js,               // -mean sp(-t) - mean_refs sp(T): for training; not an information in itself
  smile,            // mean t - LME_refs clamp(T, -clip, clip), gradient of js  Song, Ermon 2020
  self_normalized,  // mean_i [t_i - LME_j T_ij], the critic normalized for each x: never below dv.
                    // On a square it is infonce; separated it has no ceiling of its own
};

std::string_view to_string(Estimator estimator);  // "dv-offdiag", ...
std::optional<Estimator> estimator_from(std::string_view name);
std::span<const Estimator> all_estimators();

struct EstimatorOptions {
  double clip = 5.0;   // smile: > 0, the tau of the paper; smaller = less variance, more bias
  double rate = 0.01;  // mine: weight of the newest batch in the moving average, in (0,1]
};

struct InformationValue {
  double nats = 0.0;
  double ceiling = 0.0;  // +inf where there is none
};

// One estimator with its state (only mine has any: the moving average, updated by calls that ask
// for a gradient). T is float or double. Not thread-safe.
template <class T>
class ScoreEstimator {
 public:
  explicit ScoreEstimator(Estimator estimator, EstimatorOptions options = {})
      : estimator_(estimator), options_(options) {}

  // Square form; gradient (B,B) = d nats / dT is resized and overwritten. B = 1 has no pairs i !=
  // j: estimators that need them give NaN and a zero gradient.
  InformationValue evaluate(const Eigen::Ref<const MatrixOf<T>>& scores,
                            MatrixOf<T>* gradient = nullptr);

  // Separated form; infonce adds the true pair to the M references (ceiling ln(M+1)).
  InformationValue evaluate(const Eigen::Ref<const VectorOf<T>>& joint,
                            const Eigen::Ref<const MatrixOf<T>>& references,
                            VectorOf<T>* joint_gradient = nullptr,
                            MatrixOf<T>* reference_gradient = nullptr);

  Estimator estimator() const { return estimator_; }

 private:
  enum class Pairs { all, off_diagonal };
  // The common core: fills joint_gradient_ and the reference gradient, where asked.
  double evaluate_pairs(const Eigen::Ref<const VectorOf<T>>& joint,
                        const Eigen::Ref<const MatrixOf<T>>& references, Pairs pairs,
                        MatrixOf<T>* reference_gradient);
  double partition(const Eigen::Ref<const MatrixOf<T>>& references, Pairs pairs,
                   MatrixOf<T>* reference_gradient);
  double jensen_shannon(const Eigen::Ref<const VectorOf<T>>& joint,
                        const Eigen::Ref<const MatrixOf<T>>& references, Pairs pairs,
                        MatrixOf<T>* reference_gradient);
  double normalized_rows(const Eigen::Ref<const VectorOf<T>>& joint,
                         const Eigen::Ref<const MatrixOf<T>>& references, bool with_joint,
                         MatrixOf<T>* reference_gradient);

  Estimator estimator_;
  EstimatorOptions options_;
  std::optional<double> log_average_;  // mine: log of the moving average of mean e^T
  VectorOf<T> joint_gradient_;         // (N)
  // Scratch, so that repeated calls of one shape allocate nothing.
  VectorOf<T> diagonal_, row_maximum_;      // (N)
  MatrixOf<T> exponentials_;                // (N,M)
  MatrixOf<T> shifted_, shifted_gradient_;  // (N,1)
};

}  // namespace vbo
