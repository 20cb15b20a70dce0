// SPDX-License-Identifier: MIT
// The Gaussian process that takes the place of one term of the objective in the paper's ablations.
// It learns the same normal scores as the helper, from a bounded number of results: the best, and a
// sample of the others. Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>

#include "models/gp/gp.hpp"
#include "optim/encoding.hpp"
#include "optim/state_bytes.hpp"
#include "optim/vbo_paper/histories.hpp"
#include "optim/vbo_paper/options.hpp"

namespace vbo {

class GpReplacement {
 public:
  GpReplacement(const Encoding& encoding, const VboPaperGpOptions& options,
                const OptimizerOptions& common);

  GpTerm term() const { return options_.replaced; }
  // Fits to the results of a round; hyper-parameters continue from the last fit.
  void learn(const Histories& histories, std::int64_t round);
  // After read(): the last fit again, exactly.
  void learn_again(const Histories& histories, std::int64_t round);

  // REQUIRES: learn(). Of X (D,N): mu (N), and its mean's slope added to *dX (D,N).
  VectorOf<float> mean(nn::InputRef<float> X, MatrixOf<float>* dX) const;
  // sigma (N), and the slope of weight times its mean added to *dX.
  VectorOf<float> deviation(nn::InputRef<float> X, double weight, MatrixOf<float>* dX) const;

  void write(StateWriter& out) const;
  void read(StateReader& in);

 private:
  VboPaperGpOptions options_;
  GpOptions model_options_;
  std::uint64_t seed_;
  std::optional<GaussianProcess> model_;
  Vector state_before_fit_, state_;  // empty before the first fit
};

}  // namespace vbo
