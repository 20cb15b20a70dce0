// SPDX-License-Identifier: MIT
// What the actor climbs and proposals are screened by: terms of every input, whose weighted sum is
// its score, and the slope of their mean. The flagship's judge is its ensemble of critics, with a
// small Gaussian process beside it (GpJudge); vbo-paper has a judge of its own. A judge refers to
// what it judges by, and owns nothing of it. Not thread-safe.
#pragma once

#include <functional>
#include <vector>

#include "numerics/parallel.hpp"
#include "optim/vbo/calibration.hpp"
#include "optim/vbo/critics.hpp"
#include "optim/vbo/frame.hpp"
#include "optim/vbo/improve.hpp"
#include "optim/vbo/ledger.hpp"

namespace vbo {

// N inputs. The first term is always exploitation, the expected outcome in normal scores.
struct Judgement {
  std::vector<const JudgedTerm*> meanings;  // of the terms
  MatrixOf<float> terms;                    // (terms,N) as they are
  double weight = 0.0;                      // of all but the first
  VectorOf<float> score;                    // (N) their weighted sum

  // Of the batch, without weights.
  double exploitation = 0.0;
  double input_information = 0.0;  // I(X;Y), nats
  double model_information = 0.0;  // I(f;Y|X), nats
};

// The weighted sum of the terms into the score.
void add_up(Judgement& judgement);
// Input i's terms as the reason to suggest it, and beside them what they are without their weight.
Rationale rationale_of(const Judgement& judgement, Eigen::Index i);

// What a judge has to learn: pieces that may be done in any order or at once, none of which asks
// anything of the critics, and what remains when all are done.
struct Learning {
  std::vector<Piece> pieces;
  std::function<void()> conclude = [] {};
};

class Judge {
 public:
  virtual ~Judge() = default;

  // Judges codes X (D,N); exploration weighs `weight`. Where dX is not nullptr it becomes
  // d mean(score) / dX (D,N). The result is in `room`; calls with rooms of their own may come from
  // several threads at once.
  struct Room {
    Critics::Room critics;
    Judgement judgement;
  };
  virtual const Judgement& judge(nn::InputRef<float> X, double weight, int threads, Room& room,
                                 MatrixOf<float>* dX = nullptr) const = 0;
  // In the judge's own room: valid until the next call.
  const Judgement& judge(nn::InputRef<float> X, double weight, int threads,
                         MatrixOf<float>* dX = nullptr) {
    return judge(X, weight, threads, room_, dX);
  }

  // Which of the codes X (D,N) are places it claims to know anything about: all, unless a model of
  // its own looks at a neighbourhood alone.
  virtual std::vector<bool> knows(ConstMatrixRef X) const {
    return std::vector<bool>(static_cast<std::size_t>(X.cols()), true);
  }
  // Once per round, before anything is trained on the results `fresh`: who predicts them better?
  virtual void examine(const Archive& archive, const Replay& replay, const std::vector<int>& fresh,
                       int threads) {
    (void)archive, (void)replay, (void)fresh, (void)threads;
  }
  // Once per round, beside the training of the critics: for judges with a model of their own.
  virtual Learning learning(const Archive& archive, const Replay& replay, std::int64_t round) {
    (void)archive, (void)replay, (void)round;
    return {};
  }
  // All of it at once.
  void learn(const Archive& archive, const Replay& replay, std::int64_t round, int threads = 1);
  // Predictions of outcomes at codes X (D,N) over `levels` (G,N): columns add up to one. Nothing
  // where a judge has none.
  virtual Matrix forecast(const OutcomeLevels& levels, nn::InputRef<float> X, int threads) {
    (void)levels, (void)X, (void)threads;
    return {};
  }
  // The process it judges by, if it does.
  virtual Process process() const { return {}; }
  // Of an observation, in squared normal scores; 0 where the judge cannot tell.
  virtual double noise_variance() const { return 0.0; }
  // What learning() depends on besides its arguments.
  virtual void write(StateWriter& out) const { (void)out; }
  virtual void read(StateReader& in) { (void)in; }

 protected:
  Room room_;
};

class CriticsJudge final : public Judge {
 public:
  CriticsJudge(const Critics& critics, const Frame& frame) : critics_(critics), frame_(frame) {}
  using Judge::judge;
  const Judgement& judge(nn::InputRef<float> X, double weight, int threads, Room& room,
                         MatrixOf<float>* dX) const override;
  Matrix forecast(const OutcomeLevels& levels, nn::InputRef<float> X, int threads) override;

 private:
  const Critics& critics_;
  const Frame& frame_;
};

// Fills meanings, terms, score and the batch's means from what the critics predict.
void set_judgement(const DecompositionOf<float>& predicted, double weight, Judgement& judgement);

}  // namespace vbo
