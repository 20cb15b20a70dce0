// SPDX-License-Identifier: MIT
#include "models/hmc/hmc_bnn.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "models/bnn/diagnostics.hpp"
#include "models/bnn/squared_error.hpp"
#include "models/ledger.hpp"
#include "models/standardize.hpp"
#include "numerics/parallel.hpp"

namespace vbo {
namespace {

// log p(theta | X, y) = -SSE/(2 s^2) - n log(s sqrt(2 pi)) - |theta|^2/(2 v)
template <class T>
LogDensity log_posterior(SquaredError<T>& error, double s, double v) {
  const auto n = static_cast<double>(error.data());
  const double constant = -n * std::log(s * std::sqrt(2.0 * std::numbers::pi));
  return [&error, s, v, constant](ConstVectorRef theta, VectorRef gradient) {
    const double sse = error(theta, gradient);
    gradient *= -0.5 / (s * s);
    gradient -= theta / v;
    return constant - 0.5 * sse / (s * s) - 0.5 * theta.squaredNorm() / v;
  };
}

struct HmcChain {
  HmcSummary summary;
  Matrix traces;   // (S, 1 + probes): log-density, predictions
  Matrix members;  // (W, kept)
};

// Keeps `kept` of `samples` at even distances, the last one among them.
bool is_kept(Eigen::Index sample, Eigen::Index samples, Eigen::Index kept) {
  return (sample + 1) * kept / samples > sample * kept / samples;
}

template <class T>
HmcChain run_chain(const HmcBnnOptions& options, const nn::MlpShape& shape, const Matrix& X,
                   const Vector& y, double s, Eigen::Index kept, int threads, Rng rng) {
  SquaredError<T> error(shape, X, y, threads);
  const LogDensity density = log_posterior(error, s, options.prior_variance);
  Vector theta = random_weights(shape, rng);
  const LossGradient loss = [&](ConstVectorRef at, VectorRef gradient) {
    const double value = density(at, gradient);
    gradient = -gradient;
    return -value;
  };
  minimize_by_adam(loss, {.learning_rate = options.pretrain_rate, .steps = options.pretrain_steps},
                   theta);

  HmcChain chain;
  const Eigen::Index samples = options.sampler.samples;
  const Matrix watched = probe_points(X, y);
  chain.traces.resize(samples, 1 + watched.cols());
  chain.members.resize(shape.parameters(), kept);
  Eigen::Index sample = 0, next = 0;
  nn::MlpWorkspace<double> work;
  Matrix at_probes(1, watched.cols());
  chain.summary =
      run_hmc(density, theta, options.sampler, rng, [&](const Vector& draw, double log_density) {
        nn::predict<double>(shape, draw.data(), watched, work, at_probes);
        chain.traces(sample, 0) = log_density;
        chain.traces.row(sample).tail(watched.cols()) = at_probes;
        if (is_kept(sample, samples, kept)) chain.members.col(next++) = draw;
        ++sample;
      });
  chain.summary.gradients += options.pretrain_steps;
  return chain;
}

HmcDiagnostics diagnose(const std::vector<HmcChain>& chains) {
  HmcDiagnostics d;
  const auto count = static_cast<double>(chains.size());
  std::vector<Matrix> traces;
  for (const HmcChain& chain : chains) {
    d.acceptance += chain.summary.acceptance / count;
    d.step_size += chain.summary.step_size / count;
    d.divergences += chain.summary.divergences;
    d.gradients += chain.summary.gradients;
    d.stuck_chains += !chain.summary.moved;
    traces.push_back(chain.traces);
  }
  const TraceSummary worst = summarize(traces);
  d.effective_samples = worst.effective_samples;
  d.r_hat = worst.r_hat;
  return d;
}

}  // namespace

FitReport HmcBnn::fit(ConstMatrixRef X, ConstVectorRef y, Rng rng) {
  const Standardize unit = options_.standardize ? Standardize::of(y) : Standardize{};
  const Vector targets = unit.apply(y);
  const double s =
      options_.noise_as_deviation ? options_.noise_variance : std::sqrt(options_.noise_variance);

  const nn::MlpShape shape = network_shape(options_.network, X.rows());
  const Eigen::Index chain_count = options_.chains, samples = options_.sampler.samples;
  const Eigen::Index all = chain_count * samples;
  const Eigen::Index wanted =
      options_.members > 0 ? std::min<Eigen::Index>(options_.members, all) : all;
  const Eigen::Index kept = std::clamp<Eigen::Index>(wanted / chain_count, 1, samples);

  // One chain: threads share its gradients. Several: each has a thread of its own.
  std::vector<HmcChain> chains(static_cast<std::size_t>(chain_count));
  const std::uint64_t key = rng();
  parallel_for(options_.threads, options_.chains, [&](int c) {
    const Rng stream(key, "hmc-chain", static_cast<std::uint64_t>(c));
    chains[static_cast<std::size_t>(c)] =
        options_.single_precision
            ? run_chain<float>(options_, shape, X, targets, s, kept, options_.threads, stream)
            : run_chain<double>(options_, shape, X, targets, s, kept, options_.threads, stream);
  });

  diagnostics_ = diagnose(chains);
  // A chain that never moved is one point of the posterior among many: it is used only when there
  // is nothing else.
  const bool any_moved = diagnostics_.stuck_chains < chain_count;
  std::vector<const Matrix*> parts;
  for (const HmcChain& chain : chains) {
    if (chain.summary.moved || !any_moved) parts.push_back(&chain.members);
  }
  Matrix members(shape.parameters(), kept * static_cast<Eigen::Index>(parts.size()));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    members.middleCols(static_cast<Eigen::Index>(i) * kept, kept) = *parts[i];
  }
  ensemble_ = {shape, std::move(members), {}, {}, unit.offset, unit.scale, options_.threads};
  noise_variance_ = s * s * unit.scale * unit.scale;

  FitReport report;
  report.values = {kAcceptance.of(diagnostics_.acceptance),
                   kEffectiveSamples.of(diagnostics_.effective_samples),
                   kRHat.of(diagnostics_.r_hat),
                   kDivergences.of(static_cast<double>(diagnostics_.divergences)),
                   kStepSize.of(diagnostics_.step_size),
                   kGradients.of(static_cast<double>(diagnostics_.gradients))};
  report.iterations = static_cast<int>(diagnostics_.gradients);
  report.status =
      diagnostics_.r_hat < 1.1 ? FitReport::Status::converged : FitReport::Status::stopped;
  if (diagnostics_.stuck_chains > 0) {
    report.message = std::to_string(diagnostics_.stuck_chains) + " of " +
                     std::to_string(chain_count) + " chains never moved";
    if (!any_moved) report.status = FitReport::Status::fallback;
  }
  return report;
}

Matrix HmcBnn::sample_functions(ConstMatrixRef X, Eigen::Index S, bool with_noise, Rng rng) const {
  Matrix F = ensemble_.sample(X, S, rng);
  if (with_noise) {
    for (double& f : F.reshaped()) f += std::sqrt(noise_variance_) * rng.normal();
  }
  return F;
}

}  // namespace vbo
