// SPDX-License-Identifier: MIT
// Tables of samples, as columns of data.
#pragma once

#include <string>
#include <vector>

#include "core/csv.hpp"
#include "information/columns.hpp"
#include "vbo/error.hpp"

namespace vbo::cli {

using core::CsvCell;
using core::CsvTable;
using core::parse_csv;

Result<CsvTable> read_csv(const std::string& path);  // "-" is standard input

// The columns with these names, in this order, as data. A column without any number is taken as
// labels, as is any named in `categorical`; in every other column each cell must be a finite
// number. With skip_missing, rows with an empty cell (or NA, nan, null) in one of the columns are
// left out.
struct ColumnChoice {
  std::vector<std::string> names;
  std::vector<std::string> categorical;
  bool skip_missing = false;
};
Result<std::vector<DataColumn>> select_columns(const CsvTable& table, const ColumnChoice& choice);

}  // namespace vbo::cli
