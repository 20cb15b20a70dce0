// SPDX-License-Identifier: MIT
// Polynomials of degree two against what they were made from.
#include <gtest/gtest.h>

#include "models/quadratic/quadratic_model.hpp"
#include "vbo/random.hpp"

namespace vbo {
namespace {

using Form = QuadraticModel::Form;

Matrix normal_matrix(Eigen::Index rows, Eigen::Index columns, std::uint64_t seed) {
  Rng rng(seed, "quadratic");
  Matrix U(rows, columns);
  for (double& u : U.reshaped()) u = rng.normal();
  return U;
}

// constant + g'u + u'Hu/2 with known parts.
struct Known {
  Vector g;
  Matrix H;
  explicit Known(Eigen::Index D) : g(normal_matrix(D, 1, 1)), H(normal_matrix(D, D, 2)) {
    H = (H + H.transpose()).eval();
  }
  Vector operator()(const Matrix& U) const {
    return (3.0 + (U.transpose() * g).array() +
            0.5 * U.cwiseProduct(H * U).colwise().sum().transpose().array())
        .matrix();
  }
};

TEST(QuadraticModel, CountsItsCoefficients) {
  EXPECT_EQ(QuadraticModel::coefficients(Form::linear, 10), 11);
  EXPECT_EQ(QuadraticModel::coefficients(Form::diagonal, 10), 21);
  EXPECT_EQ(QuadraticModel::coefficients(Form::full, 10), 66);
  EXPECT_EQ(QuadraticModel::coefficients(Form::full, 1), 3);
}

TEST(QuadraticModel, TakesTheRichestFormThatResultsDetermine) {
  EXPECT_EQ(QuadraticModel::form_for(73, 10, 500), Form::full);  // 1.1 x 66 = 72.6
  EXPECT_EQ(QuadraticModel::form_for(72, 10, 500), Form::diagonal);
  EXPECT_EQ(QuadraticModel::form_for(23, 10, 500), Form::linear);  // 1.1 x 21 = 23.1
  EXPECT_EQ(QuadraticModel::form_for(5000, 10, 65), Form::diagonal);
}

TEST(QuadraticModel, FindsAQuadraticFunctionExactly) {
  for (const Eigen::Index D : {1, 2, 5, 10}) {
    const Known known(D);
    const Matrix U = normal_matrix(D, 2 * QuadraticModel::coefficients(Form::full, D), 3);
    const Vector weights = Vector::LinSpaced(U.cols(), 1.0, 20.0);  // change nothing here
    const QuadraticModel model(Form::full, U, known(U), weights);
    EXPECT_LT((model.hessian() - known.H).norm(), 1e-7 * known.H.norm()) << D;
    EXPECT_LT((model.gradient() - known.g).norm(), 1e-7 * (1.0 + known.g.norm())) << D;
    const Matrix elsewhere = normal_matrix(D, 7, 4);
    EXPECT_LT((model.mean(elsewhere) - known(elsewhere)).norm(), 1e-6) << D;
  }
}

TEST(QuadraticModel, ADiagonalFormHasNoProducts) {
  const Matrix U = normal_matrix(3, 30, 5);
  const Vector y = U.row(0).cwiseAbs2().transpose() - 2.0 * U.row(2).transpose();
  const QuadraticModel model(Form::diagonal, U, y, Vector::Ones(30));
  EXPECT_NEAR(model.hessian()(0, 0), 2.0, 1e-6);
  EXPECT_NEAR(model.gradient()[2], -2.0, 1e-6);
  EXPECT_EQ(model.hessian()(0, 1), 0.0);
}

// Least squares would follow the noise: with 66 coefficients and 80 results its predictions of a
// constant vary more than the noise itself. The evidence tells that there is nothing to learn.
TEST(QuadraticModel, PureNoiseIsNotLearned) {
  const Matrix U = normal_matrix(10, 80, 6);
  const Vector noise = normal_matrix(80, 1, 7);
  const QuadraticModel model(Form::full, U, noise, Vector::Ones(80));
  const Vector predicted = model.mean(normal_matrix(10, 200, 8));
  EXPECT_LT(predicted.squaredNorm() / 200.0, 0.1);  // of the noise's variance, 1
}

TEST(QuadraticModel, WeightsSayWhichResultsItHasToFit) {
  Matrix U(1, 20);
  Vector y(20), weights(20);
  for (int i = 0; i < 20; ++i) {  // a bend at 0: left and right have other slopes
    U(0, i) = (i - 9.5) / 5.0;
    y[i] = U(0, i) < 0.0 ? 0.0 : 4.0 * U(0, i);
    weights[i] = U(0, i) < 0.0 ? 1e-9 : 1.0;
  }
  const QuadraticModel model(Form::full, U, y, weights);
  EXPECT_NEAR(model.mean(Matrix::Constant(1, 1, 1.0))[0], 4.0, 1e-4);
}

TEST(QuadraticModel, EqualOutcomesAreAConstant) {
  const QuadraticModel model(Form::full, normal_matrix(2, 12, 9), Vector::Constant(12, 5.0),
                             Vector::Ones(12));
  EXPECT_EQ(model.mean(normal_matrix(2, 3, 10)), Vector::Constant(3, 5.0));
}

}  // namespace
}  // namespace vbo
