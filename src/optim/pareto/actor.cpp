// SPDX-License-Identifier: MIT
#include "optim/pareto/actor.hpp"

#include <algorithm>
#include <numeric>

namespace vbo::pareto {
namespace {

using Eigen::Index;

constexpr Index kLargestFull = 60;         // dimensions; beyond, covariances are diagonal
constexpr double kLargestDeviation = 0.3;  // in widths of the box

Space numeric_space(const Space& space) {
  std::vector<Parameter> numeric;
  for (const Parameter& p : space.parameters()) {
    if (p.kind != ParameterKind::categorical && !p.is_fixed()) numeric.push_back(p);
  }
  if (numeric.empty()) return {};
  return Space::make(std::move(numeric)).value();
}

}  // namespace

NumericPart::NumericPart(const Encoding& encoding)
    : coordinates_(encoding.numeric_coordinates()),
      numeric_(numeric_space(encoding.space())),
      box_(numeric_) {}

Vector NumericPart::of(ConstVectorRef code) const { return code(coordinates_); }

Vector NumericPart::put(ConstVectorRef part, ConstVectorRef code) const {
  Vector whole = code;
  whole(coordinates_) = part;
  return whole;
}

Actor::Actor(const NumericPart& part, Vector code, double sigma)
    : part_(part),
      code_(std::move(code)),
      strategy_(part.box().from_code(part.of(code_)), sigma, part.dimension() > kLargestFull) {}

Matrix Actor::advance(const std::function<Vector(ConstMatrixRef X)>& score, int population,
                      Rng& rng) {
  const Index n = part_.dimension();
  const Vector scale = part_.box()
                           .least_deviations(strategy_.mean())
                           .cwiseQuotient(strategy_.deviations())
                           .cwiseMax(1.0);
  Matrix Y(n, population), X(code_.size(), population);
  for (Index i = 0; i < Y.cols(); ++i) {
    Vector z(n);
    for (double& v : z) v = rng.normal();
    const Vector step = strategy_.sigma() * scale.cwiseProduct(strategy_.transform(z));
    const Vector x = part_.box().to_code(strategy_.mean() + step);
    X.col(i) = part_.put(x, code_);
    // The step to where it was scored: outside of the box there is nothing but its mirror.
    const Vector genotype =
        part_.box().is_real() ? part_.box().from_code(x) : Vector(strategy_.mean() + step);
    Y.col(i) = (genotype - strategy_.mean()).cwiseQuotient(strategy_.sigma() * scale);
  }
  const Vector scores = score(X);
  std::vector<Index> order(static_cast<std::size_t>(population));
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(order, [&](Index a, Index b) { return scores[a] > scores[b]; });
  strategy_.update(Y(Eigen::all, order), scale);
  part_.box().confine(strategy_.mean());
  const double largest = strategy_.deviations().maxCoeff();
  strategy_.set_sigma(strategy_.sigma() * std::min(1.0, kLargestDeviation / largest));
  return X;
}

Vector Actor::mean() const { return part_.put(part_.box().to_code(strategy_.mean()), code_); }

}  // namespace vbo::pareto
