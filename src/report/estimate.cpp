// SPDX-License-Identifier: MIT
// What a study's results say about the value of its best points when they are noisy. One Gaussian
// process for all methods, fitted to the results around the leading point: there the values are
// close to each other, and so is their noise. Its hyper-parameters are averaged over, or intervals
// would be too narrow. Deterministic.
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>

#include "core/order.hpp"
#include "numerics/special.hpp"
#include "optim/surrogate/gp_method.hpp"
#include "vbo/report.hpp"

namespace vbo {
namespace {

using Eigen::Index;

constexpr std::size_t kFewestResults = 8;
constexpr std::size_t kMostResults = 120;  // that are looked at; the cost grows with the cube
constexpr std::size_t kLeaders = 32;       // compared for the leading point
constexpr std::size_t kMostCompared = 64;  // points among which the chance to be best is shared
// The model is not the function: without it 81% (sobol) and 88% (vbo) of the 90% intervals hold the
// true value (benchmarks/noise_coverage).
constexpr double kWider = 1.2;
constexpr Index kDraws = 500;
constexpr double kLeastWeight = 0.01;    // of the likeliest hyper-parameters
constexpr double kEvidence = 4.0;        // nats that speak for noise
constexpr double kEvidenceOfNone = 3.0;  // nats that speak against noise of...
constexpr double kSmallNoise = 0.02;     // ... so many standard deviations of the results

// All results at one point, in the sign that is maximized.
struct Place {
  std::size_t first = 0;  // its first result, as a position in the trials
  std::vector<std::size_t> results;
  double sum = 0.0;
  bool feasible = false;  // some result is
  double observed() const { return sum / static_cast<double>(results.size()); }
};

class Estimator {
 public:
  Estimator(const StudyRecord& record, const std::vector<Trial>& trials)
      : record_(record),
        trials_(trials),
        encoding_(record.space),
        sign_(record.goal() == Goal::maximize ? 1.0 : -1.0) {
    const Order order(record.objectives, record.space.limits());
    std::map<Point, std::size_t> known;
    for (std::size_t i = 0; i < trials.size(); ++i) {
      if (trials[i].values.empty()) continue;
      const auto [it, fresh] = known.emplace(trials[i].point, places_.size());
      if (fresh) places_.push_back({.first = i});
      Place& place = places_[it->second];
      place.results.push_back(i);
      place.sum += value(i);
      place.feasible = place.feasible || order.feasible(trials[i]);
      ++results_;
    }
  }

  Estimate estimate() {
    Estimate found;
    if (results_ < kFewestResults || encoding_.dimension() == 0) return found;
    codes_.resize(encoding_.dimension(), std::ssize(places_));
    for (std::size_t p = 0; p < places_.size(); ++p) {
      codes_.col(static_cast<Index>(p)) = encoding_.encode(trials_[places_[p].first].point);
    }
    std::optional<std::size_t> centre = leading_place();
    if (!centre) return found;
    take_results_around(*centre);
    if (!(y_.maxCoeff() > y_.minCoeff())) return without_noise(found);
    fit();
    judge(found.noise);
    if (found.noise.verdict != Noise::present) return found;
    if (places_used_.size() < places_.size()) {  // once more around the best by its estimate
      const std::size_t better = best_by_estimate();
      if (better != *centre) {
        take_results_around(better);
        fit();
      }
    }
    average();
    describe(found);
    return found;
  }

 private:
  double value(std::size_t trial) const { return sign_ * trials_[trial].values.front(); }

  static Estimate without_noise(Estimate found) {
    found.noise.verdict = Noise::unknown;  // all results are equal: they say nothing
    return found;
  }

