// SPDX-License-Identifier: MIT
// Speed of network updates, each with the operations it executes and the share of this machine's
// own matrix-product peak it reaches. One thread. Nothing is timed before its answer was checked.
//   nn_bench                                            a table
//   nn_bench --benchmark_out=ours.json                  for benchmarks/peers/compare_updates.py
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "nn/adam.hpp"
#include "nn/init.hpp"
#include "nn/loss.hpp"
#include "nn/lstm.hpp"
#include "numerics/flops.hpp"

namespace {

using vbo::MatrixOf;
using vbo::Rng;
using namespace vbo::nn;

MatrixOf<float> random(Index rows, Index cols, std::uint64_t seed) {
  Rng rng(seed, "nn-bench");
  MatrixOf<float> out(rows, cols);
  for (Index i = 0; i < out.size(); ++i) out.data()[i] = static_cast<float>(rng.normal());
  return out;
}

// The fastest large product on one thread, Eigen's or ours, whichever is better: operations/second.
double peak() {
  static const double best = [] {
    const Index n = 768;
    const MatrixOf<float> A = random(n, n, 1), B = random(n, n, 2);
    MatrixOf<float> C(n, n), D(n, n);
    double fastest = 1e9;
    const auto time = [&](auto&& product) {
      for (int repeat = 0; repeat < 20; ++repeat) {
        const auto start = std::chrono::steady_clock::now();
        product();
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
        fastest = std::min(fastest, spent.count());
      }
    };
    time([&] { C.noalias() = A * B; });
    time([&] { gemm<float>(n, n, n, {A.data(), n}, {B.data(), n}, {D.data(), n}); });
    if ((C - D).cwiseAbs().maxCoeff() > 1e-3F) {
      std::fputs("nn_bench: the two large products differ\n", stderr);
      std::exit(1);
    }
    return 2.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n) / fastest;
  }();
  return best;
}

// Runs `update` repeatedly; `products` are its matrix-product operations by hand count.
template <class Update>
void measure(benchmark::State& state, double products, Update update) {
  double first = 0, last = 0;
  std::uint64_t counted = 0;
  {
    const vbo::flops::Scope scope;
    first = update();
    counted = scope.count();
  }
  for (int i = 0; i < 50; ++i) last = update();
  if (!std::isfinite(last) || last >= first) {
    state.SkipWithError("the loss does not fall: refusing to time a wrong update");
    return;
  }
  peak();
  const auto start = std::chrono::steady_clock::now();
  for (auto _ : state) benchmark::DoNotOptimize(update());
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  const double seconds = spent.count() / static_cast<double>(state.iterations());
  state.counters["flops"] = static_cast<double>(counted);
  state.counters["gemm_flops"] = products;
  state.counters["gflops"] = static_cast<double>(counted) / seconds * 1e-9;
  state.counters["peak_gflops"] = peak() * 1e-9;
  state.counters["share_of_peak"] = products / seconds / peak();
}

// One Adam step of a critic: D = 20 inputs, 64-64 hidden units, 32 outcome levels, batch 128.
void critic_update(benchmark::State& state, Activation activation) {
  const Index D = 20, M = 32, N = 128;
  const MlpShape shape({static_cast<int>(D), 64, 64, static_cast<int>(M)}, activation);
  Mlp<float> net(shape);
  Adam<float> adam(shape.parameters(), {.learning_rate = 1e-3});
  Rng rng(1);
  init_uniform_fan_in(shape, net.parameters(), rng);
  const MatrixOf<float> X = random(D, N, 3);
  std::vector<int> target(static_cast<std::size_t>(N));
  for (int& level : target) level = static_cast<int>(rng.below(static_cast<std::uint64_t>(M)));
  MatrixOf<float> dlogits;
  const double layers = 20 * 64 + 64 * 64 + 64 * 32, without_first = 64 * 64 + 64 * 32;
  measure(state, 2.0 * 128 * (2 * layers + without_first), [&] {
    const double loss = softmax_cross_entropy<float>(net.forward(X), target, &dlogits);
    net.backward(dlogits);
    adam.step(net.parameters(), net.gradient());
    return loss;
  });
}
BENCHMARK_CAPTURE(critic_update, tanh, Activation::tanh);
BENCHMARK_CAPTURE(critic_update, relu, Activation::relu);
BENCHMARK_CAPTURE(critic_update, silu, Activation::silu);

