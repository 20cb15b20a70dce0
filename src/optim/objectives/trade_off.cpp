// SPDX-License-Identifier: MIT
#include "optim/objectives/trade_off.hpp"

#include <array>
#include <cmath>

#include "numerics/pareto.hpp"

namespace vbo {
namespace {

using Eigen::Index;

constexpr double kAugmentation = 0.05;

constexpr TermInfo weight_term(std::string_view name, std::string_view meaning) {
  return {name, Unit::number, TermRole::beside, meaning};
}
constexpr std::array<TermInfo, kMostObjectives> kWeights = {
    weight_term("weight_1",
                "weight of the first objective in the trade-off it was suggested for; all "
                "weights add up to 1"),
    weight_term("weight_2", "weight of the second objective in that trade-off"),
    weight_term("weight_3", "weight of the third objective in that trade-off"),
    weight_term("weight_4", "weight of the fourth objective in that trade-off"),
    weight_term("weight_5", "weight of the fifth objective in that trade-off"),
    weight_term("weight_6", "weight of the sixth objective in that trade-off"),
    weight_term("weight_7", "weight of the seventh objective in that trade-off"),
    weight_term("weight_8", "weight of the eighth objective in that trade-off"),
};

}  // namespace

Vector random_weights(Index M, Rng& rng) {
  constexpr double least = 1e-3;  // of a largest weight of about 1: no objective is ignored
  Vector w(M);
  for (double& weight : w) weight = -std::log(1.0 - rng.uniform()) + least;
  return w / w.sum();
}

ObjectiveRanges ObjectiveRanges::of(ConstMatrixRef Y, std::span<const Objective> objectives) {
  ObjectiveRanges ranges{Vector::Zero(Y.rows()), Vector::Ones(Y.rows())};
  if (Y.cols() == 0) return ranges;
  const std::vector<Index> indices = non_dominated(-Y);
  const Matrix front = Y(Eigen::all, indices);
  ranges.ideal = front.rowwise().maxCoeff();
  for (Index m = 0; m < Y.rows(); ++m) {
    double worst = front.row(m).minCoeff();
    const auto i = static_cast<std::size_t>(m);
    if (i < objectives.size() && objectives[i].reference) worst = *objectives[i].reference;
    if (!(worst < ranges.ideal[m])) worst = Y.row(m).minCoeff();
    const double width = ranges.ideal[m] - worst;
    ranges.width[m] = width > 0.0 && std::isfinite(width) ? width : 1.0;
  }
  return ranges;
}

Matrix ObjectiveRanges::distances(ConstMatrixRef Y) const {
  return (ideal.replicate(1, Y.cols()) - Y).array().colwise() / width.array();
}

double chebyshev(ConstVectorRef u, ConstVectorRef w) {
  const auto weighted = u.cwiseProduct(w);
  return -weighted.maxCoeff() - kAugmentation * weighted.sum();
}

std::span<const TermInfo> weight_terms() { return kWeights; }

void add_weights(Rationale& why, ConstVectorRef w) {
  for (Index m = 0; m < w.size(); ++m) why.add(kWeights[static_cast<std::size_t>(m)], w[m]);
}

}  // namespace vbo
