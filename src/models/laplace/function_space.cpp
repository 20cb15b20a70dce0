// SPDX-License-Identifier: MIT
#include <cmath>

#include "models/gaussian_posterior.hpp"
#include "models/laplace/curvature.hpp"
#include "numerics/flops.hpp"
#include "numerics/symmetric_eigen.hpp"

namespace vbo {
namespace {

// With K = J_n J_n' + sigma2 delta I and k(x) = J_n J(x)':
//   covariance(x,x') = 1/delta [ J J'' - k(x)' K^-1 k(x') ]
class FunctionSpaceCurvature final : public Curvature {
 public:
  FunctionSpaceCurvature(const nn::MlpShape& shape, Jacobian data, double sigma2)
      : shape_(shape), data_(std::move(data)), sigma2_(sigma2), gram_(gram(data_, data_)) {
    flops::add(2 * flops::gemm(gram_.rows(), gram_.rows(), gram_.rows()) / 3);
    eigenvalues_ = symmetric_eigenvalues(gram_).cwiseMax(0.0);
  }

  const Vector& eigenvalues() const override { return eigenvalues_; }

  void set_prior_precision(double delta) override {
    delta_ = delta;
    Matrix K = gram_;
    K.diagonal().array() += sigma2_ * delta;
    L_ = robust_factor(K);
    flops::add(flops::gemm(K.rows(), K.rows(), K.rows()) / 6);
  }

  Vector variance(const Jacobian& J) const override {
    Vector own = Vector::Zero(J.points());
    for (std::size_t l = 0; l < J.A.size(); ++l) {
      own.array() += J.S[l].colwise().squaredNorm().transpose().array() *
                     (J.A[l].colwise().squaredNorm().transpose().array() + 1.0);
    }
    const Matrix R = half_solve(gram(data_, J));
    // Rounding can leave a point of the data slightly negative.
    return ((own - R.colwise().squaredNorm().transpose()) / delta_).cwiseMax(0.0);
  }

  Jacobian pull_variance(const Jacobian& J, ConstVectorRef dvariance) const override {
    return pull(J, dvariance.asDiagonal());
  }

  Matrix covariance(const Jacobian& J) const override {
    const Matrix R = half_solve(gram(data_, J));
    Matrix C = gram(J, J);
    C.selfadjointView<Eigen::Lower>().rankUpdate(R.transpose(), -1.0);
    C /= delta_;
    flops::add(flops::gemm(J.points(), J.points(), R.rows()) / 2);
    return C.selfadjointView<Eigen::Lower>();
  }

  Jacobian pull_covariance(const Jacobian& J, ConstMatrixRef dcovariance) const override {
    return pull(J, dcovariance);
  }

  // Conditioning a draw of the prior on J_n w + noise = 0 ([Wilson2020], "Efficiently sampling
  // functions from Gaussian process posteriors", Eq. (11)):
  //   w = w_0 - J_n' K^-1 (J_n w_0 + e),  w_0 ~ N(0, I/delta),  e ~ N(0, sigma2 I)
  Vector draw(Rng& rng) const override {
    Vector w(shape_.parameters());
    for (double& z : w) z = rng.normal() / std::sqrt(delta_);
    Vector r = times(shape_, data_, w);
    for (double& z : r) z += std::sqrt(sigma2_) * rng.normal();
    L_.triangularView<Eigen::Lower>().solveInPlace(r);
    L_.transpose().triangularView<Eigen::Upper>().solveInPlace(r);
    return w - transpose_times(shape_, data_, r);
  }

 private:
  Matrix half_solve(Matrix k) const {
    L_.triangularView<Eigen::Lower>().solveInPlace(k);
    flops::add(flops::gemm(k.rows(), k.cols(), k.rows()) / 2);
    return k;
  }

  // With c = dcovariance: dgram = c/delta, dk = -2/delta K^-1 k c; then through
  // gram = sum_l (S'S) o (A'A + 1) and k = sum_l (S_n'S) o (A_n'A + 1).
  Jacobian pull(const Jacobian& J, const Matrix& c) const {
    Matrix V = half_solve(gram(data_, J));
    L_.transpose().triangularView<Eigen::Upper>().solveInPlace(V);
    const Matrix dgram = c / delta_, dk = -2.0 / delta_ * V * c;
    const Eigen::Index n = data_.points(), q = J.points();
    flops::add(flops::gemm(n, q, n) / 2 + flops::gemm(n, q, q));
    Jacobian adjoint;
    for (std::size_t l = 0; l < J.A.size(); ++l) {
      const Matrix &S = J.S[l], &A = J.A[l], &Sn = data_.S[l], &An = data_.A[l];
      const Matrix SS = S.transpose() * S, AA = A.transpose() * A;
      const Matrix SnS = Sn.transpose() * S, AnA = An.transpose() * A;
      const Matrix by_A = dgram.array() * (AA.array() + 1.0);
      const Matrix by_An = dk.array() * (AnA.array() + 1.0);
      adjoint.S.emplace_back(2.0 * S * by_A + Sn * by_An);
      adjoint.A.emplace_back(2.0 * A * dgram.cwiseProduct(SS) + An * dk.cwiseProduct(SnS));
      flops::add(2 * flops::gemm(n + q, q, S.rows() + A.rows()));
    }
    return adjoint;
  }

  nn::MlpShape shape_;
  Jacobian data_;
  double sigma2_, delta_ = 1.0;
  Matrix gram_;  // (N,N) J_n J_n'
  Matrix L_;     // (N,N) K = L L'
  Vector eigenvalues_;
};

}  // namespace

std::unique_ptr<Curvature> function_space_curvature(const nn::MlpShape& shape, Jacobian data,
                                                    double sigma2) {
  return std::make_unique<FunctionSpaceCurvature>(shape, std::move(data), sigma2);
}

}  // namespace vbo
