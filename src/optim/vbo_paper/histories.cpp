// SPDX-License-Identifier: MIT
#include "optim/vbo_paper/histories.hpp"

#include <algorithm>

namespace vbo {
namespace {

using Eigen::Index;

constexpr Index kMostColumns = 262'144;  // of one update: 64 MB per 64 hidden units

Index below(Index bound, Rng& rng) {
  return static_cast<Index>(rng.below(static_cast<std::uint64_t>(bound)));
}

// Which result of each round each of Q sequences takes: (Q, rounds), columns of Histories::X.
Eigen::MatrixX<Index> sequences(Index Q, Index rounds, Index B, bool shuffled, Rng& rng) {
  Eigen::MatrixX<Index> of(Q, rounds);
  std::vector<std::size_t> order = rng.permutation(static_cast<std::size_t>(B));
  for (Index t = 0; t < rounds; ++t) {
    if (shuffled && t > 0) order = rng.permutation(static_cast<std::size_t>(B));
    for (Index q = 0; q < Q; ++q)
      of(q, t) = t * B + static_cast<Index>(order[static_cast<std::size_t>(q)]);
  }
  return of;
}

}  // namespace

HelperWindow<float> Histories::draw(const HistoryOptions& options, Rng& rng) const {
  const Index D = X.rows(), T = rounds(), L = std::min(T, options.window);
  const Index Q = std::clamp<Index>(options.pairs / L, 1, slots);
  const bool shuffle = options.negatives == Negatives::shuffle;
  const Index R = shuffle ? 1 : std::clamp<Index>(kMostColumns / (Q * L), 1, options.references);
  const Index first = T > L && rng.uniform() < 0.5 ? below(T - L + 1, rng) : T - L;
  const Eigen::MatrixX<Index> of = sequences(Q, first + L, slots, options.shuffled, rng);

  HelperWindow<float> w{{.steps = L, .batch = Q, .references = R}, {}, {}};
  w.before.resize(D + 1, first * Q);
  for (Index t = 0; t < first; ++t) {
    for (Index q = 0; q < Q; ++q) {
      w.before.col(t * Q + q).head(D) = X.col(of(q, t));
      w.before(D, t * Q + q) = y[of(q, t)];
    }
  }
  std::vector<std::size_t> partner;
  if (shuffle) partner = rng.permutation(static_cast<std::size_t>(L * Q));
  const auto reference = [&](Index t, Index q) {
    if (shuffle) {
      const auto at = static_cast<Index>(partner[static_cast<std::size_t>(t * Q + q)]);
      return of(at % Q, first + at / Q);
    }
    if (options.negatives == Negatives::all_pairs || y.size() < 2) return below(y.size(), rng);
    const Index other = below(y.size() - 1, rng);
    return other < of(q, first + t) ? other : other + 1;
  };
  w.U.resize(D + 1, w.sequence.columns());
  for (Index t = 0; t < L; ++t) {
    for (Index r = 0; r <= R; ++r) {
      for (Index q = 0; q < Q; ++q) {
        const Index own = of(q, first + t);
        auto column = w.U.col(t * w.sequence.step_columns() + r * Q + q);
        column.head(D) = X.col(own);
        column[D] = y[r == 0 ? own : reference(t, q)];
      }
    }
  }
  return w;
}

VectorOf<float> Histories::levels(Index M) const {
  std::vector<float> sorted(y.begin(), y.end());
  std::sort(sorted.begin(), sorted.end());
  VectorOf<float> levels(M);
  for (Index j = 0; j < M; ++j) {
    const double place = (static_cast<double>(j) + 0.5) / static_cast<double>(M);
    levels[j] = sorted[static_cast<std::size_t>(place * static_cast<double>(sorted.size()))];
  }
  return levels;
}

}  // namespace vbo
