// SPDX-License-Identifier: MIT
// The panel of the flagship: critics and a Gaussian process (GP), weighted by how well each
// predicts new results. Expected outcomes are stacked,
//   (1 - w) m(x) + w mu(x),
// where w is the non-negative least-squares weight of the GP on results that neither had seen,
// averaged over rounds. The ablations of VBO-MI replace one term outright:
//   mu(x) + sqrt(beta) I(X,f;Y)      and      (1 - w) m(x) + w mu(x) + sqrt(beta) sigma(x).
// The GP is fitted to a bounded number of results, so a round costs the same at any number of them:
// all while they are few, then those nearest to the local search, in its coordinates
// (gp_window.hpp). Without numeric parameters, when the best result lies elsewhere, or when nearby
// results differ too little, it is the best ones and a uniform sample of the rest. While w is
// nearly zero the GP is skipped in most rounds. Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "models/gp/gp.hpp"
#include "optim/surrogate/gp_method.hpp"
#include "optim/vbo/constants.hpp"
#include "optim/vbo/critics/gp_window.hpp"
#include "optim/vbo/critics/search_surrogate.hpp"
#include "optim/vbo/critics/training_subset.hpp"

namespace vbo {

enum class GpRole { assists, explores, exploits };

struct VboGpOptions {
  VboOptions vbo;
  GpModelOptions model;
  GpRole role = GpRole::assists;
};
void bind(OptionBinder& binder, VboGpOptions& options);
// An ablation of vbo with information in its objective: a term of it is left to the process.
VboGpOptions vbo_ablation(GpRole role);

class SurrogatePanel final : public SearchSurrogate {
 public:
  SurrogatePanel(const Critics& critics, const LocalCoordinates& coordinates,
                 const Encoding& encoding, const VboGpOptions& options,
                 const OptimizerOptions& common);

  void examine(const Archive& archive, const Replay& replay, const std::vector<int>& fresh,
               int threads) override;
  Learning learning(const Archive& archive, const Replay& replay, std::int64_t round) override;
  using SearchSurrogate::assess;
  const Assessment& assess(nn::InputRef<float> X, double weight, int threads, Workspace& workspace,
                           MatrixOf<float>* dX = nullptr) const override;
  Matrix forecast(const OutcomeLevels& levels, nn::InputRef<float> X, int threads) override;
  std::vector<bool> knows(ConstMatrixRef X) const override;
  GpMember gp_member() const override;
  double noise_variance() const override { return noise_variance_; }

  // Share of the GP in the expected outcome.
  double gp_weight() const;

  // What there was before the last fit; learning again from the same archive repeats it.
  void write(StateWriter& out) const override;
  void read(StateReader& in) override;

 private:
  struct Fit {
    GaussianProcess model;
    TargetScale scale;
    double best = 0.0;        // highest mean at a result
    double likelihood = 0.0;  // logarithm, of outcomes, whatever the warp
  };
  struct Fits;
  std::vector<int> look_nearby(const Archive& archive, int most);
  Fit fitted(const TrainingSubset& subset, int warp, std::int64_t round, int threads) const;
  void take_best(Fits& fits);
  void explore(ConstMatrixRef X, double weight, Assessment& assessment, MatrixOf<float>* dX) const;

  const Critics& critics_;
  const LocalCoordinates& coordinates_;
  GpOptions model_options_;
  VboGpOptions options_;
  std::uint64_t seed_;
  std::optional<GaussianProcess> model_;         // empty while it is skipped
  Vector state_before_fit_;                      // empty before the first fit
  Vector state_;                                 // after it
  std::int64_t warp_before_fit_ = 0, warp_ = 0;  // Warp::choice
  double weight_ = Tuning::gp_first_weight;      // w
  double noise_variance_ = 0.0;                  // in squared normal scores, by the last fit
  bool near_before_fit_ = false;
  GpWindow view_;
  TargetScale scale_;
  double best_ = 0.0;      // highest mean at a result
  Matrix held_out_{3, 0};  // expected by critics and GP, and found: not weighed yet
};

}  // namespace vbo