  // Of the best places by observation, the one whose neighbours are best as well.
  std::optional<std::size_t> leading_place() const {
    std::vector<std::size_t> order;
    for (std::size_t p = 0; p < places_.size(); ++p) {
      if (places_[p].feasible) order.push_back(p);
    }
    if (order.empty()) return std::nullopt;
    const std::size_t many = std::min(kLeaders, order.size());
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(many), order.end(),
                      [&](std::size_t a, std::size_t b) {
                        const double x = places_[a].observed(), z = places_[b].observed();
                        return x > z || (x == z && a < b);
                      });
    order.resize(many);
    const std::size_t near = std::clamp<std::size_t>(places_.size() / 20, 1, 8);
    std::optional<std::size_t> best;
    double highest = 0.0;
    for (const std::size_t p : order) {
      double sum = 0.0, count = 0.0;
      for (const std::size_t q : nearest(p, near)) {
        sum += places_[q].sum;
        count += static_cast<double>(places_[q].results.size());
      }
      if (!best || sum / count > highest) {
        best = p;
        highest = sum / count;
      }
    }
    return best;
  }

  // Places by distance from one of them, itself first, at least one and at most `most`.
  std::vector<std::size_t> nearest(std::size_t place, std::size_t most) const {
    const Vector distance =
        (codes_.colwise() - codes_.col(static_cast<Index>(place))).colwise().squaredNorm();
    std::vector<std::size_t> order(places_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const std::size_t many = std::min(most, order.size());
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(many), order.end(),
                      [&](std::size_t a, std::size_t b) {
                        const double x = distance[static_cast<Index>(a)];
                        const double z = distance[static_cast<Index>(b)];
                        return x < z || (x == z && a < b);
                      });
    order.resize(many);
    return order;
  }

  // Half of them nearest to the centre, half spread over all others: near ones alone differ by
  // little but noise, and tell nothing of how far the function can rise between them.
  void take_results_around(std::size_t centre) {
    places_used_.clear();
    std::size_t count = 0;
    const auto take = [&](std::size_t p, std::size_t most) {
      if (count > 0 && count + places_[p].results.size() > most) return false;
      places_used_.push_back(p);
      count += places_[p].results.size();
      return true;
    };
    std::vector<std::size_t> rest = nearest(centre, places_.size());
    std::size_t near = 0;
    while (near < rest.size() && take(rest[near], kMostResults / 2)) ++near;
    rest.erase(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(near));
    std::ranges::sort(rest);  // in the order in which they were suggested
    const std::size_t room = std::max<std::size_t>(1, kMostResults - std::min(kMostResults, count));
    const std::size_t step = std::max<std::size_t>(1, (results_ - count + room - 1) / room);
    for (std::size_t k = 0; k < rest.size(); k += step) take(rest[k], kMostResults);
    std::ranges::sort(places_used_);
    const auto n = static_cast<Index>(count);
    X_.resize(encoding_.dimension(), n);
    y_.resize(n);
    errors_ = Vector::Zero(n);
    Index row = 0;
    for (const std::size_t p : places_used_) {
      for (const std::size_t i : places_[p].results) {
        X_.col(row) = codes_.col(static_cast<Index>(p));
        y_[row] = value(i);
        if (!trials_[i].standard_error.empty()) errors_[row] = trials_[i].standard_error.front();
        ++row;
      }
    }
  }

  GpOptions options() const {
    GpOptions options = gp_options(encoding_, {});
    options.noise_prior = {};  // whoever looks at this asks about noise
    return options;
  }

  // Returns the log likelihood.
  double fit(std::optional<double> fixed_noise = std::nullopt) {
    GpOptions with = options();
    with.fixed_noise = fixed_noise;
    model_ = std::make_unique<GaussianProcess>(with);
    model_->set_known_variances(known());
    (void)model_->fit(X_, y_, Rng(record_.optimizer.seed, "estimate"));
    return model_->regression().log_likelihood();
  }

  // Variances that came with the results; empty where none did.
  Vector known() const { return errors_.maxCoeff() > 0.0 ? errors_.cwiseAbs2() : Vector(); }

