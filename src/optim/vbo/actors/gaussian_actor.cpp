// SPDX-License-Identifier: MIT
#include "optim/vbo/actors/gaussian_actor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "optim/vbo/constants.hpp"

namespace vbo {
namespace {

Space numeric_space(const Space& space) {
  std::vector<Parameter> numeric;
  for (const Parameter& p : space.parameters()) {
    if (p.kind != ParameterKind::categorical && !p.is_fixed()) numeric.push_back(p);
  }
  if (numeric.empty()) return {};
  return Space::make(std::move(numeric)).value();
}

}  // namespace

GaussianActor::GaussianActor(const Encoding& encoding, std::uint64_t seed)
    : encoding_(encoding),
      seed_(seed),
      coordinates_(encoding.numeric_coordinates()),
      numeric_(numeric_space(encoding.space())),
      box_(numeric_),
      best_(-std::numeric_limits<double>::infinity()) {}

Vector GaussianActor::numeric_part(ConstVectorRef code) const {
  Vector part(static_cast<Eigen::Index>(coordinates_.size()));
  for (std::size_t i = 0; i < coordinates_.size(); ++i) {
    part[static_cast<Eigen::Index>(i)] = code[coordinates_[i]];
  }
  return part;
}

Vector GaussianActor::scale() const {
  const Vector least = box_.least_deviations(strategy_->mean());
  return least.cwiseQuotient(strategy_->deviations()).cwiseMax(1.0);
}

double GaussianActor::deviation() const {
  return strategy_ ? strategy_->deviations().maxCoeff() : 1.0;
}

double GaussianActor::distance(ConstVectorRef code) const {
  const Vector difference = numeric_part(code) - box_.to_code(strategy_->mean());
  return std::sqrt(difference.squaredNorm() / static_cast<double>(difference.size()));
}

double GaussianActor::steps_to(ConstVectorRef code) const {
  const cmaes::Strategy& s = *strategy_;
  const Vector y =
      (box_.from_code(numeric_part(code)) - s.mean()).cwiseQuotient(s.sigma() * scale());
  return s.mahalanobis(y) / std::sqrt(static_cast<double>(y.size()));
}

Vector GaussianActor::mean_code(ConstVectorRef code) const {
  Vector result = code;
  const Vector mean = box_.to_code(strategy_->mean());
  for (std::size_t i = 0; i < coordinates_.size(); ++i) {
    result[coordinates_[i]] = mean[static_cast<Eigen::Index>(i)];
  }
  return result;
}

void GaussianActor::begin(ConstVectorRef code, double sigma, double so_far) {
  const Vector genotype = box_.from_code(numeric_part(code));
  strategy_.emplace(genotype, sigma, genotype.size() > Tuning::largest_full);
  results_.clear();
  best_ = so_far;
  reach_ = std::numeric_limits<double>::infinity();
  idle_ = 0;
}

bool GaussianActor::is_over(std::int64_t patience) const {
  return deviation() < Tuning::converged || idle_ > patience;
}

void GaussianActor::set_coordinates(LocalCoordinates& coordinates) const {
  coordinates.move({box_.to_code(strategy_->mean()),
                    strategy_->whitening() / (Tuning::local_scale * strategy_->sigma())});
}

void GaussianActor::learn(ConstVectorRef code, double value, bool own) {
  if (!usable() || !strategy_) return;
  if (own || value > best_) results_.push_back({value, box_.from_code(numeric_part(code))});
}

// One generation of CMA-ES. A step longer than the distribution would plausibly produce is
// shortened to that length [Hansen2011, "Injecting external solutions into CMA-ES"]: results may
// come from an older distribution or from another source.
void GaussianActor::update(std::vector<Result> results) {
  std::stable_sort(results.begin(), results.end(),
                   [](const Result& a, const Result& b) { return a.value > b.value; });
  cmaes::Strategy& s = *strategy_;
  const auto n = static_cast<double>(s.dimension());
  const double longest = std::sqrt(n) + 2.0 * n / (n + 2.0);
  const Vector scaling = scale();
  Matrix Y(s.dimension(), static_cast<Eigen::Index>(results.size()));
  for (std::size_t i = 0; i < results.size(); ++i) {
    auto y = Y.col(static_cast<Eigen::Index>(i));
    y = (results[i].genotype - s.mean()).cwiseQuotient(s.sigma() * scaling);
    y *= std::min(1.0, longest / std::max(s.mahalanobis(y), 1e-300));
  }
  s.update(Y, scaling);
  box_.confine(s.mean());
  s.set_sigma(s.sigma() * std::min(1.0, Tuning::largest_sigma / s.deviations().maxCoeff()));
}

void GaussianActor::advance() {
  if (!strategy_) return;
  const auto enough = 4 + static_cast<std::size_t>(3.0 * std::log(strategy_->dimension()));
  if (results_.size() < enough) return;
  const auto best = std::max_element(results_.begin(), results_.end(),
                                     [](auto& a, auto& b) { return a.value < b.value; });
  idle_ = best->value > best_ ? 0 : idle_ + 1;
  best_ = std::max(best_, best->value);
  const double top = best->value;
  const auto middle = results_.begin() + std::ssize(results_) / 2;
  std::nth_element(results_.begin(), middle, results_.end(),
                   [](auto& a, auto& b) { return a.value < b.value; });
  const bool failed = middle->value == -std::numeric_limits<double>::infinity();
  reach_ = failed ? std::numeric_limits<double>::infinity() : top - middle->value;
  update(std::move(results_));
  results_.clear();
}

void GaussianActor::run_model_generations(const std::function<Vector(ConstMatrixRef X)>& score,
                                          const Archive& archive, int generations, int population,
                                          std::int64_t round) {
  if (!usable() || !strategy_) return;
  Rng rng(seed_, "imagine", static_cast<std::uint64_t>(round));
  for (int generation = 0; generation < generations; ++generation) {
    std::vector<Result> drawn;
    Matrix X(encoding_.dimension(), population);
    for (int i = 0; i < population; ++i) {
      Vector code = archive.code(archive.at_rank(0));
      sample(code, rng);
      drawn.push_back({0.0, box_.from_code(numeric_part(code))});
      X.col(i) = code;
    }
    const Vector scores = score(X);
    for (int i = 0; i < population; ++i) {
      drawn[static_cast<std::size_t>(i)].value = scores[i];
    }
    update(std::move(drawn));
  }
}

void GaussianActor::sample(VectorRef code, Rng& rng) const {
  const cmaes::Strategy& s = *strategy_;
  Vector z(s.dimension());
  for (double& v : z) v = rng.normal();
  place(s.sigma() * scale().cwiseProduct(s.transform(z)), code);
}

Matrix GaussianActor::axes() const {
  return (strategy_->sigma() * scale()).asDiagonal() * strategy_->root();
}

void GaussianActor::place(ConstVectorRef step, VectorRef code) const {
  const Vector part = box_.to_code(strategy_->mean() + step);
  for (std::size_t i = 0; i < coordinates_.size(); ++i) {
    code[coordinates_[i]] = part[static_cast<Eigen::Index>(i)];
  }
}

Vector GaussianActor::pull_back(ConstVectorRef step, ConstVectorRef d_code) const {
  return box_.slope(strategy_->mean() + step).cwiseProduct(numeric_part(d_code));
}

void GaussianActor::write(StateWriter& out) const {
  out.put<std::uint8_t>(strategy_.has_value()).put(best_).put(reach_).put(idle_);
  if (strategy_) strategy_->write(out);
  out.put<std::int64_t>(static_cast<std::int64_t>(results_.size()));
  for (const Result& result : results_) out.put(result.value).put(result.genotype);
}

void GaussianActor::read(StateReader& in, bool running) {
  constexpr double farthest = 1e9;  // genotypes, in widths of the box
  constexpr double finest = 1e-30;  // deviation; local coordinates divide by it in single precision
  const Eigen::Index n = numeric_.dimension();
  if (in.get_flag() != running) in.fail();
  best_ = in.get_outcome();
  reach_ = in.get_number(0.0, StateReader::kInfinity);
  idle_ = in.get_count();
  strategy_.reset();
  if (running) {
    strategy_.emplace(cmaes::Strategy::read(in, n, n > Tuning::largest_full));
    if (!(strategy_->whitening().cwiseAbs().maxCoeff() <= strategy_->sigma() / finest)) in.fail();
  }
  results_.clear();
  for (auto left = in.get_length(StateReader::kMostCount, sizeof(double)); left > 0 && in.ok();
       --left) {
    const double value = in.get_outcome();
    results_.push_back({value, in.get_vector(n, farthest)});
  }
}

}  // namespace vbo
