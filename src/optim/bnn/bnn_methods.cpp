// SPDX-License-Identifier: MIT
#include "optim/bnn/bnn_methods.hpp"

#include <limits>

#include "models/ledger.hpp"
#include "optim/surrogate/ledger.hpp"

namespace vbo {
namespace {

void bind_preset(OptionBinder& b, BnnPreset& preset) {
  b.choice("preset", preset, bnn_presets(),
           "all settings at once: ours, or those published for a task");
}

void bind_count(OptionBinder& b, std::string_view name, int& field, int low, int high,
                std::string_view summary) {
  std::int64_t value = field;
  b.integer(name, value, low, high, summary);
  field = static_cast<int>(value);
}

void bind_network(OptionBinder& b, NetworkOptions& o) {
  b.widths("widths", o.widths, 1, 4096, "hidden layers; cost is their products");
  b.choice("activation", o.activation,
           {{"tanh", nn::Activation::tanh}, {"relu", nn::Activation::relu}},
           "of the hidden layers");
}

void bind_precision(OptionBinder& b, bool& single, std::string_view summary) {
  b.choice("precision", single, {{"float", true}, {"double", false}}, summary);
}

constexpr double huge = std::numeric_limits<double>::max();

}  // namespace

SurrogateOptions bnn_search(BnnPreset preset) {
  SurrogateOptions o;
  o.refit_growth = 0.0;  // these models cannot condition on new results without a fit
  if (preset == BnnPreset::automatic) {
    // One network per point: as good as expected improvement on small problems, and the only rule
    // whose cost hardly grows with the batch.
    o.acquisition = Acquisition::thompson;
    o.max_points = 512;
    return o;
  }
  o.acquisition = Acquisition::q_ei;
  o.batch = SurrogateOptions::Batch::joint;
  o.samples = 128;
  o.restarts = 2;
  o.raw_samples = 16;
  o.iterations = 10;
  o.local_starts = false;
  o.max_points = 20000;
  return o;
}

void bind(OptionBinder& b, HmcMethodOptions& o) {
  bind_preset(b, o.preset);
  o.surrogate = bnn_search(o.preset);
  o.model = hmc_preset(o.preset);
  bind(b, o.surrogate);
  bind_network(b, o.model.network);
  b.number("noise_variance", o.model.noise_variance, 1e-12, huge,
           "of the observations, in standardized units; see noise_as_deviation");
  b.number("prior_variance", o.model.prior_variance, 1e-12, huge, "of every weight");
  b.flag("noise_as_deviation", o.model.noise_as_deviation,
         "use noise_variance as a standard deviation, as the published code does");
  bind_count(b, "chains", o.model.chains, 1, 64, "run over threads; cost is proportional");
  bind_count(b, "chain_samples", o.model.sampler.samples, 1, 100000, "per chain, after burn-in");
  bind_count(b, "burn_in", o.model.sampler.burn_in, 0, 100000, "trajectories that tune the step");
  b.number("step_size", o.model.sampler.step_size, 1e-6, 1.0, "of the integrator, at first");
  b.number("path_length", o.model.sampler.path_length, 1e-6, 1e3, "of a trajectory");
  b.flag("adapt", o.model.sampler.adapt, "tune the step size during burn-in");
  bind_count(b, "max_leapfrog", o.model.sampler.max_leapfrog, 1, 10000,
             "gradients per trajectory at most: the budget of a fit");
  bind_count(b, "pretrain", o.model.pretrain_steps, 0, 1000000, "Adam steps before sampling");
  b.integer("members", o.model.members, 0, 100000,
            "networks kept for predictions, evenly spaced; 0 = all");
  bind_precision(b, o.model.single_precision, "of the networks while sampling");
}

void bind(OptionBinder& b, SghmcMethodOptions& o) {
  bind_preset(b, o.preset);
  o.surrogate = bnn_search(o.preset);
  o.surrogate.max_points = 20000;  // work does not grow with the data
  o.model = sghmc_preset(o.preset);
  bind(b, o.surrogate);
  bind_network(b, o.model.network);
  b.number("prior_variance", o.model.prior_variance, 1e-12, huge, "of every weight");
  b.flag("weak_prior", o.model.weak_prior,
         "divide the prior by the number of weights, as the published code does");
  b.number("noise_start", o.model.noise_start, 1e-12, 1.0, "first noise variance; it is learnt");
  b.number("step_size", o.model.sampler.step_size, 1e-6, 1.0, "of the sampler");
  b.number("friction", o.model.sampler.friction, 1e-4, 1.0, "share of momentum lost per step");
  bind_count(b, "steps", o.model.steps, 1, 10000000, "per chain");
  bind_count(b, "burn_in", o.model.burn_in, 0, 10000000, "steps that tune the preconditioner");
  bind_count(b, "thin", o.model.thin, 1, 10000, "steps between kept networks");
  bind_count(b, "minibatch", o.model.batch, 1, 100000, "data per gradient");
  bind_count(b, "chains", o.model.chains, 1, 64, "run over threads; cost is proportional");
}

void bind(OptionBinder& b, LaplaceMethodOptions& o) {
  bind_preset(b, o.preset);
  o.surrogate = bnn_search(o.preset);
  o.model = laplace_preset(o.preset);
  if (o.preset == BnnPreset::automatic) o.surrogate.max_points = 1000;
  bind(b, o.surrogate);
  bind_network(b, o.model.network);
  b.number("noise_variance", o.model.noise_variance, 1e-12, huge, "of the observations");
  b.choice("curvature", o.model.curvature,
           {{"kfac", CurvatureKind::kfac}, {"function-space", CurvatureKind::function_space}},
           "Kronecker factors, or exact at a cost cubic in the data");
  bind_count(b, "steps", o.model.steps, 1, 1000000, "of Adam on all data");
  b.number("learning_rate", o.model.learning_rate, 1e-6, 10.0, "annealed to zero");
  b.number("weight_decay", o.model.weight_decay, 0.0, 10.0, "while training");
  bind_count(b, "prior_steps", o.model.prior_steps, 0, 100000,
             "Adam steps that fit the prior precision to the marginal likelihood");
  bind_precision(b, o.model.single_precision, "of the network while training");
}

HmcMethod::HmcMethod(const Space& space, const OptimizerOptions& common,
                     const HmcMethodOptions& options)
    : SurrogateOptimizer(space, common, options.surrogate, [&](const Encoding&) {
        HmcBnnOptions model = options.model;
        model.threads = common.threads;
        return std::make_unique<HmcBnn>(std::move(model));
      }) {}

SghmcMethod::SghmcMethod(const Space& space, const OptimizerOptions& common,
                         const SghmcMethodOptions& options)
    : SurrogateOptimizer(space, common, options.surrogate, [&](const Encoding&) {
        SghmcBnnOptions model = options.model;
        model.threads = common.threads;
        return std::make_unique<SghmcBnn>(std::move(model));
      }) {}

LaplaceMethod::LaplaceMethod(const Space& space, const OptimizerOptions& common,
                             const LaplaceMethodOptions& options)
    : SurrogateOptimizer(space, common, options.surrogate, [&](const Encoding&) {
        LaplaceBnnOptions model = options.model;
        model.threads = common.threads;
        return std::make_unique<LaplaceBnn>(std::move(model));
      }) {}

const Ledger& HmcMethod::declared() {
  static const Ledger all = surrogate_ledger(
      {kAcceptance, kEffectiveSamples, kRHat, kDivergences, kStepSize, kGradients});
  return all;
}

const Ledger& SghmcMethod::declared() {
  static const Ledger all =
      surrogate_ledger({kEffectiveSamples, kRHat, kDivergences, kNoiseDeviation});
  return all;
}

const Ledger& LaplaceMethod::declared() {
  static const Ledger all = surrogate_ledger({kLogEvidence, kPriorPrecision, kTrainingError});
  return all;
}

}  // namespace vbo
