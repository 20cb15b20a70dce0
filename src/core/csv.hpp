// SPDX-License-Identifier: MIT
// Reading tables: comma-, semicolon- or tab-separated text with a header line, quoted fields (""
// for a quote inside), any line ending. Every cell remembers where it stood, so that a message can
// point at it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "vbo/error.hpp"

namespace vbo::core {

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

}  // namespace vbo::core
