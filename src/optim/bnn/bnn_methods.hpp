// SPDX-License-Identifier: MIT
// Bayesian optimization with Bayesian neural networks: hmc, sghmc, laplace. Each is the surrogate
// optimizer with one of the models of models/{hmc,sghmc,laplace}. A preset fills in all options at
// once; options given beside it take precedence.
#pragma once

#include "optim/bnn/presets.hpp"
#include "optim/surrogate/surrogate.hpp"

namespace vbo {

// The acquisition and its search that go with a preset: for a task those of [Li2024] (qEI of 128
// draws over the whole batch at once, 2 restarts out of 16, 10 steps), for "auto" ours.
SurrogateOptions bnn_search(BnnPreset preset);

struct HmcMethodOptions {
  BnnPreset preset = BnnPreset::automatic;
  SurrogateOptions surrogate = bnn_search(BnnPreset::automatic);
  HmcBnnOptions model = hmc_preset(BnnPreset::automatic);
};
struct SghmcMethodOptions {
  BnnPreset preset = BnnPreset::automatic;
  SurrogateOptions surrogate = bnn_search(BnnPreset::automatic);
  SghmcBnnOptions model = sghmc_preset(BnnPreset::automatic);
};
struct LaplaceMethodOptions {
  BnnPreset preset = BnnPreset::automatic;
  SurrogateOptions surrogate = bnn_search(BnnPreset::automatic);
  LaplaceBnnOptions model = laplace_preset(BnnPreset::automatic);
};
void bind(OptionBinder& binder, HmcMethodOptions& options);
void bind(OptionBinder& binder, SghmcMethodOptions& options);
void bind(OptionBinder& binder, LaplaceMethodOptions& options);

class HmcMethod final : public SurrogateOptimizer {
 public:
  HmcMethod(const Space& space, const OptimizerOptions& common, const HmcMethodOptions& options);
  const Ledger& ledger() const override { return declared(); }
  static const Ledger& declared();
};
class SghmcMethod final : public SurrogateOptimizer {
 public:
  SghmcMethod(const Space& space, const OptimizerOptions& common,
              const SghmcMethodOptions& options);
  const Ledger& ledger() const override { return declared(); }
  static const Ledger& declared();
};
class LaplaceMethod final : public SurrogateOptimizer {
 public:
  LaplaceMethod(const Space& space, const OptimizerOptions& common,
                const LaplaceMethodOptions& options);
  const Ledger& ledger() const override { return declared(); }
  static const Ledger& declared();
};

}  // namespace vbo
