// SPDX-License-Identifier: MIT
// The panel of the flagship: critics weighed by the information that each had about new results
// before it was trained on them (panel_weights.hpp). It predicts
//   q(y|x) = sum_k w_k q_k(y|x)      and      m(x) = sum_k w_k m_k(x) / sum_k w_k,
// both over the critics that cover x; the marginal of outcomes is a member of the first sum. The
// ablations of VBO-MI replace a term of the score outright: m(x) by the Gaussian process's mean, or
// the information by its deviation. Adding a critic: implement Critic, add it to the constructor.
// Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "optim/vbo/constants.hpp"
#include "optim/vbo/critics/gp_critic.hpp"
#include "optim/vbo/critics/network_critic.hpp"
#include "optim/vbo/critics/outcome_scale.hpp"
#include "optim/vbo/critics/panel_weights.hpp"
#include "optim/vbo/critics/quadratic_critic.hpp"
#include "optim/vbo/critics/search_surrogate.hpp"

namespace vbo {

enum class GpRole { assists, explores, exploits };

struct VboGpOptions {
  VboOptions vbo;
  GpRole role = GpRole::assists;
};
void bind(OptionBinder& binder, VboGpOptions& options);
// An ablation of vbo with information in its objective: a term of it is left to the process.
VboGpOptions vbo_ablation(GpRole role);

class Panel final : public SearchSurrogate {
 public:
  // Networks, coordinates and encoding outlive it.
  Panel(Networks& networks, const LocalCoordinates& coordinates, const Encoding& encoding,
        const VboGpOptions& options, const OptimizerOptions& common);

  Panel(const Panel&) = delete;
  Panel& operator=(const Panel&) = delete;

  // Once per round, before anything is trained on new results at codes X (D,N) with outcomes on
  // these of the last round's levels: returns what the panel predicted for them over the levels
  // (G,N), and weighs its critics by what each predicted.
  Matrix examine(ConstMatrixRef X, std::span<const int> levels, int threads);

  // Once per round: the training of all critics.
  enum class Scope { all, not_stored };
  Learning learning(const Archive& archive, const Replay& replay, std::int64_t round,
                    Scope scope = Scope::all);
  // All at once of what write() does not store, as when a study is resumed.
  void learn(const Archive& archive, const Replay& replay, std::int64_t round, int threads = 1);

  using SearchSurrogate::assess;
  const Assessment& assess(nn::InputRef<float> X, double weight, int threads, Workspace& workspace,
                           MatrixOf<float>* dX = nullptr) const override;
  // Expected outcomes in normal scores at codes X (D,N).
  Vector expected(ConstMatrixRef X, int threads) const;
  // Predictions of outcomes over the levels (G,N): columns add up to one.
  Matrix forecast(ConstMatrixRef X, int threads) const;
  // Where the most local of its fitted models is valid.
  std::vector<bool> knows(ConstMatrixRef X) const;

  const OutcomeLevels& levels() const { return levels_; }  // of the last round
  GpMember gp_member() const;
  const TargetScale& gp_scale() const { return gp_->scale(); }  // REQUIRES: there is a gp_member()
  // Of an observation, in squared normal scores; 0 without an estimate.
  double noise_variance() const { return gp_ ? gp_->noise_variance() : 0.0; }
  // Of a critic by its name, 0 where the panel has none.
  double weight(std::string_view name) const;

  void write(StateWriter& out) const;
  void read(StateReader& in);

 private:
  struct Predictions {
    std::vector<Matrix> of_critic;  // (G,N); empty where a critic is not fitted
    Matrix covered;                 // (K,N) 1 or 0, the marginal last
  };
  Predictions predictions(ConstMatrixRef X, int threads) const;
  Matrix mixture(const Predictions& predicted) const;
  Matrix shares(ConstMatrixRef X) const;
  Vector add_means(ConstMatrixRef X, const Matrix& shares, Vector sum, int threads,
                   Matrix* slope) const;

  VboGpOptions options_;
  Networks& networks_;
  const LocalCoordinates& coordinates_;
  OutcomeLevels levels_;
  OutcomeScale scale_;
  NetworkCritic network_;
  std::unique_ptr<GpCritic> gp_;                // null where there is none
  std::unique_ptr<QuadraticCritic> quadratic_;  // null where there is none
  std::vector<Critic*> critics_;                // those above
  PanelWeights weights_;                        // of the critics in this order, and the marginal
};

}  // namespace vbo
