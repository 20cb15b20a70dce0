// SPDX-License-Identifier: MIT
// Bayesian optimization with kernels made of networks: ibnn and dkl.
#pragma once

#include "models/dkl/dkl.hpp"
#include "models/ibnn/infinite_bnn.hpp"
#include "optim/surrogate/surrogate.hpp"

namespace vbo {

struct IbnnMethodOptions {
  SurrogateOptions surrogate;
  NetworkUnit unit = NetworkUnit::relu;
  std::int64_t depth = 3;
  double weight_variance = 10.0;
  double bias_variance = 1.3;
};
void bind(OptionBinder& binder, IbnnMethodOptions& options);

class IbnnMethod final : public SurrogateOptimizer {
 public:
  IbnnMethod(const Space& space, const OptimizerOptions& common, const IbnnMethodOptions& options);
  const Ledger& ledger() const override { return declared(); }
  static const Ledger& declared();
};

struct DklMethodOptions {
  SurrogateOptions surrogate{.max_points = 256};
  std::vector<std::int64_t> hidden = {64, 64};
  std::int64_t pretrain_steps = 300;
  std::int64_t train_steps = 300;
  double learning_rate = 1e-2;
  bool faithful_raw_y = false;
};
void bind(OptionBinder& binder, DklMethodOptions& options);

class DklMethod final : public SurrogateOptimizer {
 public:
  DklMethod(const Space& space, const OptimizerOptions& common, const DklMethodOptions& options);
  const Ledger& ledger() const override { return declared(); }
  static const Ledger& declared();
};

}  // namespace vbo
