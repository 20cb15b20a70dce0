// SPDX-License-Identifier: MIT
// The surrogate that actors are trained on and proposals are pre-selected by: terms of every input,
// whose weighted sum is its score, and the gradient of their mean. The flagship's surrogate is a
// panel of critics and a small Gaussian process (SurrogatePanel); vbo-paper has one of its own. A
// surrogate refers to its models and does not own the critics. Not thread-safe.
#pragma once

#include <functional>
#include <vector>

#include "numerics/parallel.hpp"
#include "optim/vbo/batch/expected_improvement.hpp"
#include "optim/vbo/critics/calibration.hpp"
#include "optim/vbo/critics/local_coordinates.hpp"
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

// The training of a surrogate: pieces that may run in any order or at once, independent of the
// critics, and what remains when all are done.
struct Learning {
  std::vector<Piece> pieces;
  std::function<void()> conclude = [] {};
};

class SearchSurrogate {
 public:
  virtual ~SearchSurrogate() = default;

  // Evaluates codes X (D,N); exploration weighs `weight`. Where dX is not nullptr it becomes
  // d mean(score) / dX (D,N). The result is in `workspace`; calls with workspaces of their own may
  // come from several threads at once.
  struct Workspace {
    Critics::Workspace critics;
    Assessment assessment;
  };
  virtual const Assessment& assess(nn::InputRef<float> X, double weight, int threads,
                                   Workspace& workspace, MatrixOf<float>* dX = nullptr) const = 0;
  // In the surrogate's own workspace: valid until the next call.
  const Assessment& assess(nn::InputRef<float> X, double weight, int threads,
                           MatrixOf<float>* dX = nullptr) {
    return assess(X, weight, threads, workspace_, dX);
  }

  // Which of the codes X (D,N) its predictions are valid for: all, unless a model of its own is
  // fitted in a window.
  virtual std::vector<bool> knows(ConstMatrixRef X) const {
    return std::vector<bool>(static_cast<std::size_t>(X.cols()), true);
  }
  // Once per round, before anything is trained on the results `fresh`: which model predicts them
  // better?
  virtual void examine(const Archive& archive, const Replay& replay, const std::vector<int>& fresh,
                       int threads) {
    (void)archive, (void)replay, (void)fresh, (void)threads;
  }
  // Once per round, beside the training of the critics: for surrogates with a model of their own.
  virtual Learning learning(const Archive& archive, const Replay& replay, std::int64_t round) {
    (void)archive, (void)replay, (void)round;
    return {};
  }
  // All of it at once.
  void learn(const Archive& archive, const Replay& replay, std::int64_t round, int threads = 1);
  // Predictions of outcomes at codes X (D,N) over `levels` (G,N): columns add up to one. Nothing
  // where a surrogate has none.
  virtual Matrix forecast(const OutcomeLevels& levels, nn::InputRef<float> X, int threads) {
    (void)levels, (void)X, (void)threads;
    return {};
  }
  // The GP it uses, if it does.
  virtual GpMember gp_member() const { return {}; }
  // Of an observation, in squared normal scores; 0 where the surrogate has no estimate.
  virtual double noise_variance() const { return 0.0; }
  // What learning() depends on besides its arguments.
  virtual void write(StateWriter& out) const { (void)out; }
  virtual void read(StateReader& in) { (void)in; }

 protected:
  Workspace workspace_;
};

class CriticSurrogate final : public SearchSurrogate {
 public:
  CriticSurrogate(const Critics& critics, const LocalCoordinates& coordinates)
      : critics_(critics), coordinates_(coordinates) {}
  using SearchSurrogate::assess;
  const Assessment& assess(nn::InputRef<float> X, double weight, int threads, Workspace& workspace,
                           MatrixOf<float>* dX) const override;
  Matrix forecast(const OutcomeLevels& levels, nn::InputRef<float> X, int threads) override;

 private:
  const Critics& critics_;
  const LocalCoordinates& coordinates_;
};

// Fills meanings, terms, score and the batch's means from what the critics predict.
void set_assessment(const DecompositionOf<float>& predicted, double weight, Assessment& assessment);

}  // namespace vbo
