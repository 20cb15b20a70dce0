// SPDX-License-Identifier: MIT
// Expected hypervolume improvement of independent Gaussian predictions, as a logarithm: exact, by a
// decomposition of what the front does not dominate into boxes [l_k, u_k) (M each, u may be
// infinite), heights above the reference, maximized:
//   EHVI = sum_k prod_m ( nu_m(l_km) - nu_m(u_km) ),   nu_m(a) = E max(0, y_m - a)
// Every factor is kept as a logarithm, so that there is a gradient however far below the front a
// prediction lies. Stateless; thread-safe.
#pragma once

#include "numerics/linalg.hpp"

namespace vbo::pareto {

struct Decomposition {
  Matrix low, high;  // (M,K)
};

// The part of the positive orthant that no column of H (M,n) dominates. About n boxes for two
// objectives, n^2 / 2 for three, n^3 / 6 for four.
Decomposition undominated_boxes(ConstMatrixRef H);

struct LogEhvi {
  double value = 0.0;
  Vector d_mean, d_deviation;  // (M)
};
LogEhvi log_ehvi(const Decomposition& boxes, ConstVectorRef mean, ConstVectorRef deviation);

}  // namespace vbo::pareto
