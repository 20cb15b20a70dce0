// SPDX-License-Identifier: MIT
// Hamiltonian Monte Carlo with unit mass on any differentiable log-density: leapfrog trajectories,
// Metropolis correction, step size by dual averaging during burn-in ([Neal2011], "MCMC using
// Hamiltonian dynamics"). A trajectory whose energy is not finite, or off by more than 1000, is
// rejected and counted as a divergence; the chain itself is always finite. No state: thread-safe.
#pragma once

#include <functional>

#include "numerics/linalg.hpp"
#include "vbo/random.hpp"

namespace vbo {

// log p(theta) up to a constant; writes d log p / d theta (W). May return or write non-finite
// values where the density cannot be evaluated.
using LogDensity = std::function<double(ConstVectorRef theta, VectorRef gradient)>;

struct PhasePoint {
  Vector theta;     // (W)
  Vector momentum;  // (W)
  Vector gradient;  // (W) of log p at theta
  double log_density = 0.0;
};

// `steps` times: m += e/2 g;  theta += e m;  g = grad log p(theta);  m += e/2 g.
// Volume-preserving and reversible (negate the momentum and repeat) for any function `density`
// computes as its gradient, also one rounded to float. Stops early at a non-finite density.
void leapfrog(const LogDensity& density, double step, int steps, PhasePoint& point);

struct HmcOptions {
  int samples = 500;        // >= 1, kept after burn-in, one per trajectory, rejected ones repeated
  int burn_in = 500;        // >= 0 trajectories before, in which the step size adapts
  double step_size = 0.02;  // > 0, initial; dual averaging first tries ten times as much
  double path_length = 0.01;  // > 0, of a trajectory: ceil(path/step) leapfrog steps
  bool adapt = true;          // dual averaging during burn-in
  int max_leapfrog = 200;     // >= 1; where path/step exceeds it, burn-in halves the path
};

struct HmcSummary {
  double acceptance = 0.0;  // mean acceptance probability after burn-in
  double step_size = 0.0;   // used after burn-in
  double path_length = 0.0;
  int divergences = 0;  // after burn-in
  int gradients = 0;    // evaluations of the density, burn-in included
  bool moved = false;   // any trajectory accepted after burn-in
};

// One chain from `start` (W), where the density must be finite (else nothing moves and every
// sample is `start`). Calls on_sample(theta, log_density) once per kept sample.
HmcSummary run_hmc(const LogDensity& density, ConstVectorRef start, const HmcOptions& options,
                   Rng rng, const std::function<void(const Vector&, double)>& on_sample);

}  // namespace vbo
