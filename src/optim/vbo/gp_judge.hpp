// SPDX-License-Identifier: MIT
// The ablations of VBO-MI: the critics' judgement with one term taken over by a Gaussian process on
// normal scores. vbo-gp-exploration replaces the information by the posterior deviation,
// vbo-gp-exploitation the critics' mean by the posterior mean:
//   m(x) + sqrt(beta) sigma_GP(x)      and      mu_GP(x) + sqrt(beta) I(X,f;Y)
// The process sees a bounded number of results, the best and a uniform sample of the rest, so a
// round costs the same at any number of them. Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "models/gp/gp.hpp"
#include "optim/surrogate/gp_method.hpp"
#include "optim/vbo/judge.hpp"

namespace vbo {

enum class GpTerm { exploration, exploitation };

struct VboGpOptions {
  VboOptions vbo;
  GpModelOptions model;
  GpTerm replaces = GpTerm::exploration;
  std::int64_t gp_points = 400;    // results a fit looks at; time grows with the cube
  std::int64_t gp_iterations = 8;  // of L-BFGS per round, from where the last round ended
};
void bind(OptionBinder& binder, VboGpOptions& options);

class GpJudge final : public Judge {
 public:
  GpJudge(Critics& critics, const Frame& frame, const Encoding& encoding,
          const VboGpOptions& options, std::uint64_t seed);

  // Fits to the results of `archive`, as many as the options allow.
  void learn(const Archive& archive, const Replay& replay, std::int64_t round) override;
  const Judgement& judge(nn::InputRef<float> X, double weight, int threads,
                         MatrixOf<float>* dX) override;

  // Hyper-parameters before the last fit; learning again from the same archive repeats it.
  void write(StateWriter& out) const override;
  void read(StateReader& in) override;

 private:
  Critics& critics_;
  const Frame& frame_;
  GpOptions model_options_;
  VboGpOptions options_;
  std::uint64_t seed_;
  std::optional<GaussianProcess> model_;
  Vector state_before_fit_;
  Judgement judgement_;
};

}  // namespace vbo
