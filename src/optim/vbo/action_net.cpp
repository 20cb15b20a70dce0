// SPDX-License-Identifier: MIT
#include "optim/vbo/action_net.hpp"

#include <algorithm>
#include <cmath>

#include "nn/gumbel.hpp"
#include "nn/init.hpp"
#include "nn/snapshot.hpp"
#include "numerics/special.hpp"

namespace vbo {
namespace {

nn::MlpShape action_shape(Eigen::Index dimension, const VboOptions& options) {
  std::vector<int> widths{static_cast<int>(std::max<Eigen::Index>(1, dimension))};
  for (const std::int64_t width : options.hidden) widths.push_back(static_cast<int>(width));
  widths.push_back(widths.front());
  return nn::MlpShape(widths, nn::Activation::tanh);
}

MatrixOf<float> draw_seeds(Eigen::Index dimension, int n, Rng& rng) {
  MatrixOf<float> S(dimension, n);
  for (float& s : S.reshaped()) s = static_cast<float>(rng.normal());
  return S;
}

}  // namespace

ActionNet::ActionNet(const Encoding& encoding, const VboOptions& options, std::uint64_t seed)
    : encoding_(encoding),
      options_(options),
      seed_(seed),
      net_(action_shape(encoding.dimension(), options)),
      adam_(net_.shape().parameters(), {.learning_rate = options.action_rate}) {
  Rng rng(seed, "action-net-init");
  nn::init_uniform_fan_in(net_.shape(), net_.parameters(), rng);
  nn::zero_last_layer(net_.shape(), net_.parameters());
}

void ActionNet::forward(nn::InputRef<float> S) {
  Z_ = S + net_.forward(S);
  X_ = Z_.unaryExpr([](float z) { return normal_cdf(z); });
  for (const Encoding::Block& block : encoding_.blocks()) {
    if (block.kind != ParameterKind::categorical) continue;
    auto rows = X_.middleRows(block.offset, block.width);
    MatrixOf<float> hard(block.width, X_.cols());
    nn::one_hot_argmax<float>(rows, hard);
    rows = hard;
  }
}

MatrixOf<float> ActionNet::act(int n, Rng& rng) {
  forward(draw_seeds(encoding_.dimension(), n, rng));
  return X_;
}

ActionNet::Gauge ActionNet::train(Judge& judge, int batch, std::int64_t round, int threads) {
  Rng rng(seed_, "action-net-seeds", static_cast<std::uint64_t>(round));
  const double weight = std::sqrt(options_.beta);
  Gauge gauge;
  for (std::int64_t step = 0; step < options_.action_steps; ++step) {
    forward(draw_seeds(encoding_.dimension(), batch, rng));
    MatrixOf<float> dX;  // (D,batch)
    const Judgement& judgement = judge.judge(X_, weight, threads, &dX);
    gauge = {judgement.exploitation, judgement.input_information, judgement.model_information};
    // Descend on the negative objective: dL/dE = -dX phi(z), with dx/dz = phi(z).
    const MatrixOf<float> dE =
        -dX.cwiseProduct(Z_.unaryExpr([](float z) { return normal_pdf(z); }));
    net_.backward(dE);
    adam_.step(net_.parameters(), net_.gradient());
  }
  return gauge;
}

void ActionNet::write(StateWriter& out) const {
  std::string bytes;
  nn::save(net_, bytes);
  nn::save(adam_, bytes);
  out.put_array(std::span<const char>(bytes));
}

void ActionNet::read(StateReader& in) {
  std::string bytes;
  nn::save(net_, bytes);  // the same shape takes the same room
  nn::save(adam_, bytes);
  in.get_array(std::span<char>(bytes));
  std::string_view rest = bytes;
  if (in.ok() && !(nn::load(rest, net_) && nn::load(rest, adam_))) in.fail();
}

}  // namespace vbo
