// SPDX-License-Identifier: MIT
#include "optim/vbo/actors/action_net.hpp"

#include <algorithm>
#include <cmath>

#include "nn/init.hpp"
#include "nn/snapshot.hpp"
#include "numerics/flops.hpp"
#include "optim/vbo/constants.hpp"

namespace vbo {
namespace {

nn::MlpShape action_shape(Eigen::Index numeric, const VboOptions& options) {
  std::vector<int> widths{static_cast<int>(std::max<Eigen::Index>(1, numeric))};
  for (const std::int64_t width : options.hidden) widths.push_back(static_cast<int>(width));
  widths.push_back(widths.front());
  return nn::MlpShape(widths, nn::Activation::tanh);
}

// A (s + E) for all seeds (Dn,n).
Matrix steps_of(const Matrix& axes, nn::InputRef<float> S, nn::InputRef<float> E) {
  flops::add(flops::gemm(axes.rows(), S.cols(), axes.cols()));
  return axes * (S + E).cast<double>();
}

}  // namespace

ActionNet::ActionNet(Eigen::Index numeric, const VboOptions& options, std::uint64_t seed)
    : numeric_(numeric),
      options_(options),
      seed_(seed),
      net_(action_shape(numeric, options)),
      adam_(net_.shape().parameters(), {.learning_rate = options.action_rate}) {
  Rng rng(seed, "action-net-init");
  nn::init_uniform_fan_in(net_.shape(), net_.parameters(), rng);
  nn::zero_last_layer(net_.shape(), net_.parameters());
}

MatrixOf<float> ActionNet::draw_seeds(int n, Rng& rng) const {
  MatrixOf<float> S(numeric_, n);
  for (float& s : S.reshaped()) s = static_cast<float>(rng.normal());
  return S;
}

void ActionNet::act(const GaussianActor& actor, std::vector<Vector>& codes, Rng& rng) {
  const MatrixOf<float> S = draw_seeds(static_cast<int>(std::ssize(codes)), rng);
  const Matrix steps = steps_of(actor.axes(), S, net_.forward(S));
  for (std::size_t i = 0; i < codes.size(); ++i) {
    actor.place(steps.col(static_cast<Eigen::Index>(i)), codes[i]);
  }
}

double ActionNet::objective(SearchSurrogate& surrogate, const GaussianActor& actor, const Matrix& A,
                            ConstVectorRef base, nn::InputRef<float> S, int threads) {
  const Eigen::Index n = S.cols();
  const MatrixOf<float> E = net_.forward(S);
  const Matrix steps = steps_of(A, S, E);
  MatrixOf<float> X(base.size(), n);
  Vector code = base;
  for (Eigen::Index i = 0; i < n; ++i) {
    actor.place(steps.col(i), code);
    X.col(i) = code.cast<float>();
  }
  MatrixOf<float> dX;  // d mean(score) / dX
  const double score = surrogate.assess(X, std::sqrt(options_.beta), threads, &dX).score.mean();
  Matrix d_steps(numeric_, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    d_steps.col(i) = actor.pull_back(steps.col(i), dX.col(i).cast<double>());
  }
  const double lambda = Tuning::action_penalty / static_cast<double>(n);
  flops::add(flops::gemm(A.cols(), n, A.rows()));
  // d(-objective)/dE = lambda E - A^T d_steps
  net_.backward(static_cast<float>(lambda) * E - (A.transpose() * d_steps).cast<float>());
  return score - 0.5 * lambda * static_cast<double>(E.squaredNorm());
}

void ActionNet::train(SearchSurrogate& surrogate, const GaussianActor& actor, ConstVectorRef base,
                      int batch, std::int64_t round, int threads) {
  Rng rng(seed_, "action-net-seeds", static_cast<std::uint64_t>(round));
  const Matrix A = actor.axes();
  for (std::int64_t step = 0; step < options_.action_steps; ++step) {
    objective(surrogate, actor, A, base, draw_seeds(batch, rng), threads);
    adam_.step(net_.parameters(), net_.gradient());
  }
}

void ActionNet::write(StateWriter& out) const {
  std::string bytes;
  nn::save(net_, bytes);
  nn::save(adam_, bytes);
  out.put_array(std::span<const char>(bytes));
}

void ActionNet::read(StateReader& in) {
  std::string bytes;
  nn::save(net_, bytes);  // the same shape takes the same workspace
  nn::save(adam_, bytes);
  in.get_bytes(bytes);
  std::string_view rest = bytes;
  if (in.ok() && !(nn::load(rest, net_) && nn::load(rest, adam_))) in.fail();
}

}  // namespace vbo
