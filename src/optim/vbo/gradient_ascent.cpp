// SPDX-License-Identifier: MIT
#include "optim/vbo/gradient_ascent.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "numerics/parallel.hpp"

namespace vbo {
namespace {

using Eigen::Index;

// Lengths of a coordinate's step, in widths of the box, and how they change after a step that
// raised the score along the slope, that raised it past a ridge, and that did not raise it.
constexpr float kLongest = 0.2F, kShortest = 1e-8F;
constexpr float kOnwards = 1.3F, kAcross = 0.4F, kTooFar = 0.6F;

constexpr Index kTogether = 2;  // points that ascend in one thread

// A point on its way up.
struct AscentPoint {
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
      const float predicted = slope(category, 0) - slope(block.offset + now, 0);
      if (c == now || refused[static_cast<std::size_t>(category)] || !(predicted > gain)) continue;
      gain = predicted;
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

struct Ascended {
  MatrixOf<float> reached;  // (D,N)
  std::vector<VectorOf<float>> left_behind;
};

// Points that are scored together, by `threads`.
Ascended ascent_together(const SearchSurrogate& surrogate, const Encoding& encoding,
                         nn::InputRef<float> from, const AscentOptions& options, int threads) {
  const Index D = from.rows(), N = from.cols();
  const std::vector<Index> numeric = encoding.numeric_coordinates();
  std::vector<AscentPoint> points(static_cast<std::size_t>(N),
                                  {std::vector<bool>(static_cast<std::size_t>(D)), -1});
  MatrixOf<float> X = from;
  MatrixOf<float> length = MatrixOf<float>::Constant(D, N, static_cast<float>(options.length));
  MatrixOf<float> slope;  // (D,N) at X
  SearchSurrogate::Workspace workspace;
  VectorOf<float> score = surrogate.assess(X, options.weight, threads, workspace, &slope).score;
  std::vector<VectorOf<float>> left_behind;
  const bool categories = numeric.size() < encoding.blocks().size();
  for (int step = 0; step < options.steps; ++step) {
    const bool switching = categories && (numeric.empty() || step % 2 == 1);
    MatrixOf<float> next = X;
    for (Index i = 0; i < N; ++i) {
      AscentPoint& point = points[static_cast<std::size_t>(i)];
      if (switching) {
        point.switched = switch_category(encoding, slope.col(i), point.refused, next.col(i));
        continue;
      }
      for (const Index d : numeric) {
        next(d, i) = std::clamp(X(d, i) + sign(slope(d, i)) * length(d, i), 0.0F, 1.0F);
      }
    }
    MatrixOf<float> next_slope;
    const VectorOf<float>& reached =
        surrogate.assess(next, options.weight, threads, workspace, &next_slope).score;
    for (Index i = 0; i < N; ++i) {
      AscentPoint& point = points[static_cast<std::size_t>(i)];
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
      } else if (switching && point.switched >= 0) {
        point.refused[static_cast<std::size_t>(point.switched)] = true;
      }
    }
  }
  return {std::move(X), std::move(left_behind)};
}

}  // namespace

MatrixOf<float> ascend(const SearchSurrogate& surrogate, const Encoding& encoding,
                       const MatrixOf<float>& from, const AscentOptions& options) {
  const Index N = from.cols();
  // With information in the score points depend on each other; without, a few ascend per thread.
  const Index block = options.weight > 0.0 ? N : std::min(kTogether, N);
  const auto blocks = static_cast<int>((N + block - 1) / block);
  std::vector<Ascended> parts(static_cast<std::size_t>(blocks));
  parallel_for(options.threads, blocks, [&](int b) {
    const auto some = from.middleCols(b * block, std::min(block, N - b * block));
    parts[static_cast<std::size_t>(b)] =
        ascent_together(surrogate, encoding, some, options, blocks == 1 ? options.threads : 1);
  });
  Index behind = 0;
  for (const Ascended& part : parts) behind += std::ssize(part.left_behind);
  MatrixOf<float> all(from.rows(), N + behind);
  Index reached = 0, next = N;
  for (const Ascended& part : parts) {
    all.middleCols(reached, part.reached.cols()) = part.reached;
    reached += part.reached.cols();
    for (const VectorOf<float>& point : part.left_behind) all.col(next++) = point;
  }
  return all;
}

}  // namespace vbo
