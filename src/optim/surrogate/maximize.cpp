// SPDX-License-Identifier: MIT
#include "optim/surrogate/maximize.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace vbo {
namespace {

using Eigen::Index;

// The best raw point, then others drawn without replacement with weight exp(standardized score):
// good ones first, yet not all from one basin.
std::vector<Index> choose_starts(const Vector& scores, int count, Rng& rng) {
  std::vector<Index> order(static_cast<std::size_t>(scores.size()));
  std::iota(order.begin(), order.end(), Index{0});
  const auto usable = std::stable_partition(order.begin(), order.end(),
                                            [&](Index i) { return std::isfinite(scores[i]); });
  if (usable == order.begin()) return {0};
  order.erase(usable, order.end());
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return scores[a] > scores[b]; });
  const std::size_t m = order.size();
  double mean = 0.0, square = 0.0;
  for (const Index i : order) mean += scores[i] / static_cast<double>(m);
  for (const Index i : order) square += std::pow(scores[i] - mean, 2.0) / static_cast<double>(m);
  const double sigma = std::max(std::sqrt(square), 1e-12);
  const auto wanted = std::min(static_cast<std::size_t>(std::max(count, 1)), m);
  // The upper half of the starts are simply the best; the rest by Gumbel keys.
  const std::size_t top = (wanted + 1) / 2;
  std::vector<std::pair<double, Index>> keyed;
  for (std::size_t k = top; k < m; ++k) {
    const double gumbel = -std::log(-std::log(std::max(rng.uniform(), 1e-300)));
    keyed.emplace_back(-((scores[order[k]] - mean) / sigma + gumbel), order[k]);
  }
  std::sort(keyed.begin(), keyed.end());
  std::vector<Index> chosen(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(top));
  for (std::size_t k = top; k < wanted; ++k) chosen.push_back(keyed[k - top].second);
  return chosen;
}

// Maximizes over the coordinates for which `open` holds, from x.
Candidate climb(const Encoding& encoding, const BatchObjective& objective, Vector x,
                bool integers_open, const MaximizeOptions& options) {
  const Index D = encoding.dimension(), q = x.size() / D;
  Vector lower = Vector::Zero(x.size()), upper = Vector::Ones(x.size());
  if (options.low.size() == D) {
    lower = options.low.replicate(q, 1);
    upper = options.high.replicate(q, 1);
  }
  for (Index j = 0; j < q; ++j) {
    for (const Encoding::Block& block : encoding.blocks()) {
      const bool open = block.kind == ParameterKind::real ||
                        (block.kind == ParameterKind::integer && integers_open);
      if (open) continue;
      const Index at = j * D + block.offset;
      lower.segment(at, block.width) = upper.segment(at, block.width) = x.segment(at, block.width);
    }
  }
  if (lower != upper) {
    const auto held = held_inside(encoding, objective.value_and_gradient);
    const auto negative = [&](ConstVectorRef at, VectorRef gradient) {
      const double value = held(at, gradient);
      gradient = -gradient;
      return -value;
    };
    const MinimizeResult found = minimize_bounded(negative, x, lower, upper,
                                                  {.max_iterations = options.iterations,
                                                   .max_evaluations = options.iterations + 10,
                                                   .gradient_tolerance = 1e-6,
                                                   .value_tolerance = options.value_tolerance});
    if (found.usable()) x = found.x;
  }
  return {Eigen::Map<const Matrix>(x.data(), D, q), 0.0};
}

// Scores of many batches, some at a time on each thread.
Vector score_all(const BatchObjective& objective, const Matrix& raw, int threads) {
  constexpr Index together = 64;
  Vector scores(raw.cols());
  parallel_for(threads, static_cast<int>((raw.cols() + together - 1) / together), [&](int piece) {
    const Index from = together * piece, count = std::min(together, raw.cols() - from);
    scores.segment(from, count) = objective.score(raw.middleCols(from, count));
  });
  return scores;
}

bool has(const Encoding& encoding, ParameterKind kind) {
  return std::any_of(encoding.blocks().begin(), encoding.blocks().end(),
                     [&](const Encoding::Block& b) { return b.kind == kind; });
}

