// SPDX-License-Identifier: MIT
// The surrogate that actors are trained on and proposals are pre-selected by: terms of every input,
// whose weighted sum is its score, and the gradient of their mean. The flagship's is the panel
// (panel.hpp); vbo-paper has one of its own. Not thread-safe.
#pragma once

#include <vector>

#include "optim/vbo/critics/networks.hpp"
#include "optim/vbo/ledger.hpp"

namespace vbo {

// N inputs. The first term is always exploitation, the expected outcome in normal scores.
struct Assessment {
  std::vector<const ScoreTerm*> meanings;  // of the terms
  MatrixOf<float> terms;                   // (terms,N) as they are
  double weight = 0.0;                     // of all but the first
  VectorOf<float> score;                   // (N) their weighted sum

  // Of the batch, without weights.
  double exploitation = 0.0;
  double input_information = 0.0;  // I(X;Y), nats
  double model_information = 0.0;  // I(f;Y|X), nats
};

// The weighted sum of the terms into the score.
void add_up(Assessment& assessment);
// Input i's terms as the reason to suggest it, and beside them what they are without their weight.
Rationale rationale_of(const Assessment& assessment, Eigen::Index i);

class SearchSurrogate {
 public:
  virtual ~SearchSurrogate() = default;

  // Evaluates codes X (D,N); exploration weighs `weight`. Where dX is not nullptr it becomes
  // d mean(score) / dX (D,N). The result is in `workspace`; calls with workspaces of their own may
  // come from several threads at once.
  struct Workspace {
    Networks::Workspace networks;
    Assessment assessment;
  };
  virtual const Assessment& assess(nn::InputRef<float> X, double weight, int threads,
                                   Workspace& workspace, MatrixOf<float>* dX = nullptr) const = 0;
  // In the surrogate's own workspace: valid until the next call.
  const Assessment& assess(nn::InputRef<float> X, double weight, int threads,
                           MatrixOf<float>* dX = nullptr) {
    return assess(X, weight, threads, workspace_, dX);
  }

 protected:
  Workspace workspace_;
};

// Fills meanings, terms, score and the batch's means from what the critics predict.
void set_assessment(const DecompositionOf<float>& predicted, double weight, Assessment& assessment);

}  // namespace vbo