// -[ mean T(true) - log mean e^T(reference) ] over all steps, with its gradient; T (1, columns).
double donsker_varadhan(const SequenceShape& s, const MatrixOf<float>& T, MatrixOf<float>& dT) {
  dT.resize(1, T.cols());
  const Index B = s.batch;
  const auto count = static_cast<float>(B * s.steps);
  double mean = 0, sum = 0;
  for (Index t = 0; t < s.steps; ++t) {
    const Index at = t * s.step_columns();
    mean += static_cast<double>(T.middleCols(at, B).sum());
    dT.middleCols(at, B).setConstant(-1.0F / count);
    dT.middleCols(at + B, B) = T.middleCols(at + B, B).array().exp();
    sum += static_cast<double>(dT.middleCols(at + B, B).sum());
  }
  for (Index t = 0; t < s.steps; ++t) {
    dT.middleCols(t * s.step_columns() + B, B) /= static_cast<float>(sum);
  }
  const auto n = static_cast<double>(B * s.steps);
  return -(mean / n - std::log(sum / n));
}

// One Adam step of an LSTM critic: D = 11, H = 64, B = 64, one reference branch, full
// back-propagation through `steps`, head 64 -> 64 -> 1, gradient-norm clipping.
void lstm_critic_update(benchmark::State& state) {
  const Index D = 11, H = 64, B = 64, steps = state.range(0);
  const SequenceShape sequence = {.steps = steps, .batch = B, .references = 1};
  ModifiedLstm<float> lstm({.inputs = D, .hidden = H});
  Mlp<float> head(MlpShape({64, 64, 1}, Activation::elu));
  Rng rng(1);
  init_lstm(lstm, rng);
  init_uniform_fan_in(head.shape(), head.parameters(), rng);
  const AdamOptions options = {.learning_rate = 2e-3};
  Adam<float> lstm_adam(lstm.shape().parameters(), options);
  Adam<float> head_adam(head.shape().parameters(), options);
  const MatrixOf<float> X = random(D, sequence.columns(), 3);
  MatrixOf<float> T, dT, dH;
  const double columns = 2.0 * 64, cells = 8.0 * 64 * (11 * columns + 64 * 64);
  const double back = cells + 8.0 * 64 * 64 * 64, dense = 2 * columns * (64 * 64 + 64) * 3;
  const double products = static_cast<double>(steps) * (cells + back + dense) - 8.0 * 64 * 64 * 64;
  measure(state, products, [&] {
    T = head.forward(lstm.forward(sequence, X));
    const double loss = donsker_varadhan(sequence, T, dT);
    head.backward(dT, dH);
    lstm.backward(dH, {});
    clip_norm(lstm.gradient(), 1.0);
    clip_norm(head.gradient(), 1.0);
    lstm_adam.step(lstm.parameters(), lstm.gradient());
    head_adam.step(head.parameters(), head.gradient());
    return loss;
  });
}
BENCHMARK(lstm_critic_update)->Arg(20)->Arg(100)->Unit(benchmark::kMillisecond);

// One product of the sizes above, ours and Eigen's.
void product(benchmark::State& state, bool ours) {
  const Index m = state.range(0), n = state.range(1), k = state.range(2);
  const MatrixOf<float> A = random(m, k, 1), B = random(k, n, 2);
  MatrixOf<float> C(m, n);
  const auto multiply = [&] {
    if (ours) {
      gemm<float>(m, n, k, {A.data(), m}, {B.data(), k}, {C.data(), m});
    } else {
      C.noalias() = A * B;
    }
    benchmark::DoNotOptimize(C.data());
    benchmark::ClobberMemory();
  };
  const auto start = std::chrono::steady_clock::now();
  for (auto _ : state) multiply();
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  state.counters["gflops"] = 2e-9 * static_cast<double>(m * n * k) *
                             static_cast<double>(state.iterations()) / spent.count();
}
BENCHMARK_CAPTURE(product, ours, true)
    ->Args({64, 128, 64})
    ->Args({32, 128, 64})
    ->Args({256, 64, 64});
BENCHMARK_CAPTURE(product, eigen, false)
    ->Args({64, 128, 64})
    ->Args({32, 128, 64})
    ->Args({256, 64, 64});

}  // namespace

BENCHMARK_MAIN();
