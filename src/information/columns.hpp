// SPDX-License-Identifier: MIT
// Columns of a table made ready for a critic. Mutual information does not change under invertible
// transformations of a column, so each is put in the form that is easiest to learn from: numbers
// become the normal scores of their ranks, categories indicator rows.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "numerics/linalg.hpp"

namespace vbo {

// Either numbers or categories, N of them.
struct DataColumn {
  std::string name;
  std::vector<double> numbers;      // finite; used when labels is empty
  std::vector<std::string> labels;  // used when not empty
};

struct EncodedColumns {
  Matrix values;                      // (D,N), rows of order 1; D = 0 when nothing varies
  std::vector<std::string> constant;  // names of columns that never change: they tell nothing
};

// Numbers: one row of normal scores; with at most kFewValues different values also one indicator
// row (1 or 0, minus its mean) per value. Labels: indicator rows only. Constant columns are left
// out. REQUIRES: all columns of one length.
EncodedColumns encode_columns(std::span<const DataColumn> columns);

inline constexpr int kFewValues = 12;
inline constexpr int kMostCategories =
    100;  // of a column of labels; more is more likely an identifier
int count_categories(const DataColumn& column);

}  // namespace vbo
