// SPDX-License-Identifier: MIT
// Predicted and observed information of a batch of results, in the same nats.
//
// Outcomes are counted on the levels of the round that asked for them: M cells of equal mass m_j
// under the replay of that round's archive. A model that predicts p_j(x) for an input x predicts
//   E(x) = sum_j p_j log(p_j / m_j)                          (never negative)
// nats of an outcome there; the observed information of an outcome on level j is
//   R = log(p_j / m_j),
// the log score above that of the marginal. Models are overconfident; the inverse temperature
// b <= 1 corrects that:
//   p_j <- m_j (p_j / m_j)^b / Z.
// (Underconfidence is left to the bias correction below: a b above one, fitted to an easy batch,
// loses more in the next one than it can gain.) b maximizes the log score of the results of recent
// batches, each scored before anything was trained on it. This is an exponential family in b, so
// at the maximum the mean of R over these results *equals* the mean of E, unless b is held at 1:
//   d/db mean R = mean [ s_j - E_b s ] = 0  with  s = log(p / m).
//
// What b cannot correct: models whose confidence falls from batch to batch, and the noise of b
// itself (E is convex in it, R concave). So the bias c of predicted over observed information is
// tracked and subtracted from the next prediction:
//   E shown = max(0, E - c),     c <- c + k (E shown - R)     after every batch, k <= 1/6.
// The differences over a study then add up to c / k, whatever their cause: their mean goes to zero
// as one over the number of batches, not as one over its root. Not thread-safe.
#pragma once

#include <span>

#include "numerics/linalg.hpp"
#include "optim/state_bytes.hpp"
#include "optim/vbo/archive.hpp"
#include "optim/vbo/constants.hpp"

namespace vbo {

// G <= M levels: cells whose outcomes are equal (ties, failures) are one level.
class OutcomeLevels {
 public:
  OutcomeLevels() = default;
  // `cells` (M) of equal mass under `replay`. REQUIRES: an archive that is not empty.
  OutcomeLevels(const Archive& archive, const Replay& replay, int cells);

  Eigen::Index size() const { return mass_.size(); }  // G
  const Vector& mass() const { return mass_; }        // m (G), sums to 1
  const Vector& edges() const { return edges_; }      // (G-1) ascending, outcomes between levels
  int level_of(double value) const;                   // 0..G-1
  // The outcome below which a share of the prediction p (G) lies, were it spread evenly over each
  // level; the outer levels end at these outcomes.
  double quantile(ConstVectorRef p, double share, double lowest, double highest) const;
  // Predictions over the cells (M,N) as predictions over the levels (G,N).
  Matrix merged(Eigen::Ref<const MatrixOf<float>> cells) const;

 private:
  std::vector<int> level_of_cell_;  // (M)
  Vector mass_, edges_;
};

class Calibration {
 public:
  // `inverse_temperature`: b before any results.
  explicit Calibration(double inverse_temperature = Tuning::first_inverse_temperature);

  // For models that begin anew: with the b that was right for these ones when they were young. The
  // account is the study's and goes on.
  Calibration opening() const;

  struct Nats {
    double predicted = 0.0;
    double observed = 0.0;
  };
  // Means over a batch with predictions P (G,N) and outcomes on `levels` (N), before it is learned.
  Nats assess(const OutcomeLevels& on, ConstMatrixRef P, std::span<const int> levels) const;
  // A prediction p (G) as it is used: corrected for overconfidence.
  Vector corrected(const OutcomeLevels& on, ConstVectorRef p) const;
  // Mean E of a batch whose outcomes are not known yet, as shown.
  double predicted(const OutcomeLevels& on, ConstMatrixRef P) const;
  // Takes the batch into the account and into the choice of b.
  void learn(const OutcomeLevels& on, ConstMatrixRef P, std::span<const int> levels);

  double inverse_temperature() const {
    return inverse_temperature_;
  }  // b: 0 = predictions carry no information, 1 = used as they are

  void write(StateWriter& out) const;
  void read(StateReader& in);

 private:
  Vector scores_;  // log scores at b = 0, 1/16 ... 1, summed over results, older ones fading
  double inverse_temperature_;
  double opening_;            // b after the first few batches
  double bias_ = 0.0;         // c, nats
  std::int64_t batches_ = 0;  // learned
};

}  // namespace vbo
