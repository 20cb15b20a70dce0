// SPDX-License-Identifier: MIT
#include "models/sghmc/sghmc_bnn.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "models/bnn/diagnostics.hpp"
#include "models/bnn/normals.hpp"
#include "models/ledger.hpp"
#include "models/standardize.hpp"
#include "numerics/flops.hpp"
#include "numerics/parallel.hpp"

namespace vbo {
namespace {

constexpr int check_every = 50;       // steps between looks for runaway parameters
constexpr double runaway = 1e6;       // no sensible weight is larger
constexpr int most_divergences = 10;  // then the chain ends with what it has

// Columns of the data in random order, epoch after epoch; the last batch of an epoch may be short.
class Batches {
 public:
  Batches(Eigen::Index n, Eigen::Index batch) : order_(static_cast<std::size_t>(n)), batch_(batch) {
    std::iota(order_.begin(), order_.end(), Eigen::Index{0});
    next_ = order_.size();
  }
  std::span<const Eigen::Index> next(Rng& rng) {
    if (next_ == order_.size()) {
      rng.shuffle(std::span(order_));
      next_ = 0;
    }
    const std::size_t size = std::min(static_cast<std::size_t>(batch_), order_.size() - next_);
    next_ += size;
    return std::span(order_).subspan(next_ - size, size);
  }

