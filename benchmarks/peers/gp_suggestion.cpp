// SPDX-License-Identifier: MIT
// Times one suggestion: fit of the Gaussian process from scratch, then LogEI maximized.
//   gp_suggestion DATA.csv [N] [REPEATS] [KERNEL: matern52|rbf]
//                 [PRIOR: botorch|dimension-scaled|gamma] [THREADS, 0 = all cores as by default]
// DATA.csv has one line per point: inputs in [0,1], then the value (to be maximized); the first N
// lines are used. Prints one JSON object. botorch_suggestion.py does the same with BoTorch.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "models/gp/gp.hpp"
#include "optim/surrogate/acquisition.hpp"
#include "optim/surrogate/gp_method.hpp"

using namespace vbo;

namespace {

std::vector<std::vector<double>> read_rows(const char* path, std::size_t most) {
  std::vector<std::vector<double>> rows;
  std::ifstream file(path);
  for (std::string line; rows.size() < most && std::getline(file, line);) {
    std::vector<double> row;
    std::stringstream fields(line);
    for (std::string field; std::getline(fields, field, ',');) row.push_back(std::stod(field));
    if (!row.empty()) rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr,
                 "usage: gp_suggestion DATA.csv [N] [REPEATS] [KERNEL] [PRIOR] [THREADS]\n");
    return 2;
  }
  const auto rows = read_rows(argv[1], argc > 2 ? std::stoul(argv[2]) : 1000000);
  const int repeats = argc > 3 ? std::stoi(argv[3]) : 3;
  GpMethodOptions options = gp_method(Acquisition::log_ei);
  OptionMap given{{"kernel", std::string(argc > 4 ? argv[4] : "rbf")},
                  {"prior", std::string(argc > 5 ? argv[5] : "botorch")}};
  OptionBinder binder(given);
  bind(binder, options.model);
  if (const auto read = binder.finish("gp-logei"); !read) {
    std::fprintf(stderr, "%s\n", read.error().message.c_str());
    return 2;
  }
  options.surrogate.max_points = 20000;
  const int threads = argc > 6 ? std::stoi(argv[6]) : OptimizerOptions().threads;
  if (rows.empty() || rows[0].size() < 2) {
    std::fprintf(stderr, "%s: expected lines of inputs and a value\n", argv[1]);
    return 2;
  }
  const auto D = static_cast<Eigen::Index>(rows[0].size()) - 1;
  std::vector<Parameter> parameters;
  for (Eigen::Index k = 0; k < D; ++k) {
    parameters.push_back(Parameter::real("x" + std::to_string(k), 0.0, 1.0));
  }
  const Space space = Space::make(parameters).value();
  Matrix X(D, static_cast<Eigen::Index>(rows.size()));
  Vector y(X.cols());
  std::vector<Trial> trials;
  for (Eigen::Index i = 0; i < X.cols(); ++i) {
    const std::vector<double>& row = rows[static_cast<std::size_t>(i)];
    Trial trial;
    trial.id = i + 1;
    for (Eigen::Index k = 0; k < D; ++k) {
      X(k, i) = row[static_cast<std::size_t>(k)];
      trial.point.emplace_back(X(k, i));
    }
    y[i] = row.back();
    trial.state = TrialState::completed;
    trial.values = {y[i]};
    trials.push_back(std::move(trial));
  }

  std::vector<double> seconds;
  Suggestion suggestion;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    GpMethod method(space, {.seed = static_cast<std::uint64_t>(repeat), .threads = threads},
                    options);
    method.tell(trials);
    const auto start = std::chrono::steady_clock::now();
    suggestion = method.ask(std::vector<TrialId>{X.cols() + 1})[0];
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::sort(seconds.begin(), seconds.end());

  GpOptions model = gp_options(Encoding(space), options.model);
  model.threads = threads;
  GaussianProcess gp(model);
  const auto start = std::chrono::steady_clock::now();
  const FitReport fit = gp.fit(X, y, Rng(0, "fit"));
  const double fit_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const GpParameters& p = gp.parameters();
  const nlohmann::json result{
      {"library", "vbo"},
      {"n", X.cols()},
      {"dimensions", D},
      {"kernel", options.model.kernel},
      {"prior", options.model.prior},
      {"threads", threads > 0 ? threads : static_cast<int>(std::thread::hardware_concurrency())},
      {"seconds", seconds[seconds.size() / 2]},
      {"seconds_fit", fit_seconds},
      {"log_likelihood", gp.regression().log_likelihood()},
      {"log_posterior", fit.objective},
      {"iterations", fit.iterations},
      {"lengthscales", std::vector<double>(p.lengthscales.begin(), p.lengthscales.end())},
      {"variance", p.variance},
      {"noise", p.noise_variance},
      {"mean", p.mean},
      {"log_ei", suggestion.rationale.acquisition.value()}};
  std::printf("%s\n", result.dump().c_str());
  return 0;
}
