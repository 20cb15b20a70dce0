// SPDX-License-Identifier: MIT
#include "optim/surrogate/acquisition.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "models/gp/regression.hpp"
#include "support/gradient_check.hpp"

namespace vbo {
namespace {

Regression small_regression() {
  const Matrix X{{0.1, 0.4, 0.8, 0.6}, {0.2, 0.9, 0.3, 0.7}};
  const Vector y{{0.5, -1.2, 0.3, 1.0}};
  return {{std::make_shared<StationaryKernel>(Shape::matern52, Vector{{2.0, 1.25}}, 1.3), 0.1, 0.05,
           Standardize{}},
          X,
          y};
}

const Matrix kAt{{0.3, 0.7}, {0.5, 0.4}};

BaseSamples reference_base() {
  BaseSamples base{Matrix(2, 6), Vector::Zero(6)};
  base.normals << 0.09470803828730423, -0.931378367720707, -0.25915453769343405, 1.8997252784647571,
      -0.042924253792244314, 1.1268539623838552,  //
      1.2500243810835503, 0.9923772805192402, -0.26151098398117395, 0.1575370716337192,
      0.7294984864356091, -0.030843275034930208;
  return base;
}

TEST(Acquisition, PointReferenceValues) {
  const Regression model = small_regression();
  const auto p = model.posterior(kAt, false);
  const Vector ucb = score_points(Acquisition::ucb, p->mean(), p->variance(), 0.3, 2.0).value;
  EXPECT_NEAR(ucb[0], 0.5362818944160679, 1e-12);
  EXPECT_NEAR(ucb[1], 1.0792880134018443, 1e-12);
  const Vector ei = score_points(Acquisition::ei, p->mean(), p->variance(), 0.3, 0.0).value;
  EXPECT_NEAR(ei[0], 0.04604886467767881, 1e-12);
  EXPECT_NEAR(ei[1], 0.4281198172583477, 1e-12);
  const Vector log_ei = score_points(Acquisition::log_ei, p->mean(), p->variance(), 0.3, 0).value;
  EXPECT_LT((log_ei.array().exp().matrix() - ei).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(Acquisition, BatchReferenceValuesAndGradient) {
  const Regression model = small_regression();
  const auto p = model.posterior(kAt, true);
  const BaseSamples base = reference_base();
  const Matrix Y = p->draws(base);
  const DrawScore qei = score_draws(Acquisition::q_ei, Y, 0.3, 0.0);
  EXPECT_NEAR(qei.value, 0.5593998269784805, 1e-11);
  const Matrix gradient = p->pullback_draws(base, qei.ddraws);
  EXPECT_NEAR(gradient(0, 0), 0.06332380976296456, 1e-10);
  EXPECT_NEAR(gradient(1, 0), -0.02732140338251385, 1e-10);
  EXPECT_NEAR(gradient(0, 1), -1.6375533765852257, 1e-10);
  EXPECT_NEAR(gradient(1, 1), 1.2185400930990524, 1e-10);
  EXPECT_NEAR(score_draws(Acquisition::q_ucb, Y, 0.3, 2.0).value, 1.0992081206172448, 1e-11);
}

TEST(Acquisition, PointGradientsMatchDifferencesThroughTheModel) {
  const Regression model = small_regression();
  for (const Acquisition kind :
       {Acquisition::ei, Acquisition::log_ei, Acquisition::pi, Acquisition::ucb}) {
    for (const double best : {-0.5, 0.3, 3.0}) {
      const auto value = [&](const Matrix& X) {
        const auto p = model.posterior(X, false);
        return score_points(kind, p->mean(), p->variance(), best, 2.0).value.sum();
      };
      const auto p = model.posterior(kAt, false);
      const PointScores s = score_points(kind, p->mean(), p->variance(), best, 2.0);
      testing::expect_matrix_gradient(value, kAt, p->pullback(s.dmean, s.dvariance));
    }
  }
}

TEST(Acquisition, BatchGradientsMatchDifferencesThroughTheModel) {
  const Regression model = small_regression();
  Rng rng(1, "acquisition");
  for (const Acquisition kind : {Acquisition::q_ei, Acquisition::q_log_ei, Acquisition::q_ucb}) {
    for (const double best : {-0.5, 0.3}) {
      const BaseSamples base = BaseSamples::make(2, 16, rng);
      const auto value = [&](const Matrix& X) {
        return score_draws(kind, model.posterior(X, true)->draws(base), best, 2.0).value;
      };
      const auto p = model.posterior(kAt, true);
      const Matrix gradient =
          p->pullback_draws(base, score_draws(kind, p->draws(base), best, 2.0).ddraws);
      // Short steps: max() and |.| have kinks that a long one would step over.
      testing::expect_matrix_gradient(value, kAt, gradient,
                                      {.relative = 1e-5, .relative_step = 1e-5});
    }
  }
}

// With one point, the Monte Carlo forms are estimates of the analytic ones.
TEST(Acquisition, BatchFormsOfOnePointEstimateTheAnalyticOnes) {
  const Regression model = small_regression();
  const Matrix x = kAt.col(1);
  const auto p = model.posterior(x, true);
  Rng rng(2, "acquisition");
  constexpr Eigen::Index S = 100000;
  const Matrix Y = p->draws(BaseSamples::make(1, S, rng));
  const auto exact = [&](Acquisition kind) {
    return score_points(kind, p->mean(), p->variance(), 0.3, 2.0).value[0];
  };
  const double error = 5.0 * std::sqrt(p->variance()[0] / S);
  EXPECT_NEAR(score_draws(Acquisition::q_ei, Y, 0.3, 2.0).value, exact(Acquisition::ei), error);
  EXPECT_NEAR(std::exp(score_draws(Acquisition::q_log_ei, Y, 0.3, 2.0).value),
              exact(Acquisition::ei), error + 1e-4);
  EXPECT_NEAR(score_draws(Acquisition::q_ucb, Y, 0.3, 2.0).value, exact(Acquisition::ucb),
              2 * error);
}

TEST(Acquisition, LogFormsKeepAGradientFarBelowTheBest) {
  const Vector mean{{0.0}}, variance{{1e-4}};
  const PointScores s = score_points(Acquisition::log_ei, mean, variance, 50.0, 0.0);
  EXPECT_TRUE(std::isfinite(s.value[0]));
  EXPECT_GT(s.dmean[0], 1.0);
  const Matrix Y = Matrix::Constant(2, 3, -4.0);
  const DrawScore d = score_draws(Acquisition::q_log_ei, Y, 1.0, 0.0);
  EXPECT_TRUE(std::isfinite(d.value));
  EXPECT_GT(d.ddraws.minCoeff(), 0.0);
}

TEST(Acquisition, DegenerateInputsStayFinite) {
  const Vector mean{{0.0, 1e300, -1e300}}, variance{{0.0, 1e-300, 1e300}};
  for (const Acquisition kind :
       {Acquisition::ei, Acquisition::log_ei, Acquisition::pi, Acquisition::ucb}) {
    const PointScores s = score_points(kind, mean, variance, 0.0, 2.0);
    EXPECT_FALSE(s.value.hasNaN());
    EXPECT_FALSE(s.dmean.hasNaN());
    EXPECT_FALSE(s.dvariance.hasNaN());
  }
}

}  // namespace
}  // namespace vbo
