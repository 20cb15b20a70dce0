// SPDX-License-Identifier: MIT
#include "optim/cmaes/box.hpp"

#include <algorithm>
#include <cmath>

#include "core/normal.hpp"

namespace vbo::cmaes {
namespace {

constexpr double margin = 0.05;

struct Mapped {
  double x, slope;  // and dx/dg
};

// Folds g into [-m, 1+m] by mirroring, then bends the two ends into [0, 1].
Mapped bend(double g) {
  constexpr double width = 1.0 + 2.0 * margin;
  double t = std::fmod(g + margin, 2.0 * width);
  if (t < 0.0) t += 2.0 * width;
  const double turn = t > width ? -1.0 : 1.0;
  if (t > width) t = 2.0 * width - t;
  g = t - margin;
  if (g < margin) {
    const double u = g + margin;
    return {u * u / (4.0 * margin), turn * u / (2.0 * margin)};
  }
  if (g > 1.0 - margin) {
    const double u = 1.0 + margin - g;
    return {1.0 - u * u / (4.0 * margin), turn * u / (2.0 * margin)};
  }
  return {g, turn};
}

double unbend(double x) {
  if (x < margin) return 2.0 * std::sqrt(margin * std::max(0.0, x)) - margin;
  if (x > 1.0 - margin) return 1.0 + margin - 2.0 * std::sqrt(margin * std::max(0.0, 1.0 - x));
  return x;
}

}  // namespace

Box::Box(const Encoding& encoding) : encoding_(encoding) {
  for (const Encoding::Block& block : encoding_.blocks()) {
    discrete_ += block.kind != ParameterKind::real;
  }
}

Vector Box::to_code(ConstVectorRef genotype) const {
  Vector x = genotype;
  for (const Encoding::Block& block : encoding_.blocks()) {
    if (block.kind == ParameterKind::real) x[block.offset] = bend(x[block.offset]).x;
  }
  return x;
}

Vector Box::slope(ConstVectorRef genotype) const {
  Vector slope = Vector::Ones(genotype.size());
  for (const Encoding::Block& block : encoding_.blocks()) {
    if (block.kind != ParameterKind::real) continue;
    slope[block.offset] = bend(genotype[block.offset]).slope;
  }
  return slope;
}

Vector Box::from_code(ConstVectorRef x) const {
  Vector genotype = x;
  for (const Encoding::Block& block : encoding_.blocks()) {
    if (block.kind == ParameterKind::real) genotype[block.offset] = unbend(x[block.offset]);
  }
  return genotype;
}

void Box::confine(VectorRef mean) const {
  for (const Encoding::Block& block : encoding_.blocks()) {
    if (block.kind == ParameterKind::real) continue;
    auto coordinates = mean.segment(block.offset, block.width);
    coordinates = coordinates.cwiseMax(0.0).cwiseMin(1.0);
  }
}

double Box::cell_half_width(const Encoding::Block& block, ConstVectorRef mean) const {
  const std::optional<double> up = encoding_.neighbour(block, mean, 1);
  const std::optional<double> down = encoding_.neighbour(block, mean, -1);
  // The value itself lies between its neighbours, or beyond the only one there is.
  Vector snapped = mean;
  encoding_.snap(snapped);
  const double at = snapped[block.offset];
  double half_width = 0.0;
  for (const std::optional<double>& next : {up, down}) {
    if (next) half_width = std::max(half_width, 0.5 * std::abs(*next - at));
  }
  return half_width;
}

Vector Box::least_deviations(ConstVectorRef mean) const {
  Vector least = Vector::Zero(encoding_.dimension());
  if (discrete_ == 0) return least;
  const double leave = std::min(0.1, 0.5 / static_cast<double>(discrete_));
  for (const Encoding::Block& block : encoding_.blocks()) {
    if (block.kind == ParameterKind::real) continue;
    if (block.kind == ParameterKind::integer) {
      // P(|N(0,s^2)| > w) = leave
      least[block.offset] = cell_half_width(block, mean) / normal_quantile(1.0 - leave / 2.0);
      continue;
    }
    // The gap g between the two largest entries closes when N(0, 2 s^2) > g.
    Vector entries = mean.segment(block.offset, block.width);
    std::nth_element(entries.begin(), entries.begin() + 1, entries.end(), std::greater<>());
    const double gap = entries[0] - entries[1];
    const double s = gap / (std::sqrt(2.0) * normal_quantile(1.0 - leave));
    least.segment(block.offset, block.width).setConstant(s);
  }
  return least;
}

}  // namespace vbo::cmaes
