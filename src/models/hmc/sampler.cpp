// SPDX-License-Identifier: MIT
#include "models/hmc/sampler.hpp"

#include <algorithm>
#include <cmath>

#include "models/bnn/normals.hpp"
#include "models/hmc/dual_averaging.hpp"
#include "numerics/flops.hpp"

namespace vbo {
namespace {

// Energy errors beyond this mean that the trajectory left the region where the integrator follows
// the dynamics; the value used by Stan.
constexpr double divergent_energy = 1000.0;

double kinetic_energy(const Vector& momentum) { return 0.5 * momentum.squaredNorm(); }

}  // namespace

void leapfrog(const LogDensity& density, double step, int steps, PhasePoint& point) {
  for (int i = 0; i < steps; ++i) {
    point.momentum += 0.5 * step * point.gradient;
    point.theta += step * point.momentum;
    point.log_density = density(point.theta, point.gradient);
    if (!std::isfinite(point.log_density)) return;
    point.momentum += 0.5 * step * point.gradient;
    flops::add(6 * static_cast<std::uint64_t>(point.theta.size()));
  }
}

HmcSummary run_hmc(const LogDensity& density, ConstVectorRef start, const HmcOptions& options,
                   Rng rng, const std::function<void(const Vector&, double)>& on_sample) {
  HmcSummary summary;
  PhasePoint current{start, Vector::Zero(start.size()), Vector(start.size()), 0.0};
  current.log_density = density(current.theta, current.gradient);
  summary.gradients = 1;
  PhasePoint proposal = current;

  DualAveraging averaging(options.step_size);
  double step = options.step_size, path = options.path_length;
  double accepted = 0.0;
  for (int it = 0; it < options.burn_in + options.samples; ++it) {
    const bool burning = it < options.burn_in;
    const double wanted = std::ceil(path / step);
    const int steps =
        static_cast<int>(std::clamp(wanted, 1.0, static_cast<double>(options.max_leapfrog)));
    fill_normals(rng, current.momentum);
    proposal = current;
    leapfrog(density, step, steps, proposal);
    summary.gradients += steps;

    // Delta = H(current) - H(proposal); accepted with probability min(1, e^Delta).
    const double delta = kinetic_energy(current.momentum) - kinetic_energy(proposal.momentum) +
                         proposal.log_density - current.log_density;
    const bool finite = std::isfinite(delta) && proposal.gradient.allFinite();
    const double acceptance = finite ? std::min(1.0, std::exp(delta)) : 0.0;
    const double u = rng.uniform();
    if (u < acceptance) {
      std::swap(current, proposal);
      if (!burning) summary.moved = true;
    }
    if (burning && options.adapt) {
      step = averaging.update(acceptance);
      if (path / step > options.max_leapfrog) path /= 2.0;
      if (it + 1 == options.burn_in) step = averaging.averaged();
    }
    if (burning) continue;
    accepted += acceptance;
    if (!finite || delta < -divergent_energy) ++summary.divergences;
    on_sample(current.theta, current.log_density);
  }
  summary.acceptance = accepted / std::max(1, options.samples);
  summary.step_size = step;
  summary.path_length = path;
  return summary;
}

}  // namespace vbo
