// SPDX-License-Identifier: MIT
// The check every entry point of src/nn makes, with a message that prints both shapes.
#pragma once

#include <Eigen/Core>
#include <stdexcept>
#include <string>

namespace vbo::nn {

inline void expect_shape(const char* what, Eigen::Index rows, Eigen::Index cols,
                         Eigen::Index want_rows, Eigen::Index want_cols) {
  if (rows == want_rows && cols == want_cols) return;
  throw std::invalid_argument(std::string(what) + " is (" + std::to_string(rows) + "," +
                              std::to_string(cols) + "), expected (" + std::to_string(want_rows) +
                              "," + std::to_string(want_cols) + ")");
}

}  // namespace vbo::nn
