// SPDX-License-Identifier: MIT
// Speed of the Bayesian networks: gradients of the full data against this machine's own
// matrix-product peak, and whole fits with the operations they execute.
//   bnn_bench                                       everything
//   bnn_bench --benchmark_filter=Gradient           only the kernels
#include <benchmark/benchmark.h>

#include <chrono>
#include <cmath>
#include <ctime>

#include "models/bnn/squared_error.hpp"
#include "numerics/flops.hpp"
#include "numerics/sobol.hpp"
#include "optim/bnn/presets.hpp"

namespace {

using namespace vbo;

double seconds_of(auto&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Processor time of this thread or process: what others do on the machine does not count.
double cpu_seconds_of(auto&& work, clockid_t whose = CLOCK_THREAD_CPUTIME_ID) {
  const auto now = [whose] {
    timespec t{};
    clock_gettime(whose, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  };
  const double start = now();
  work();
  return now() - start;
}

// Operations per second of the best of 20 products of 768 x 768, Eigen's or ours, one thread.
template <class T>
double peak() {
  static const double best = [] {
    constexpr Eigen::Index n = 768;
    const MatrixOf<T> A = MatrixOf<T>::Constant(n, n, T(0.5)), B = A;
    MatrixOf<T> C(n, n);
    double fastest = 1e9;
    for (int i = 0; i < 20; ++i) {
      fastest = std::min(fastest, cpu_seconds_of([&] { C.noalias() = A * B; }));
      fastest = std::min(fastest, cpu_seconds_of([&] {
                           nn::gemm<T>(n, n, n, {A.data(), n}, {B.data(), n}, {C.data(), n});
                         }));
    }
    return static_cast<double>(flops::gemm(n, n, n)) / fastest;
  }();
  return best;
}

struct Data {
  Matrix X;
  Vector y;
};

// A smooth function of 6 variables at n Sobol points.
Data smooth(int n) {
  Data data{SobolSequence(6, 1).draw(n), Vector(n)};
  for (int i = 0; i < n; ++i)
    data.y[i] = std::sin(data.X.col(i).sum()) + data.X(0, i) * data.X(1, i);
  return data;
}

// Value and gradient of the squared error of the 6-128-128-128-1 network.
template <class T>
void Gradient(benchmark::State& state) {
  const int n = static_cast<int>(state.range(0));
  const Data data = smooth(n);
  const nn::MlpShape shape = network_shape({{128, 128, 128}, nn::Activation::tanh}, 6);
  SquaredError<T> error(shape, data.X, data.y, 1);
  Rng rng(1, "bench");
  Vector theta = random_weights(shape, rng), gradient(theta.size());
  // A step down the gradient must lower the error, or there is nothing worth timing.
  const double before = error(theta, gradient);
  const Vector lower = theta - 1e-3 / gradient.norm() * gradient;
  if (!(error(lower, gradient) < before)) {
    state.SkipWithError("the gradient is wrong");
    return;
  }
  std::uint64_t counted = 0;
  {
    const flops::Scope scope;
    error(theta, gradient);
    counted = scope.count();
  }
  const double reference = peak<T>();
  double spent = 0.0;
  for (auto _ : state)
    spent += cpu_seconds_of([&] { benchmark::DoNotOptimize(error(theta, gradient)); });
  const double rate =
      static_cast<double>(counted) * static_cast<double>(state.iterations()) / spent;
  state.counters["Mflop"] = static_cast<double>(counted) / 1e6;
  state.counters["Gflop/s"] = rate / 1e9;
  state.counters["peak_Gflop/s"] = reference / 1e9;
  state.counters["of_peak"] = rate / reference;
}
BENCHMARK(Gradient<float>)->Arg(50)->Arg(200)->Arg(1000)->Unit(benchmark::kMillisecond);
BENCHMARK(Gradient<double>)->Arg(50)->Arg(200)->Arg(1000)->Unit(benchmark::kMillisecond);

// A fit to n data on two threads, then what one suggestion needs of the posterior: 256 points
// scored, 160 evaluations with gradient.
void fit_and_predict(benchmark::State& state, Surrogate& model) {
  const Data data = smooth(static_cast<int>(state.range(0)));
  const Matrix raw = SobolSequence(6, 2).draw(256), one = raw.leftCols(1);
  std::uint64_t fit_flops = 0, ask_flops = 0;
  double fit_seconds = 0.0, fit_cpu = 0.0, ask_cpu = 0.0;
  for (auto _ : state) {
    {
      const flops::Scope scope;
      fit_cpu += cpu_seconds_of(
          [&] { fit_seconds += seconds_of([&] { model.fit(data.X, data.y, Rng(1, "bench")); }); },
          CLOCK_PROCESS_CPUTIME_ID);
      fit_flops = scope.count();
    }
    const flops::Scope scope;
    ask_cpu += cpu_seconds_of(
        [&] {
          benchmark::DoNotOptimize(model.marginals(raw)->mean().sum());
          for (int i = 0; i < 160; ++i) {
            const auto posterior = model.marginals(one);
            const Vector& mean = posterior->mean();
            benchmark::DoNotOptimize(posterior->pullback(mean, mean).sum());
          }
        },
        CLOCK_PROCESS_CPUTIME_ID);
    ask_flops = scope.count();
  }
  const auto runs = static_cast<double>(state.iterations());
  state.counters["fit_s"] = fit_seconds / runs;
  state.counters["fit_cpu_s"] = fit_cpu / runs;
  state.counters["ask_cpu_s"] = ask_cpu / runs;
  state.counters["fit_Gflop"] = static_cast<double>(fit_flops) / 1e9;
  state.counters["ask_Gflop"] = static_cast<double>(ask_flops) / 1e9;
}

void Hmc(benchmark::State& state, BnnPreset preset) {
  HmcBnnOptions options = hmc_preset(preset);
  options.threads = 2;
  HmcBnn model(options);
  fit_and_predict(state, model);
}
void Sghmc(benchmark::State& state, BnnPreset preset) {
  SghmcBnnOptions options = sghmc_preset(preset);
  options.threads = 2;
  SghmcBnn model(options);
  fit_and_predict(state, model);
}
void Laplace(benchmark::State& state, BnnPreset preset, CurvatureKind curvature) {
  LaplaceBnnOptions options = laplace_preset(preset);
  options.threads = 2;
  options.curvature = curvature;
  LaplaceBnn model(options);
  fit_and_predict(state, model);
}
#define VBO_FIT(...) \
  BENCHMARK_CAPTURE(__VA_ARGS__)->Iterations(1)->UseRealTime()->Unit(benchmark::kSecond)
VBO_FIT(Hmc, hartmann6, BnnPreset::hartmann6)->Arg(200);
VBO_FIT(Hmc, auto, BnnPreset::automatic) -> Arg(64) -> Arg(512) -> Arg(2560);
VBO_FIT(Sghmc, hartmann6, BnnPreset::hartmann6)->Arg(200);
VBO_FIT(Sghmc, auto, BnnPreset::automatic) -> Arg(64) -> Arg(512) -> Arg(2560);
VBO_FIT(Laplace, hartmann6, BnnPreset::hartmann6, CurvatureKind::kfac)->Arg(200);
VBO_FIT(Laplace, auto, BnnPreset::automatic, CurvatureKind::kfac) -> Arg(64) -> Arg(512)
    -> Arg(2560);
VBO_FIT(Laplace, auto_function_space, BnnPreset::automatic, CurvatureKind::function_space)
    ->Arg(64)
    ->Arg(512)
    ->Arg(2560);

}  // namespace

BENCHMARK_MAIN();
