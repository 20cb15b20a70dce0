// SPDX-License-Identifier: MIT
// Reading tables of samples: comma-, semicolon- or tab-separated text with a header line, quoted
// fields ("" for a quote inside), any line ending. Every cell remembers where it stood, so that a
// message can point at it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "information/columns.hpp"
#include "vbo/error.hpp"

namespace vbo::cli {

struct CsvCell {
  std::string text;  // without quotes and surrounding blanks
  int line = 0;      // from 1, as editors count
  int column = 0;    // of its first character in the line, from 1
};

struct CsvTable {
  std::string source;  // named in messages
  std::vector<CsvCell> header;
  std::vector<std::vector<CsvCell>> rows;  // each as long as the header
};

// Errors name source:line:column. Lines without any character are skipped.
Result<CsvTable> parse_csv(std::string_view text, std::string source);
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