  // Noise is present when the results are much less likely without; there is none when they are
  // much less likely with a little.
  void judge(NoiseEstimate& noise) {
    const Regression& regression = model_->regression();
    const double learned = regression.parameters().noise_variance;
    const auto likelihood_with = [&](double variance) {
      Regression::Parameters other = regression.parameters();
      other.noise_variance = variance;
      return Regression(other, X_, y_).log_likelihood();
    };
    const bool small = learned < 0.25 * kSmallNoise * kSmallNoise;
    if (errors_.maxCoeff() > 0.0) {
      noise.verdict = Noise::present;
    } else if (small && likelihood_with(learned) - likelihood_with(kSmallNoise * kSmallNoise) >
                            kEvidenceOfNone) {
      noise.verdict = Noise::none;
    } else {
      const double with = regression.log_likelihood();
      const std::unique_ptr<GaussianProcess> noisy = std::move(model_);
      const double without = fit(0.0);
      *model_ = *noisy;
      if (with - without > kEvidence) noise.verdict = Noise::present;
    }
  }

  // Replaces the fitted hyper-parameters by their neighbours with weights, those of their posterior
  // on a grid: length-scales together, variance and noise.
  void average() {
    const GpParameters fitted = model_->parameters();
    const GpOptions with = options();
    const Standardize output = model_->regression().parameters().output;
    const Vector z = output.apply(y_);
    LikelihoodWorkspace work;
    work.known = known() / (output.scale * output.scale);
    std::vector<std::pair<double, GpParameters>> grid;
    for (const double length : {0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8}) {
      for (const double variance : {0.25, 0.5, 1.0, 2.0, 4.0}) {
        for (const double noise : {0.5, 0.7, 1.0, 1.4, 2.0}) {
          GpParameters p = fitted;
          p.lengthscales *= length;
          p.variance *= variance;
          p.noise_variance *= noise;
          const LikelihoodValue found = log_likelihood(model_->kernel_of(p), p.noise_variance,
                                                       std::nullopt, X_, z, work, nullptr);
          if (!found.ok) continue;
          p.mean = found.mean;
          double log_weight = found.value;
          for (const double l : p.lengthscales) {
            log_weight += with.lengthscale_prior.log_density(l) + std::log(l);
          }
          grid.emplace_back(log_weight, std::move(p));
        }
      }
    }
    double largest = -std::numeric_limits<double>::infinity(), sum = 0.0;
    for (const auto& [weight, p] : grid) largest = std::max(largest, weight);
    for (auto& [weight, p] : grid) {
      weight = std::exp(weight - largest);
      if (weight >= kLeastWeight) sum += weight;
    }
    parts_.clear();
    for (const auto& [weight, p] : grid) {
      if (weight < kLeastWeight) continue;
      parts_.push_back({weight / sum, GaussianProcess(with)});
      parts_.back().model.set_known_variances(known());
      parts_.back().model.condition(p, X_, y_);
    }
  }

  // Those that can be recommended, as columns of the codes.
  std::vector<std::size_t> candidates() const {
    std::vector<std::size_t> found;
    for (const std::size_t p : places_used_) {
      if (places_[p].feasible) found.push_back(p);
    }
    return found;
  }

  Matrix codes_of(const std::vector<std::size_t>& places) const {
    Matrix X(encoding_.dimension(), std::ssize(places));
    for (std::size_t k = 0; k < places.size(); ++k) {
      X.col(static_cast<Index>(k)) = codes_.col(static_cast<Index>(places[k]));
    }
    return X;
  }

  std::size_t best_by_estimate() const {
    const std::vector<std::size_t> all = candidates();
    Index at = 0;
    model_->marginals(codes_of(all))->mean().maxCoeff(&at);
    return all[static_cast<std::size_t>(at)];
  }

