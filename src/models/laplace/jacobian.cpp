// SPDX-License-Identifier: MIT
#include "models/laplace/jacobian.hpp"

#include "numerics/flops.hpp"

namespace vbo {
namespace {

using ConstWeights = Eigen::Map<const Matrix>;

ConstWeights weights(const nn::DenseLayer& layer, ConstVectorRef theta) {
  return {theta.data() + layer.W, layer.outputs, layer.inputs};
}

// phi'(z) and phi''(z) from the output a = phi(z).
//   tanh: 1 - a^2 and -2 a (1 - a^2);  relu: 1{a > 0} and 0
Matrix slope(nn::Activation activation, const Matrix& a) {
  if (activation == nn::Activation::tanh) return 1.0 - a.array().square();
  return (a.array() > 0.0).cast<double>();
}
Matrix curvature(nn::Activation activation, const Matrix& a) {
  if (activation == nn::Activation::tanh) return -2.0 * a.array() * (1.0 - a.array().square());
  return Matrix::Zero(a.rows(), a.cols());
}

void count_product(const nn::DenseLayer& layer, Eigen::Index q) {
  flops::add(flops::gemm(layer.outputs, q, layer.inputs));
}

}  // namespace

Jacobian jacobian(const nn::MlpShape& shape, ConstVectorRef theta, ConstMatrixRef X) {
  nn::MlpWorkspace<double> work;
  Jacobian J;
  J.f = nn::forward<double>(shape, theta.data(), X, work).row(0).transpose();
  const auto layers = shape.layers();
  const std::size_t L = layers.size();
  for (std::size_t l = 0; l < L; ++l) J.A.emplace_back(work.output(static_cast<int>(l) - 1));
  // s_L = 1;  s_l = phi'(z_l) o t_l,  t_l = W_{l+1}' s_{l+1}
  J.S.resize(L);
  J.S[L - 1] = Matrix::Ones(1, X.cols());
  for (std::size_t l = L - 1; l-- > 0;) {
    const Matrix t = weights(layers[l + 1], theta).transpose() * J.S[l + 1];
    J.S[l] = t.cwiseProduct(slope(layers[l].activation, J.A[l + 1]));
    count_product(layers[l + 1], X.cols());
  }
  return J;
}

Vector times(const nn::MlpShape& shape, const Jacobian& J, ConstVectorRef w) {
  Vector out = Vector::Zero(J.points());
  for (std::size_t l = 0; l < J.A.size(); ++l) {
    const nn::DenseLayer& layer = shape.layers()[l];
    Matrix dz = weights(layer, w) * J.A[l];
    dz.colwise() += w.segment(layer.b, layer.outputs);
    out += dz.cwiseProduct(J.S[l]).colwise().sum().transpose();
    count_product(layer, J.points());
    flops::add(3 * static_cast<std::uint64_t>(dz.size()));
  }
  return out;
}

Vector transpose_times(const nn::MlpShape& shape, const Jacobian& J, ConstVectorRef v) {
  Vector out(shape.parameters());
  for (std::size_t l = 0; l < J.A.size(); ++l) {
    const nn::DenseLayer& layer = shape.layers()[l];
    const Matrix weighted = J.S[l] * v.asDiagonal();
    Eigen::Map<Matrix>(out.data() + layer.W, layer.outputs, layer.inputs).noalias() =
        weighted * J.A[l].transpose();
    out.segment(layer.b, layer.outputs) = weighted.rowwise().sum();
    count_product(layer, J.points());
    flops::add(2 * static_cast<std::uint64_t>(weighted.size()));
  }
  return out;
}

Matrix gram(const Jacobian& J1, const Jacobian& J2) {
  const Eigen::Index q1 = J1.points(), q2 = J2.points();
  Matrix K = Matrix::Zero(q1, q2);
  for (std::size_t l = 0; l < J1.A.size(); ++l) {
    const Matrix SS = J1.S[l].transpose() * J2.S[l], AA = J1.A[l].transpose() * J2.A[l];
    K.array() += SS.array() * (AA.array() + 1.0);
    flops::add(flops::gemm(q1, q2, J1.S[l].rows() + J1.A[l].rows()) +
               3 * static_cast<std::uint64_t>(K.size()));
  }
  return K;
}

Matrix pullback(const nn::MlpShape& shape, ConstVectorRef theta, const Jacobian& J,
                Jacobian adjoint) {
  const auto layers = shape.layers();
  const std::size_t L = layers.size();
  const Eigen::Index q = J.points();
  const bool with_jacobian = !adjoint.S.empty();

  std::vector<Matrix> dz(L);  // dL/dz_l
  dz[L - 1] = adjoint.f.transpose();
  // Ascending, through s_l = phi'(z_l) o t_l and t_l = W_{l+1}' s_{l+1}:
  //   dz_l = ds_l o phi''(z_l) o t_l;  ds_{l+1} += W_{l+1} (ds_l o phi'(z_l))
  for (std::size_t l = 0; l + 1 < L; ++l) {
    if (!with_jacobian) {
      dz[l] = Matrix::Zero(layers[l].outputs, q);
      continue;
    }
    const Matrix t = weights(layers[l + 1], theta).transpose() * J.S[l + 1];
    const Matrix& a = J.A[l + 1];
    dz[l] = adjoint.S[l].cwiseProduct(curvature(layers[l].activation, a)).cwiseProduct(t);
    const Matrix scaled = adjoint.S[l].cwiseProduct(slope(layers[l].activation, a));
    adjoint.S[l + 1].noalias() += weights(layers[l + 1], theta) * scaled;
    count_product(layers[l + 1], 2 * q);
  }
  // Descending, through a_l = phi(z_l) and z_l = W_l a_{l-1} + b_l:
  //   da_{l-1} += W_l' dz_l;  dz_{l-1} += da_{l-1} o phi'(z_{l-1})
  for (std::size_t l = L; l-- > 0;) {
    Matrix da = weights(layers[l], theta).transpose() * dz[l];
    if (with_jacobian) da += adjoint.A[l];
    count_product(layers[l], q);
    if (l == 0) return da;
    dz[l - 1] += da.cwiseProduct(slope(layers[l - 1].activation, J.A[l]));
  }
  return {};
}

}  // namespace vbo
