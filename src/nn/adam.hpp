// SPDX-License-Identifier: MIT
// Adam (Kingma and Ba 2015) on a flat parameter array, with the AMSGrad variant (Reddi et al. 2018)
// and L2 decay added to the gradient; gradient-norm clipping; the cosine schedule. Not thread-safe.
#pragma once

#include <cstdint>
#include <span>

#include "numerics/linalg.hpp"
#include "vbo/error.hpp"

namespace vbo::nn {

struct AdamOptions {
  double learning_rate = 1e-3;  // > 0
  double beta1 = 0.9;           // in [0,1): memory of the mean
  double beta2 = 0.999;         // in [0,1): memory of the second moment
  double epsilon = 1e-8;        // > 0: floor of the denominator
  double weight_decay = 0.0;    // >= 0: gradient + weight_decay * parameters
  bool amsgrad = false;         // divide by the largest second moment seen

  Result<void> validate() const;
};

//   m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2) g^2
//   theta -= rate (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon)
// With amsgrad the largest v so far takes the place of v in the denominator.
template <class T>
class Adam {
 public:
  Adam() = default;
  explicit Adam(std::int64_t parameters, AdamOptions options = {});  // REQUIRES: valid options

  void step(std::span<T> parameters, std::span<const T> gradient);
  void set_learning_rate(double rate) { options_.learning_rate = rate; }
  void reset();  // forgets the moments, as if new

  const AdamOptions& options() const { return options_; }
  std::int64_t steps() const { return steps_; }

  // The state besides the options: steps taken, m, v and (AMSGrad only) the largest v.
  const VectorOf<T>& mean() const { return m_; }
  const VectorOf<T>& second_moment() const { return v_; }
  const VectorOf<T>& largest_second_moment() const { return v_max_; }
  // REQUIRES: valid options with the same amsgrad; sizes as they are.
  void restore(const AdamOptions& options, std::int64_t steps, std::span<const T> m,
               std::span<const T> v, std::span<const T> v_max);

 private:
  AdamOptions options_;
  VectorOf<T> m_, v_, v_max_;
  std::int64_t steps_ = 0;
};

// Whether m and v can be moments of the same gradients: as large as such are at most, and no mean
// far above the root of its second moment, which would make a step of any length.
template <class T>
bool are_moments(std::span<const T> m, std::span<const T> v);

// Scales `gradient` to Euclidean norm `limit` if it is longer; returns the norm it had. A gradient
// whose norm is not finite becomes zero, so that one bad batch cannot ruin the parameters.
template <class T>
double clip_norm(std::span<T> gradient, double limit);

// rate/2 (1 + cos(pi step/total)): from `rate` at step 0 to zero at `total`, and zero after it.
double cosine_rate(double rate, std::int64_t step, std::int64_t total);

}  // namespace vbo::nn