 private:
  std::vector<Eigen::Index> order_;
  Eigen::Index batch_;
  std::size_t next_ = 0;
};

struct SghmcChain {
  std::vector<Vector> kept;  // (W+1) each
  Matrix traces;             // (kept, probes)
  int divergences = 0;
};

bool is_sane(const Vector& theta) {
  return theta.allFinite() && theta.cwiseAbs().maxCoeff() < runaway;
}

SghmcChain run_chain(const SghmcBnnOptions& options, const nn::MlpShape& shape, const Matrix& Z,
                     const Vector& t, Rng rng) {
  const Eigen::Index n = t.size(), W = shape.parameters();
  SghmcLoss loss{shape,
                 static_cast<double>(n),
                 options.prior_variance * (options.weak_prior ? static_cast<double>(W + 1) : 1.0),
                 {}};
  Vector theta(W + 1), G(W + 1), normals(W + 1);
  theta << random_weights(shape, rng), std::log(options.noise_start);
  Vector sane = theta;
  AdaptiveSghmc sampler(W + 1, options.sampler);
  Batches batches(n, options.batch);
  SghmcChain chain;
  for (int step = 0; step < options.steps; ++step) {
    const std::span<const Eigen::Index> batch = batches.next(rng);
    loss(theta, Z(Eigen::all, batch), t(batch), G);
    G *= static_cast<double>(n);
    fill_normals(rng, normals);
    sampler.step(theta, G, normals, step <= options.burn_in);
    const bool keep = step > options.burn_in && (step - options.burn_in) % options.thin == 0;
    if (keep || step % check_every == 0) {
      if (is_sane(theta)) {
        sane = theta;
      } else {
        theta = sane;
        sampler.calm();
        if (++chain.divergences == most_divergences) break;
      }
    }
    if (keep) chain.kept.push_back(theta);
  }
  if (chain.kept.empty()) chain.kept.push_back(sane);
  return chain;
}

Vector deviations(ConstMatrixRef X, const Vector& mean) {
  const double freedom = std::max(1.0, static_cast<double>(X.cols() - 1));
  Vector d = ((X.colwise() - mean).rowwise().squaredNorm() / freedom).cwiseSqrt();
  for (double& v : d) v = v < 1e-12 ? 1.0 : v;  // a coordinate that never varied
  return d;
}

}  // namespace

double SghmcLoss::operator()(ConstVectorRef theta, ConstMatrixRef Z, ConstVectorRef t,
                             VectorRef gradient) {
  const Eigen::Index W = shape.parameters();
  const double u = theta[W], variance = std::exp(u) + 1e-16;
  const auto b = static_cast<double>(t.size());
  const double away = u - std::log(1e-6);
  Matrix residual = nn::forward<double>(shape, theta.data(), Z, work);
  residual -= t.transpose();
  const double sse = residual.squaredNorm();
  residual /= b * variance;
  nn::backward<double>(shape, theta.data(), work, residual, gradient.data(), nullptr);
  gradient[W] = -0.5 * sse * std::exp(u) / (b * variance * variance) + 0.5 + away / (0.01 * n);
  gradient += theta / (n * prior);
  flops::add(2 * static_cast<std::uint64_t>(W) + 4 * static_cast<std::uint64_t>(t.size()));
  return 0.5 * sse / (b * variance) + 0.5 * u + 0.5 * away * away / (0.01 * n) +
         0.5 * theta.squaredNorm() / (n * prior);
}

FitReport SghmcBnn::fit(ConstMatrixRef X, ConstVectorRef y, Rng rng) {
  const nn::MlpShape shape = network_shape(options_.network, X.rows());
  const Standardize unit = Standardize::of(y);
  const Vector targets = unit.apply(y), mean = X.rowwise().mean();
  const Vector deviation = deviations(X, mean);
  const Matrix Z = (X.colwise() - mean).array().colwise() / deviation.array();

  std::vector<SghmcChain> chains(static_cast<std::size_t>(options_.chains));
  const Matrix watched = probe_points(Z, targets);
  const std::uint64_t key = rng();
  parallel_for(options_.threads, options_.chains, [&](int c) {
    SghmcChain& chain = chains[static_cast<std::size_t>(c)];
    chain = run_chain(options_, shape, Z, targets,
                      Rng(key, "sghmc-chain", static_cast<std::uint64_t>(c)));
    chain.traces.resize(static_cast<Eigen::Index>(chain.kept.size()), watched.cols());
    nn::MlpWorkspace<double> work;
    for (std::size_t i = 0; i < chain.kept.size(); ++i) {
      Matrix f(1, watched.cols());
      nn::predict<double>(shape, chain.kept[i].data(), watched, work, f);
      chain.traces.row(static_cast<Eigen::Index>(i)) = f;
    }
  });

  std::vector<Matrix> traces;
  Eigen::Index count = 0, shortest = chains.front().traces.rows();
  int divergences = 0;
  for (const SghmcChain& chain : chains) {
    count += chain.traces.rows();
    shortest = std::min(shortest, chain.traces.rows());
    divergences += chain.divergences;
  }
  Matrix members(shape.parameters(), count);
  Eigen::Index next = 0;
  double noise = 0.0;
  for (const SghmcChain& chain : chains) {
    traces.push_back(chain.traces.bottomRows(shortest));
    for (const Vector& theta : chain.kept) {
      members.col(next++) = theta.head(shape.parameters());
      noise += std::exp(theta[shape.parameters()]) / static_cast<double>(count);
    }
  }
  ensemble_ = {shape,      std::move(members), mean, deviation, unit.offset,
               unit.scale, options_.threads};
  noise_variance_ = noise * unit.scale * unit.scale;

  const TraceSummary worst = summarize(traces);
  FitReport report;
  report.iterations = options_.steps * options_.chains;
  report.values = {kEffectiveSamples.of(worst.effective_samples), kRHat.of(worst.r_hat),
                   kDivergences.of(static_cast<double>(divergences)),
                   kNoiseDeviation.of(std::sqrt(noise_variance_))};
  report.status = worst.r_hat < 1.1 ? FitReport::Status::converged : FitReport::Status::stopped;
  if (divergences > 0) {
    report.message = "the sampler diverged " + std::to_string(divergences) +
                     " times and went on from its last finite state with half the step";
    report.status = FitReport::Status::fallback;
  }
  return report;
}

Matrix SghmcBnn::sample_functions(ConstMatrixRef X, Eigen::Index S, bool with_noise,
                                  Rng rng) const {
  Matrix F = ensemble_.sample(X, S, rng);
  if (with_noise) {
    for (double& f : F.reshaped()) f += std::sqrt(noise_variance_) * rng.normal();
  }
  return F;
}

}  // namespace vbo
