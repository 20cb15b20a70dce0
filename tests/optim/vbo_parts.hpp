// SPDX-License-Identifier: MIT
// Small spaces, codes and archives for the tests of the flagship's parts.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "optim/vbo/archive.hpp"
#include "vbo/random.hpp"
#include "vbo/space.hpp"

namespace vbo {

inline Space parts_mixed_space() {
  return Space::make({Parameter::real("x", 0, 1), Parameter::integer("n", 1, 9),
                      Parameter::categorical("c", {"a", "b", "c"}), Parameter::real("z", -1, 1)})
      .value();
}

inline Space parts_cube(int dimension) {
  std::vector<Parameter> parameters;
  for (int i = 0; i < dimension; ++i) {
    parameters.push_back(Parameter::real("x" + std::to_string(i), 0, 1));
  }
  return Space::make(std::move(parameters)).value();
}

inline MatrixOf<float> random_codes(Eigen::Index rows, Eigen::Index columns, std::uint64_t seed) {
  Rng rng(seed, "codes");
  MatrixOf<float> X(rows, columns);
  for (float& x : X.reshaped()) x = static_cast<float>(rng.uniform());
  return X;
}

// Results of f = -|x - 0.3|^2 at random codes.
inline Archive quadratic_archive(Eigen::Index dimension, int n) {
  Archive archive(dimension);
  Rng rng(7, "archive");
  for (int i = 0; i < n; ++i) {
    Vector x(dimension);
    for (double& v : x) v = rng.uniform();
    archive.add(i + 1, x, -(x.array() - 0.3).square().sum());
  }
  archive.sort();
  return archive;
}

}  // namespace vbo
