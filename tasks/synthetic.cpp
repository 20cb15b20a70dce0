// SPDX-License-Identifier: MIT
#include "tasks/synthetic.hpp"

#include <cmath>
#include <numbers>

#include "tasks/functions.hpp"

namespace vbo::tasks {
namespace {

using std::numbers::pi;

class Synthetic final : public BasicTask {
 public:
  Synthetic(TaskInfo info, std::vector<Parameter> parameters, double (*f)(std::span<const double>))
      : f_(f) {
    info_ = std::move(info);
    space_ = Space::make(std::move(parameters)).value();
  }

 private:
  double value(const Point& point, Rng&) const override { return -f_(reals(point)); }

  double (*f_)(std::span<const double>);
};

}  // namespace

// f = (x2 - 5.1/(4 pi^2) x1^2 + 5/pi x1 - 6)^2 + 10 (1 - 1/(8 pi)) cos(x1) + 10
double branin(double x1, double x2) {
  const double bend = x2 - 5.1 / (4.0 * pi * pi) * x1 * x1 + 5.0 / pi * x1 - 6.0;
  return bend * bend + 10.0 * (1.0 - 1.0 / (8.0 * pi)) * std::cos(x1) + 10.0;
}

// f = -sum_i alpha_i exp(-sum_j A_ij (x_j - P_ij)^2)
double hartmann6(std::span<const double> x) {
  static constexpr double alpha[4] = {1.0, 1.2, 3.0, 3.2};
  static constexpr double A[4][6] = {{10, 3, 17, 3.5, 1.7, 8},
                                     {0.05, 10, 17, 0.1, 8, 14},
                                     {3, 3.5, 1.7, 10, 17, 8},
                                     {17, 8, 0.05, 10, 0.1, 14}};
  static constexpr double P[4][6] = {{0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886},
                                     {0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991},
                                     {0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650},
                                     {0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381}};
  double sum = 0.0;
  for (int i = 0; i < 4; ++i) {
    double distance = 0.0;
    for (int j = 0; j < 6; ++j) distance += A[i][j] * (x[j] - P[i][j]) * (x[j] - P[i][j]);
    sum += alpha[i] * std::exp(-distance);
  }
  return -sum;
}

std::unique_ptr<BasicTask> make_branin(TaskOptions&) {
  return std::make_unique<Synthetic>(
      TaskInfo{.name = "branin",
               .summary = "Branin: a curved valley in two dimensions with three equal optima",
               .source = "Branin 1972; BoTorch",
               .optimum = Optimum{{to_point({-pi, 12.275}), to_point({pi, 2.275}),
                                   to_point({3.0 * pi, 2.475})},
                                  -0.397887357729738}},
      std::vector{Parameter::real("x1", -5.0, 10.0), Parameter::real("x2", 0.0, 15.0)},
      [](std::span<const double> x) { return branin(x[0], x[1]); });
}

std::unique_ptr<BasicTask> make_hartmann6(TaskOptions&) {
  return std::make_unique<Synthetic>(
      TaskInfo{.name = "hartmann6",
               .summary = "Hartmann in six dimensions: four Gaussian hills, six local optima",
               .source = "Hartmann 1972; BoTorch",
               .optimum = Optimum{{to_point({0.20168951, 0.15001069, 0.47687398, 0.27533243,
                                             0.31165162, 0.65730053})},
                                  3.322368011415515}},
      box(6, 0.0, 1.0), &hartmann6);
}

std::unique_ptr<BasicTask> make_ackley10(TaskOptions&) {
  return std::make_unique<Synthetic>(
      TaskInfo{.name = "ackley10",
               .summary = "Ackley in ten dimensions: a narrow funnel under thousands of ripples",
               .source = "Ackley 1987; BoTorch",
               .optimum = Optimum{{to_point(std::vector<double>(10, 0.0))}, 0.0}},
      box(10, -32.768, 32.768), &ackley);
}

}  // namespace vbo::tasks
