// SPDX-License-Identifier: MIT
// Bayesian optimization with a Gaussian process: gp-logei, gp-ei, gp-ucb, gp-ts.
#pragma once

#include "models/gp/gp.hpp"
#include "optim/surrogate/surrogate.hpp"

namespace vbo {

struct GpModelOptions {
  enum class Prior { dimension_scaled, botorch, gamma };
  enum class Categories { hamming, one_hot };

  Shape kernel = Shape::matern52;
  Prior prior = Prior::dimension_scaled;
  Categories categories = Categories::hamming;  // one length-scale per category, or one per choice
  bool output_scale = true;  // learn the prior variance, else 1 (of standardized values)
};
void bind(OptionBinder& binder, GpModelOptions& options);
GpOptions gp_options(const Encoding& encoding, const GpModelOptions& options);

struct GpMethodOptions {
  SurrogateOptions surrogate;
  GpModelOptions model;
};
void bind(OptionBinder& binder, GpMethodOptions& options);
GpMethodOptions gp_method(Acquisition acquisition);  // the defaults of gp-<acquisition>

class GpMethod final : public SurrogateOptimizer {
 public:
  GpMethod(const Space& space, const OptimizerOptions& common, const GpMethodOptions& options);
  const Ledger& ledger() const override { return declared(); }
  static const Ledger& declared();
};

}  // namespace vbo