  void describe(Estimate& found) {
    const std::vector<std::size_t> all = candidates();
    const Matrix X = codes_of(all);
    Vector mean = Vector::Zero(X.cols()), square = mean;
    double noise = 0.0;
    for (const Part& part : parts_) {
      const auto posterior = part.model.marginals(X);
      const Vector centred = posterior->mean().array() - y_.mean();  // squares lose no digits
      mean += part.weight * centred;
      square += part.weight * (posterior->variance() + centred.cwiseAbs2());
      noise += part.weight * part.model.noise_variance();
    }
    const Vector variance = (square - mean.cwiseAbs2()).cwiseMax(0.0);
    mean.array() += y_.mean();
    Index at = 0;
    const double best_mean = mean.maxCoeff(&at);
    const Place& place = places_[all[static_cast<std::size_t>(at)]];
    PointEstimate best;
    best.id = trials_[place.first].id;
    best.evaluations = std::ssize(place.results);
    best.observed = sign_ * place.observed();
    best.mean = sign_ * best_mean;
    const double reach = kWider * kNormal95 * std::sqrt(variance[at]);
    best.low = best.mean - reach;
    best.high = best.mean + reach;
    best.chance = chance_of(all, mean, variance, at);
    found.best = best;
    noise += errors_.squaredNorm() / static_cast<double>(errors_.size());
    const double spread = (y_.array() - y_.mean()).square().sum() / static_cast<double>(y_.size());
    found.noise.deviation = std::sqrt(noise);
    found.noise.share = std::min(1.0, noise / spread);
  }

  // Among the points whose estimates reach highest, by joint draws.
  double chance_of(const std::vector<std::size_t>& all, const Vector& mean, const Vector& variance,
                   Index best) const {
    std::vector<Index> order(all.size());
    std::iota(order.begin(), order.end(), Index{0});
    const auto reach = [&](Index k) { return mean[k] + 2.0 * std::sqrt(variance[k]); };
    std::ranges::stable_sort(order, [&](Index a, Index b) { return reach(a) > reach(b); });
    order.resize(std::min(order.size(), kMostCompared));
    if (std::ranges::find(order, best) == order.end()) order.back() = best;
    std::vector<std::size_t> places;
    Index at = 0;
    for (std::size_t k = 0; k < order.size(); ++k) {
      if (order[k] == best) at = static_cast<Index>(k);
      places.push_back(all[static_cast<std::size_t>(order[k])]);
    }
    const Matrix X = codes_of(places);
    double chance = 0.0;
    for (const Part& part : parts_) {
      const Matrix draws =
          part.model.sample_functions(X, kDraws, false, Rng(record_.optimizer.seed, "chance"));
      Index wins = 0;
      for (Index s = 0; s < draws.cols(); ++s) {
        Index highest = 0;
        draws.col(s).maxCoeff(&highest);
        wins += highest == at;
      }
      chance += part.weight * static_cast<double>(wins) / static_cast<double>(draws.cols());
    }
    return chance;
  }

  struct Part {
    double weight = 0.0;  // they sum to 1
    GaussianProcess model;
  };
  static constexpr double kNormal95 = 1.6448536269514722;  // so that 90% lie between

  const StudyRecord& record_;
  const std::vector<Trial>& trials_;
  const Encoding encoding_;
  const double sign_;
  std::vector<Place> places_;
  std::size_t results_ = 0;
  Matrix codes_;                          // (D,places)
  std::vector<std::size_t> places_used_;  // in increasing order
  Matrix X_;                              // (D,n) of the results looked at
  Vector y_, errors_;                     // (n)
  std::unique_ptr<GaussianProcess> model_;
  std::vector<Part> parts_;  // of the posterior over hyper-parameters
};

}  // namespace

std::string_view to_string(Noise noise) {
  switch (noise) {
    case Noise::unknown:
      return "unknown";
    case Noise::none:
      return "none";
    case Noise::present:
      return "present";
  }
  return "?";
}

Estimate estimate(const StudyRecord& record, const std::vector<Trial>& trials) {
  if (record.objectives.size() > 1) return {};
  return Estimator(record, trials).estimate();
}

}  // namespace vbo
