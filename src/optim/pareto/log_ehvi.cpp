// SPDX-License-Identifier: MIT
#include "optim/pareto/log_ehvi.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "numerics/pareto.hpp"
#include "numerics/special.hpp"

namespace vbo::pareto {
namespace {

using Eigen::Index;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Part {
  std::vector<double> low, high;
};

// Slabs of the last objective: within one, only points that reach its top dominate anything.
void decompose(const Matrix& H, std::vector<Part>& boxes) {
  const Index last = H.rows() - 1;
  if (last == 0) {
    boxes.push_back({{H.cols() > 0 ? std::max(0.0, H.maxCoeff()) : 0.0}, {kInfinity}});
    return;
  }
  std::vector<double> tops(H.row(last).begin(), H.row(last).end());
  tops.push_back(kInfinity);
  std::ranges::sort(tops);
  double bottom = 0.0;
  for (const double top : tops) {
    if (!(top > bottom)) continue;
    std::vector<Index> active;
    for (Index i = 0; i < H.cols(); ++i) {
      if (H(last, i) >= top) active.push_back(i);
    }
    Matrix below = Matrix(H(Eigen::all, active)).topRows(last);
    if (below.cols() > 0) below = Matrix(below(Eigen::all, non_dominated(-below)));
    const std::size_t first = boxes.size();
    decompose(below, boxes);
    for (std::size_t k = first; k < boxes.size(); ++k) {
      boxes[k].low.push_back(bottom);
      boxes[k].high.push_back(top);
    }
    bottom = top;
  }
}

}  // namespace

Decomposition undominated_boxes(ConstMatrixRef H) {
  std::vector<Part> found;
  decompose(H.cwiseMax(0.0), found);
  Decomposition boxes{Matrix(H.rows(), std::ssize(found)), Matrix(H.rows(), std::ssize(found))};
  for (std::size_t k = 0; k < found.size(); ++k) {
    for (Index m = 0; m < H.rows(); ++m) {
      boxes.low(m, static_cast<Index>(k)) = found[k].low[static_cast<std::size_t>(m)];
      boxes.high(m, static_cast<Index>(k)) = found[k].high[static_cast<std::size_t>(m)];
    }
  }
  return boxes;
}

LogEhvi log_ehvi(const Decomposition& boxes, ConstVectorRef mean, ConstVectorRef deviation) {
  constexpr double narrowest = 1e-12;  // 1 - nu(u) / nu(l): thinner boxes count as this wide
  const Index M = mean.size(), K = boxes.low.cols();
  Matrix d_mean(M, K), d_deviation(M, K);
  Vector logs = Vector::Zero(K);
  for (Index k = 0; k < K; ++k) {
    for (Index m = 0; m < M; ++m) {
      const auto low = log_expected_improvement(mean[m], deviation[m], boxes.low(m, k));
      logs[k] += low.value;
      d_mean(m, k) = low.d_mean;
      d_deviation(m, k) = low.d_sigma;
      if (!std::isfinite(boxes.high(m, k))) continue;
      const auto high = log_expected_improvement(mean[m], deviation[m], boxes.high(m, k));
      const double ratio = std::exp(high.value - low.value);
      const double rest = std::max(1.0 - ratio, narrowest);
      logs[k] += std::log(rest);
      d_mean(m, k) = (low.d_mean - ratio * high.d_mean) / rest;
      d_deviation(m, k) = (low.d_sigma - ratio * high.d_sigma) / rest;
    }
  }
  LogEhvi found;
  found.value = log_sum_exp(logs);
  const Vector share = (logs.array() - found.value).exp();
  found.d_mean = d_mean * share;
  found.d_deviation = d_deviation * share;
  return found;
}

}  // namespace vbo::pareto
