// SPDX-License-Identifier: MIT
// The critics' judgement with a Gaussian process beside it: whoever predicts new results better has
// more of a say. Expected outcomes are stacked,
//   (1 - w) m(x) + w mu(x),
// where w is what a least-squares fit without negative coefficients gives to the process on results
// that neither had seen, averaged over rounds. The ablations of VBO-MI replace one term outright:
//   mu(x) + sqrt(beta) I(X,f;Y)      and      (1 - w) m(x) + w mu(x) + sqrt(beta) sigma(x).
// The process sees a bounded number of results, so a round costs the same at any number of them:
// all while they are few, then those nearest to the local search, in its frame (process_view.hpp).
// Where there are no numbers to search over, the best result lies elsewhere or too little of what
// is near differs, it is the best ones and a uniform sample of the rest. While w is next to nothing
// the process mostly rests. Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "models/gp/gp.hpp"
#include "optim/surrogate/gp_method.hpp"
#include "optim/vbo/constants.hpp"
#include "optim/vbo/judge.hpp"
#include "optim/vbo/lesson.hpp"
#include "optim/vbo/process_view.hpp"

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

class GpJudge final : public Judge {
 public:
  GpJudge(const Critics& critics, const Frame& frame, const Encoding& encoding,
          const VboGpOptions& options, const OptimizerOptions& common);

  void examine(const Archive& archive, const Replay& replay, const std::vector<int>& fresh,
               int threads) override;
  Learning learning(const Archive& archive, const Replay& replay, std::int64_t round) override;
  using Judge::judge;
  const Judgement& judge(nn::InputRef<float> X, double weight, int threads, Room& room,
                         MatrixOf<float>* dX = nullptr) const override;
  Matrix forecast(const OutcomeLevels& levels, nn::InputRef<float> X, int threads) override;
  std::vector<bool> knows(ConstMatrixRef X) const override;
  Process process() const override;
  double noise_variance() const override { return noise_variance_; }

  // Share of the process in the expected outcome.
  double gp_weight() const;

  // What there was before the last fit; learning again from the same archive repeats it.
  void write(StateWriter& out) const override;
  void read(StateReader& in) override;

 private:
  struct Fit {
    GaussianProcess model;
    TargetScale scale;
    double best = 0.0;        // highest mean at a result
    double likelihood = 0.0;  // logarithm, of outcomes, whatever their bend
  };
  struct Fits;
  std::vector<int> look_nearby(const Archive& archive, int most);
  Fit fitted(const Lesson& lesson, int warp, std::int64_t round, int threads) const;
  void take_best(Fits& fits);
  void explore(ConstMatrixRef X, double weight, Judgement& judgement, MatrixOf<float>* dX) const;

  const Critics& critics_;
  const Frame& frame_;
  GpOptions model_options_;
  VboGpOptions options_;
  std::uint64_t seed_;
  std::optional<GaussianProcess> model_;         // empty while it rests
  Vector state_before_fit_;                      // empty before the first fit
  Vector state_;                                 // after it
  std::int64_t warp_before_fit_ = 0, warp_ = 0;  // Warp::choice
  double weight_ = Tuning::gp_first_weight;      // w
  double noise_variance_ = 0.0;                  // in squared normal scores, by the last fit
  bool near_before_fit_ = false;
  ProcessView view_;
  TargetScale scale_;
  double best_ = 0.0;      // highest mean at a result
  Matrix held_out_{3, 0};  // expected by critics and process, and found: not weighed yet
};

}  // namespace vbo