// All single changes of discrete parameters of the snapped point x (D): next integers, choices.
Matrix neighbours(const Encoding& encoding, const Vector& x) {
  std::vector<Vector> all;
  for (const Encoding::Block& block : encoding.blocks()) {
    if (block.kind == ParameterKind::integer) {
      for (const int direction : {-1, 1}) {
        const std::optional<double> next = encoding.neighbour(block, x, direction);
        if (!next) continue;
        Vector y = x;
        y[block.offset] = *next;
        all.push_back(std::move(y));
      }
    } else if (block.kind == ParameterKind::categorical) {
      for (Index c = 0; c < block.width; ++c) {
        if (x[block.offset + c] > 0.5) continue;
        Vector y = x;
        y.segment(block.offset, block.width).setZero();
        y[block.offset + c] = 1.0;
        all.push_back(std::move(y));
      }
    }
  }
  Matrix N(x.size(), static_cast<Index>(all.size()));
  for (Index i = 0; i < N.cols(); ++i) N.col(i) = all[static_cast<std::size_t>(i)];
  return N;
}

// Steepest ascent over single discrete changes.
void improve_discrete(const Encoding& encoding, const BatchObjective& objective, Vector& x) {
  constexpr int most_moves = 8;
  double value = objective.score(x)[0];
  for (int move = 0; move < most_moves; ++move) {
    const Matrix N = neighbours(encoding, x);
    if (N.cols() == 0) return;
    Index best = 0;
    const double found = objective.score(N).maxCoeff(&best);
    if (!(found > value)) return;
    x = N.col(best);
    value = found;
  }
}

}  // namespace

// f with constraints: outside, at x, it is worth what the nearest point inside p is, less than that
// by the square of the way d = x - p. Its slope there is that of f at p without the part across the
// border, n = d / |d|, so that an ascent slides along it:
//   F(x) = f(p) - |d|^2,   dF/dx = (I - n n') f'(p) - 2 d
GradientFunction held_inside(const Encoding& encoding, GradientFunction f) {
  if (!encoding.space().region()) return f;
  return [&encoding, f = std::move(f)](ConstVectorRef at, VectorRef gradient) {
    const Index D = encoding.dimension(), q = at.size() / D;
    Vector inside = at;
    for (Index j = 0; j < q; ++j) encoding.hold_inside(inside.segment(j * D, D));
    double value = f(inside, gradient);
    for (Index j = 0; j < q; ++j) {
      const Vector way = at.segment(j * D, D) - inside.segment(j * D, D);
      const double square = way.squaredNorm();
      if (square == 0.0) continue;
      auto slope = gradient.segment(j * D, D);
      slope -= way * (way.dot(slope) / square + 2.0);
      value -= square;
    }
    return value;
  };
}

std::vector<Candidate> maximize(const Encoding& encoding, const BatchObjective& objective,
                                const Matrix& raw, const MaximizeOptions& options, Rng& rng) {
  return maximize(encoding, objective, raw, score_all(objective, raw, options.threads), options,
                  rng);
}

std::vector<Candidate> maximize(const Encoding& encoding, const BatchObjective& objective,
                                const Matrix& raw, const Vector& scores,
                                const MaximizeOptions& options, Rng& rng) {
  const Index D = encoding.dimension(), q = raw.rows() / D;
  const bool discrete =
      has(encoding, ParameterKind::integer) || has(encoding, ParameterKind::categorical);
  const std::vector<Index> starts = choose_starts(scores, options.restarts, rng);
  std::vector<Candidate> found(starts.size());
  parallel_for(options.threads, static_cast<int>(starts.size()), [&](int i) {
    Candidate candidate =
        climb(encoding, objective, raw.col(starts[static_cast<std::size_t>(i)]), true, options);
    for (Index j = 0; j < q; ++j) encoding.snap(candidate.X.col(j));
    if (discrete && q == 1) {
      Vector x = candidate.X.col(0);
      improve_discrete(encoding, objective, x);
      candidate = climb(encoding, objective, x, false, options);
      encoding.snap(candidate.X.col(0));
    }
    candidate.value = objective.score(candidate.X.reshaped())[0];
    found[static_cast<std::size_t>(i)] = std::move(candidate);
  });
  std::stable_sort(found.begin(), found.end(), [](const Candidate& a, const Candidate& b) {
    return a.value > b.value || (std::isfinite(a.value) && !std::isfinite(b.value));
  });
  return found;
}

}  // namespace vbo
