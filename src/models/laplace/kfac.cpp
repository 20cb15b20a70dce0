// SPDX-License-Identifier: MIT
#include "models/laplace/curvature.hpp"
#include "numerics/flops.hpp"
#include "numerics/symmetric_eigen.hpp"

namespace vbo {
namespace {

struct Spectrum {
  Matrix vectors;
  Vector values;  // >= 0
};

Spectrum spectrum(Matrix M) {
  flops::add(9 * flops::gemm(M.rows(), M.rows(), M.rows()) / 2);
  SymmetricEigen eigen = symmetric_eigen(M);
  if (!eigen) {  // a shifted matrix has the same vectors
    M.diagonal().array() += 1.0;
    eigen = symmetric_eigen(M);
    eigen.values.array() -= 1.0;
  }
  return {std::move(eigen.vectors), eigen.values.cwiseMax(0.0)};
}

struct KfacLayer {
  Matrix U, V;  // eigenvectors of B (outputs) and of A (inputs)
  Vector lambda_B, lambda_A;
  Matrix G;  // (outputs, inputs) 1/(lambda_B_i lambda_A_j/sigma2 + delta)
  Vector g;  // (outputs)         1/(lambda_B_i/sigma2 + delta)
};

// Coordinates in the eigenbases: P = U' S (outputs,q), Q = V' A (inputs,q).
struct Rotated {
  Matrix P, Q;
};

class KfacCurvature final : public Curvature {
 public:
  KfacCurvature(const nn::MlpShape& shape, const Jacobian& data, double sigma2)
      : shape_(shape), sigma2_(sigma2) {
    const auto n = static_cast<double>(data.points());
    eigenvalues_.resize(shape.parameters());
    Eigen::Index next = 0;
    for (std::size_t l = 0; l < data.A.size(); ++l) {
      const Matrix &S = data.S[l], &A = data.A[l];
      Spectrum B = spectrum(S * S.transpose()), a = spectrum(A * A.transpose() / n);
      flops::add(flops::gemm(S.rows(), S.rows(), S.cols()) +
                 flops::gemm(A.rows(), A.rows(), A.cols()));
      const Matrix products = B.values * a.values.transpose();
      eigenvalues_.segment(next, products.size()) = products.reshaped();
      eigenvalues_.segment(next + products.size(), B.values.size()) = B.values;
      next += products.size() + B.values.size();
      layers_.push_back({std::move(B.vectors),
                         std::move(a.vectors),
                         std::move(B.values),
                         std::move(a.values),
                         {},
                         {}});
    }
  }

  const Vector& eigenvalues() const override { return eigenvalues_; }

  void set_prior_precision(double delta) override {
    for (KfacLayer& layer : layers_) {
      layer.G = (layer.lambda_B * layer.lambda_A.transpose() / sigma2_).array() + delta;
      layer.G = layer.G.cwiseInverse();
      layer.g = ((layer.lambda_B / sigma2_).array() + delta).inverse();
    }
  }

  // variance_i = sum_l P_i^2' (G Q_i^2 + g)
  Vector variance(const Jacobian& J) const override {
    Vector out = Vector::Zero(J.points());
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      const Rotated r = rotate(J, l);
      Matrix T = layers_[l].G * r.Q.cwiseAbs2();
      T.colwise() += layers_[l].g;
      out += T.cwiseProduct(r.P.cwiseAbs2()).colwise().sum().transpose();
      count(l, J.points());
    }
    return out;
  }

  // dP = 2 v P o (G Q^2 + g);  dQ = 2 v Q o (G' P^2)
  Jacobian pull_variance(const Jacobian& J, ConstVectorRef dvariance) const override {
    Jacobian adjoint;
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      const Rotated r = rotate(J, l);
      Matrix T = layers_[l].G * r.Q.cwiseAbs2();
      T.colwise() += layers_[l].g;
      const Matrix R = layers_[l].G.transpose() * r.P.cwiseAbs2();
      count(l, 2 * J.points());
      append(l, 2.0 * r.P.cwiseProduct(T) * dvariance.asDiagonal(),
             2.0 * r.Q.cwiseProduct(R) * dvariance.asDiagonal(), adjoint);
    }
    return adjoint;
  }

