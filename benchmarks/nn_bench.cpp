// SPDX-License-Identifier: MIT
// Speed of network updates, each with the operations it executes and the share of this machine's
// own matrix-product peak it reaches. One thread. Nothing is timed before its answer was checked.
//   nn_bench                                            a table
//   nn_bench --benchmark_out=ours.json                  for benchmarks/peers/compare_updates.py
#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
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

// CPU seconds of this thread: what others do on the machine does not count.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

MatrixOf<float> random(Index rows, Index cols, std::uint64_t seed) {
  Rng rng(seed, "nn-bench");
  MatrixOf<float> out(rows, cols);
  for (Index i = 0; i < out.size(); ++i) out.data()[i] = static_cast<float>(rng.normal());
  return out;
}

// The fastest product this machine does on one thread, by Eigen or by us, over sizes that fit the
// caches and sizes that do not: operations per second.
double peak() {
  static const double best = [] {
    double fastest = 0;
    for (const Index n : {256, 512, 1024}) {
      const MatrixOf<float> A = random(n, n, 1), B = random(n, n, 2);
      MatrixOf<float> C(n, n), D(n, n);
      const auto time = [&](auto&& product) {
        for (Index repeat = 0; repeat < 20 * 1024 / n; ++repeat) {
          const double start = cpu_seconds();
          product();
          const double operations = 2.0 * std::pow(static_cast<double>(n), 3);
          fastest = std::max(fastest, operations / (cpu_seconds() - start));
        }
      };
      time([&] { C.noalias() = A * B; });
      time([&] { gemm<float>(n, n, n, {A.data(), n}, {B.data(), n}, {D.data(), n}); });
      if ((C - D).cwiseAbs().maxCoeff() > 1e-3F) {
        std::fputs("nn_bench: the two products differ\n", stderr);
        std::exit(1);
      }
    }
    return fastest;
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
  const double start = cpu_seconds();
  for (auto _ : state) benchmark::DoNotOptimize(update());
  const double seconds = (cpu_seconds() - start) / static_cast<double>(state.iterations());
  state.counters["seconds_per_update"] = seconds;
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

// -[ mean T(true) - log mean e^T(reference) ] with its gradient; T (1, columns), of each step's
// columns the first half true, the second half reference.
double donsker_varadhan(Index step_columns, const MatrixOf<float>& T, MatrixOf<float>& dT) {
  dT.resize(1, T.cols());
  const Index half = step_columns / 2;
  const auto count = static_cast<double>(T.cols()) / 2;
  double mean = 0, sum = 0;
  for (Index at = 0; at < T.cols(); at += step_columns) {
    mean += static_cast<double>(T.middleCols(at, half).sum());
    dT.middleCols(at, half).setConstant(static_cast<float>(-1 / count));
    dT.middleCols(at + half, half) = T.middleCols(at + half, half).array().exp();
    sum += static_cast<double>(dT.middleCols(at + half, half).sum());
  }
  for (Index at = 0; at < T.cols(); at += step_columns) {
    dT.middleCols(at + half, half) /= static_cast<float>(sum);
  }
  return -(mean / count - std::log(sum / count));
}

// One Adam step of an LSTM critic: D = 11, H = 64, B = 64, R reference branches, full
// back-propagation through `steps`, head 64 -> 64 -> 1, gradient-norm clipping.
void lstm_update(benchmark::State& state, Index references) {
  const Index D = 11, H = 64, B = 64, steps = state.range(0);
  const SequenceShape sequence = {.steps = steps, .batch = B, .references = references};
  ModifiedLstm<float> lstm({.inputs = D, .hidden = H});
  Mlp<float> head(MlpShape({64, 64, 1}, Activation::elu));
  Rng rng(1);
  init_lstm(lstm, rng);
  init_uniform_fan_in(head.shape(), head.parameters(), rng);
  const AdamOptions options = {.learning_rate = 2e-4};
  Adam<float> lstm_adam(lstm.shape().parameters(), options);
  Adam<float> head_adam(head.shape().parameters(), options);
  const MatrixOf<float> X = random(D, sequence.columns(), 3);
  MatrixOf<float> T, dT, dH;
  const auto columns = static_cast<double>(sequence.step_columns());
  const double recurrent = 8.0 * 64 * 64 * 64, cells = 8.0 * 64 * 11 * columns + recurrent;
  const double dense = 3 * 2 * columns * (64 * 64 + 64);
  // W u and U h; dW and dU; U^T dz, except at the first step; the head three times.
  const double products = static_cast<double>(steps) * (2 * cells + recurrent + dense) - recurrent;
  measure(state, products, [&] {
    T = head.forward(lstm.forward(sequence, X));
    const double loss = donsker_varadhan(sequence.step_columns(), T, dT);
    head.backward(dT, dH);
    lstm.backward(dH, {});
    clip_norm(lstm.gradient(), 1.0);
    clip_norm(head.gradient(), 1.0);
    lstm_adam.step(lstm.parameters(), lstm.gradient());
    head_adam.step(head.parameters(), head.gradient());
    return loss;
  });
}
void lstm_critic_update(benchmark::State& state) { lstm_update(state, 1); }
void plain_lstm_update(benchmark::State& state) { lstm_update(state, 0); }
BENCHMARK(lstm_critic_update)->Arg(20)->Arg(100)->Unit(benchmark::kMillisecond);
BENCHMARK(plain_lstm_update)->Arg(20)->Arg(100)->Unit(benchmark::kMillisecond);

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
  const double start = cpu_seconds();
  for (auto _ : state) multiply();
  state.counters["gflops"] = 2e-9 * static_cast<double>(m * n * k) *
                             static_cast<double>(state.iterations()) / (cpu_seconds() - start);
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
