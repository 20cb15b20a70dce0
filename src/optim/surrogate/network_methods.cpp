// SPDX-License-Identifier: MIT
#include "optim/surrogate/network_methods.hpp"

#include "models/ledger.hpp"
#include "optim/surrogate/ledger.hpp"

namespace vbo {

void bind(OptionBinder& b, IbnnMethodOptions& o) {
  bind(b, o.surrogate);
  b.choice("unit", o.unit, {{"relu", NetworkUnit::relu}, {"erf", NetworkUnit::erf}},
           "activation of the infinitely wide network");
  b.integer("depth", o.depth, 0, 50, "hidden layers");
  b.number("weight_variance", o.weight_variance, 1e-6, 1e6, "prior variance of the weights");
  b.number("bias_variance", o.bias_variance, 0.0, 1e6, "prior variance of the biases");
}

IbnnMethod::IbnnMethod(const Space& space, const OptimizerOptions& common,
                       const IbnnMethodOptions& o)
    : SurrogateOptimizer(space, common, o.surrogate, [&](const Encoding&) {
        InfiniteBnnOptions model;
        model.kernel = {o.unit, static_cast<int>(o.depth), o.weight_variance, o.bias_variance};
        return std::make_unique<InfiniteBnn>(model);
      }) {}

void bind(OptionBinder& b, DklMethodOptions& o) {
  bind(b, o.surrogate);
  b.widths("hidden", o.hidden, 1, 4096, "widths of the feature network");
  b.integer("pretrain_steps", o.pretrain_steps, 0, 1000000, "Adam steps on the squared error");
  b.integer("train_steps", o.train_steps, 0, 1000000, "Adam steps on the likelihood");
  b.number("learning_rate", o.learning_rate, 1e-8, 1.0, "of Adam");
  b.flag("faithful_raw_y", o.faithful_raw_y,
         "train on unstandardized values, as the published code does");
}

DklMethod::DklMethod(const Space& space, const OptimizerOptions& common, const DklMethodOptions& o)
    : SurrogateOptimizer(space, common, o.surrogate, [&](const Encoding&) {
        DklOptions model;
        model.hidden.assign(o.hidden.begin(), o.hidden.end());
        model.pretrain_steps = static_cast<int>(o.pretrain_steps);
        model.train_steps = static_cast<int>(o.train_steps);
        model.learning_rate = o.learning_rate;
        model.faithful_raw_y = o.faithful_raw_y;
        return std::make_unique<DeepKernel>(std::move(model));
      }) {}

const Ledger& IbnnMethod::declared() {
  static const Ledger all = surrogate_ledger({kNoise});
  return all;
}

const Ledger& DklMethod::declared() {
  static const Ledger all = surrogate_ledger({kNoise});
  return all;
}

}  // namespace vbo