  // covariance_ij = sum_l (P_i o P_j)' (G (Q_i o Q_j) + g) = sum_l P_j' (M_i Q_j + g o P_i),
  // M_i = G o P_i Q_i'
  Matrix covariance(const Jacobian& J) const override {
    const Eigen::Index q = J.points();
    Matrix C = Matrix::Zero(q, q);
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      const Rotated r = rotate(J, l);
      for (Eigen::Index i = 0; i < q; ++i) {
        const Eigen::Index rest = q - i;
        const Matrix M = (layers_[l].G.array().colwise() * r.P.col(i).array()).rowwise() *
                         r.Q.col(i).transpose().array();
        Matrix T = M * r.Q.rightCols(rest);
        T.colwise() += layers_[l].g.cwiseProduct(r.P.col(i));
        C.col(i).tail(rest) += T.cwiseProduct(r.P.rightCols(rest)).colwise().sum().transpose();
        count(l, rest);
      }
    }
    return C.selfadjointView<Eigen::Lower>();
  }

  // dP_i = 2 sum_j c_ij P_j o (G (Q_i o Q_j) + g);  dQ_i = 2 sum_j c_ij Q_j o (G' (P_i o P_j))
  Jacobian pull_covariance(const Jacobian& J, ConstMatrixRef dcovariance) const override {
    const Eigen::Index q = J.points();
    Jacobian adjoint;
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      const KfacLayer& layer = layers_[l];
      const Rotated r = rotate(J, l);
      Matrix dP(r.P.rows(), q), dQ(r.Q.rows(), q);
      for (Eigen::Index i = 0; i < q; ++i) {
        const Matrix QQ = r.Q.array().colwise() * r.Q.col(i).array();
        const Matrix PP = r.P.array().colwise() * r.P.col(i).array();
        Matrix T = layer.G * QQ;
        T.colwise() += layer.g;
        const Matrix R = layer.G.transpose() * PP;
        dP.col(i) = 2.0 * r.P.cwiseProduct(T) * dcovariance.col(i);
        dQ.col(i) = 2.0 * r.Q.cwiseProduct(R) * dcovariance.col(i);
        count(l, 2 * q);
      }
      append(l, dP, dQ, adjoint);
    }
    return adjoint;
  }

  // W_l = U (sqrt(G) o E) V',  b_l = U (sqrt(g) o e),  E, e standard normal
  Vector draw(Rng& rng) const override {
    Vector w(shape_.parameters());
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      const KfacLayer& layer = layers_[l];
      const nn::DenseLayer& place = shape_.layers()[l];
      Matrix E(place.outputs, place.inputs);
      Vector e(place.outputs);
      for (double& z : E.reshaped()) z = rng.normal();
      for (double& z : e) z = rng.normal();
      E.array() *= layer.G.array().sqrt();
      e.array() *= layer.g.array().sqrt();
      Eigen::Map<Matrix>(w.data() + place.W, place.outputs, place.inputs) =
          layer.U * E * layer.V.transpose();
      w.segment(place.b, place.outputs) = layer.U * e;
      count(l, place.outputs + place.inputs);
    }
    return w;
  }

 private:
  Rotated rotate(const Jacobian& J, std::size_t l) const {
    const KfacLayer& layer = layers_[l];
    flops::add(flops::gemm(layer.U.rows(), J.points(), layer.U.rows()) +
               flops::gemm(layer.V.rows(), J.points(), layer.V.rows()));
    return {layer.U.transpose() * J.S[l], layer.V.transpose() * J.A[l]};
  }
  void append(std::size_t l, ConstMatrixRef dP, ConstMatrixRef dQ, Jacobian& adjoint) const {
    adjoint.S.emplace_back(layers_[l].U * dP);
    adjoint.A.emplace_back(layers_[l].V * dQ);
  }
  void count(std::size_t l, Eigen::Index q) const {
    flops::add(flops::gemm(layers_[l].U.rows(), q, layers_[l].V.rows()));
  }

  nn::MlpShape shape_;
  double sigma2_;
  std::vector<KfacLayer> layers_;
  Vector eigenvalues_;  // (W)
};

}  // namespace

std::unique_ptr<Curvature> kfac_curvature(const nn::MlpShape& shape, const Jacobian& data,
                                          double sigma2) {
  return std::make_unique<KfacCurvature>(shape, data, sigma2);
}

}  // namespace vbo
