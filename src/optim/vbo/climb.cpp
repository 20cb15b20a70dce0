// SPDX-License-Identifier: MIT
#include "optim/vbo/climb.hpp"

#include <algorithm>
#include <vector>

namespace vbo {
namespace {

using Eigen::Index;

// Lengths of a coordinate's step, in widths of the box, and how they change after a step that
// raised the score along the slope, that raised it past a ridge, and that did not raise it.
constexpr float kLongest = 0.2F, kShortest = 1e-8F;
constexpr float kOnwards = 1.3F, kAcross = 0.4F, kTooFar = 0.6F;

// A point on its way up.
struct Climber {
  std::vector<bool> refused;  // (D) categories that did not help
  Index switched = -1;        // the category that the step in progress has chosen, if any
};

// Chooses the category with the largest first-order gain among those not refused, and returns it.
Index switch_category(const Encoding& encoding, nn::InputRef<float> slope,
                      const std::vector<bool>& refused, Eigen::Ref<VectorOf<float>> x) {
  Index best = -1;
  float gain = 0.0F;
  const Encoding::Block* where = nullptr;
  for (const Encoding::Block& block : encoding.blocks()) {
    if (block.kind != ParameterKind::categorical) continue;
    Index now = 0;
    x.segment(block.offset, block.width).maxCoeff(&now);
    for (Index c = 0; c < block.width; ++c) {
      const Index category = block.offset + c;
      const float promised = slope(category, 0) - slope(block.offset + now, 0);
      if (c == now || refused[static_cast<std::size_t>(category)] || !(promised > gain)) continue;
      gain = promised;
      best = category;
      where = &block;
    }
  }
  if (best >= 0) {
    x.segment(where->offset, where->width).setZero();
    x[best] = 1.0F;
  }
  return best;
}

float sign(float v) { return v > 0.0F ? 1.0F : v < 0.0F ? -1.0F : 0.0F; }

}  // namespace

MatrixOf<float> climb(Judge& judge, const Encoding& encoding, const MatrixOf<float>& from,
                      const ClimbOptions& options) {
  const Index D = from.rows(), N = from.cols();
  const std::vector<Index> numeric = encoding.numeric_coordinates();
  std::vector<Climber> climbers(static_cast<std::size_t>(N),
                                {std::vector<bool>(static_cast<std::size_t>(D)), -1});
  MatrixOf<float> X = from;
  MatrixOf<float> length = MatrixOf<float>::Constant(D, N, static_cast<float>(options.length));
  MatrixOf<float> slope;  // (D,N) at X
  VectorOf<float> score = judge.judge(X, options.weight, options.threads, &slope).score;
  std::vector<VectorOf<float>> left_behind;
  const bool categories = numeric.size() < encoding.blocks().size();
  for (int step = 0; step < options.steps; ++step) {
    const bool switching = categories && (numeric.empty() || step % 2 == 1);
    MatrixOf<float> next = X;
    for (Index i = 0; i < N; ++i) {
      Climber& climber = climbers[static_cast<std::size_t>(i)];
      if (switching) {
        climber.switched = switch_category(encoding, slope.col(i), climber.refused, next.col(i));
        continue;
      }
      for (const Index d : numeric) {
        next(d, i) = std::clamp(X(d, i) + sign(slope(d, i)) * length(d, i), 0.0F, 1.0F);
      }
    }
    MatrixOf<float> next_slope;
    const VectorOf<float> reached =
        judge.judge(next, options.weight, options.threads, &next_slope).score;
    for (Index i = 0; i < N; ++i) {
      Climber& climber = climbers[static_cast<std::size_t>(i)];
      const bool higher = reached[i] > score[i];
      for (const Index d : numeric) {
        if (switching) break;
        const bool same_side = sign(slope(d, i)) * sign(next_slope(d, i)) > 0.0F;
        const float factor = !same_side ? kAcross : higher ? kOnwards : kTooFar;
        length(d, i) = std::clamp(length(d, i) * factor, kShortest, kLongest);
      }
      if (higher) {
        left_behind.emplace_back(X.col(i));
        X.col(i) = next.col(i);
        slope.col(i) = next_slope.col(i);
        score[i] = reached[i];
      } else if (switching && climber.switched >= 0) {
        climber.refused[static_cast<std::size_t>(climber.switched)] = true;
      }
    }
  }
  MatrixOf<float> all(D, N + std::ssize(left_behind));
  all.leftCols(N) = X;
  for (Index i = N; i < all.cols(); ++i) all.col(i) = left_behind[static_cast<std::size_t>(i - N)];
  return all;
}

}  // namespace vbo
