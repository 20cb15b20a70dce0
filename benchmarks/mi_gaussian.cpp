// SPDX-License-Identifier: MIT
// Trained estimates of mutual information against the closed form -d/2 ln(1 - rho^2) of correlated
// Gaussians, for d = 1, 5, 20 and rho from 0 to 0.95: a table on standard output and, with a file
// name, the figure of research/information.md.
//   build/release/mi_gaussian research/images/mi-gaussian.svg
// A second argument changes the number of samples (5000).
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "bench/chart.hpp"
#include "information/estimate.hpp"
#include "vbo/random.hpp"

namespace {

using namespace vbo;

struct Contender {
  std::string label;
  Estimator estimator;
  bool baseline;
  bench::Style style;
};

const std::vector<Contender> kContenders{
    {"self-normalized", Estimator::self_normalized, true, {.colour = "#0072B2", .width = 2.2}},
    {"self-normalized, networks only", Estimator::self_normalized, false, {.colour = "#56B4E9"}},
    {"dv-offdiag, networks only", Estimator::dv_offdiagonal, false, {.colour = "#D55E00"}},
    {"smile, networks only", Estimator::smile, false, {.colour = "#009E73", .dash = "6 3"}},
};
const std::vector<double> kRho{0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95};

double closed_form(int d, double rho) { return -0.5 * d * std::log(1.0 - rho * rho); }

struct Samples {
  Matrix X, Y;
};

Samples draw(int d, double rho, int n) {
  Rng rng(1, "mi-gaussian", static_cast<std::uint64_t>(d));
  Samples s{Matrix(d, n), Matrix(d, n)};
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < d; ++k) {
      s.X(k, i) = rng.normal();
      s.Y(k, i) = rho * s.X(k, i) + std::sqrt(1.0 - rho * rho) * rng.normal();
    }
  }
  return s;
}

bench::Panel run_panel(int d, int n) {
  bench::Panel panel{.title = "d = " + std::to_string(d),
                     .x = {.label = "true mutual information (nats)"},
                     .y = {.label = "estimate (nats)"},
                     .series = {}};
  bench::Series truth{.label = "truth", .style = {.colour = "#999999", .dash = "2 3"}};
  bench::Series ceiling{.label = "ceiling of self-normalized",
                        .style = {.colour = "#999999", .width = 1.0}};
  std::vector<bench::Series> curves;
  for (const Contender& c : kContenders) {
    curves.push_back({.label = c.label, .style = c.style, .markers = true});
  }
  for (const double rho : kRho) {
    const double exact = closed_form(d, rho);
    const Samples s = draw(d, rho, n);
    std::printf("%3d %5.2f %8.3f", d, rho, exact);
    for (std::size_t c = 0; c < curves.size(); ++c) {
      const auto start = std::chrono::steady_clock::now();
      const InformationEstimate e =
          estimate_information(
              s.X, s.Y,
              {.estimator = kContenders[c].estimator, .gaussian_baseline = kContenders[c].baseline})
              .value();
      const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
      curves[c].x.push_back(exact);
      curves[c].y.push_back(e.raw);
      curves[c].low.push_back(e.low);
      curves[c].high.push_back(e.high);
      std::printf("  %7.3f [%6.3f %6.3f] %5.1fs", e.raw, e.low, e.high, spent.count());
      if (c == 0) {
        ceiling.x.push_back(exact);
        ceiling.y.push_back(e.ceiling);
      }
    }
    std::printf("\n");
    std::fflush(stdout);
    truth.x.push_back(exact);
    truth.y.push_back(exact);
  }
  panel.series = std::move(curves);
  panel.series.push_back(truth);
  panel.series.push_back(ceiling);
  return panel;
}

}  // namespace

int main(int argc, char** argv) {
  const int n = argc > 2 ? std::atoi(argv[2]) : 5000;
  std::printf("%d samples, 5 folds; estimate, 95%% interval, seconds\n  d   rho    truth", n);
  for (const Contender& c : kContenders) std::printf("  %-32s", c.label.c_str());
  std::printf("\n");
  bench::Figure figure{.title = "Correlated Gaussians, " + std::to_string(n) + " samples",
                       .panels = {},
                       .legend = {},
                       .columns = 3};
  for (const int d : {1, 5, 20}) figure.panels.push_back(run_panel(d, n));
  if (argc > 1) {
    std::ofstream out(argv[1]);
    out << bench::to_svg(figure);
    if (!out.flush()) {
      std::fprintf(stderr, "cannot write %s\n", argv[1]);
      return 1;
    }
  }
  return 0;
}
