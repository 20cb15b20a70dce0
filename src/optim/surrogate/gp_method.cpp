// SPDX-License-Identifier: MIT
#include "optim/surrogate/gp_method.hpp"

#include <cmath>
#include <utility>

#include "optim/surrogate/ledger.hpp"

namespace vbo {

void bind(OptionBinder& b, GpModelOptions& o) {
  b.choice("kernel", o.kernel, {{"matern52", Shape::matern52}, {"rbf", Shape::rbf}},
           "how rough the function is thought to be");
  b.choice("prior", o.prior,
           {{"dimension-scaled", GpModelOptions::Prior::dimension_scaled},
            {"botorch", GpModelOptions::Prior::botorch},
            {"gamma", GpModelOptions::Prior::gamma}},
           "hyper-priors: LogNormal growing with dimension, BoTorch's wider one, Gamma of Li et "
           "al. 2024");
  b.choice("categories", o.categories,
           {{"hamming", GpModelOptions::Categories::hamming},
            {"one-hot", GpModelOptions::Categories::one_hot}},
           "one length-scale per categorical parameter, or one per choice");
  b.flag("output_scale", o.output_scale, "learn the prior variance instead of fixing it at 1");
}

GpOptions gp_options(const Encoding& encoding, const GpModelOptions& options) {
  const Eigen::Index D = encoding.dimension();
  GpOptions gp = options.prior == GpModelOptions::Prior::gamma     ? GpOptions::gamma_priors(D)
                 : options.prior == GpModelOptions::Prior::botorch ? GpOptions::botorch(D)
                                                                   : GpOptions::standard(D);
  gp.kernel = options.kernel;
  if (!options.output_scale) gp.learn_variance = false;
  if (options.categories == GpModelOptions::Categories::hamming) {
    for (const Encoding::Block& block : encoding.blocks()) {
      if (block.width > 1) gp.tie(block.offset, block.width);
    }
    gp.scale_prior_to(gp.groups());
  }
  return gp;
}

void bind(OptionBinder& b, GpMethodOptions& o) {
  bind(b, o.surrogate);
  bind(b, o.model);
}

GpMethodOptions gp_method(Acquisition acquisition) {
  GpMethodOptions options;
  options.surrogate.acquisition = acquisition;
  options.surrogate.warp = SurrogateOptions::Outcomes::warped;
  // Four find no better points (research/log.md, "A Gaussian process one at a time").
  options.surrogate.restarts = 2;
  return options;
}

GpMethod::GpMethod(const Space& space, const OptimizerOptions& common,
                   const GpMethodOptions& options)
    : SurrogateOptimizer(space, common, options.surrogate, [&](const Encoding& encoding) {
        GpOptions gp = gp_options(encoding, options.model);
        gp.threads = common.threads;
        gp.keep_inverse = true;
        return std::make_unique<GaussianProcess>(std::move(gp));
      }) {}

const Ledger& GpMethod::declared() {
  static const Ledger all = surrogate_ledger({});
  return all;
}

}  // namespace vbo
