// SPDX-License-Identifier: MIT
// The highest point of a quadratic function within a box and an ellipsoid.
#pragma once

#include "numerics/linalg.hpp"

namespace vbo {

//   maximize  g'u + u'Hu/2   where   low <= u <= high,   |M u|_2 <= radius
// H (D,D) symmetric, M (D,D) invertible, low <= 0 <= high. The ellipsoid is exact for any H
// (a trust-region step). Bounds are held one after the other as the solution crosses them and never
// released: then the result lies within the bounds and is not below u = 0, but may be below the
// highest point, and may leave the ellipsoid by what clamping does.
Vector maximize_quadratic(ConstVectorRef g, ConstMatrixRef H, ConstVectorRef low,
                          ConstVectorRef high, ConstMatrixRef M, double radius);

}  // namespace vbo
