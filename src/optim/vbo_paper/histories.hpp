// SPDX-License-Identifier: MIT
// The results of all rounds as the helper is trained on them: sequences of one result per round,
// and what each result is contrasted with. VBO-MI concatenates the batches of all rounds; results
// of one round are drawn independently, so that any of them may follow any of the round before.
// Immutable once filled.
#pragma once

#include "optim/vbo_paper/helper.hpp"

namespace vbo {

enum class Negatives { shuffle, all_pairs, off_diagonal };

struct HistoryOptions {
  Negatives negatives = Negatives::all_pairs;
  bool shuffled = true;      // a sequence takes any result of a round, else always its slot's
  Eigen::Index window = 64;  // rounds a loss goes back through; earlier ones give the start state
  Eigen::Index pairs = 512;  // true pairs, window x sequences; at least one sequence
  Eigen::Index references = 8;  // R
};

// Rounds of B slots, oldest first: inputs (D, rounds B), codes or what the helper sees of them, and
// scores (rounds B).
struct Histories {
  MatrixOf<float> X;
  VectorOf<float> y;
  Eigen::Index slots = 1;  // B

  Eigen::Index rounds() const { return slots > 0 ? X.cols() / slots : 0; }

  // Sequences for one update of the helper: the window is the last rounds or, where there are
  // more of them, every other time a stretch of rounds anywhere. References of a pair keep its
  // input and take outcomes
  //   shuffle       of the window's other pairs, each used once (R = 1);
  //   all_pairs     of any result at all, now and then its own;
  //   off_diagonal  of any other result.
  HelperWindow<float> draw(const HistoryOptions& options, Rng& rng) const;

  // M outcomes at even quantiles of all, ascending.
  VectorOf<float> levels(Eigen::Index M) const;
};

}  // namespace vbo
