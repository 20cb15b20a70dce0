// SPDX-License-Identifier: MIT
#include "cli/csv.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>

#include "core/from_chars.hpp"

namespace vbo::cli {
namespace {

constexpr std::size_t kMostBytes = std::size_t{256} << 20;

Error too_large(const std::string& source) {
  return {ErrorKind::invalid_input, source + ": found more than " +
                                        std::to_string(kMostBytes >> 20) +
                                        " MiB, expected a table of at most that; split it"};
}

Error at(const CsvTable& table, const CsvCell& cell, const std::string& message) {
  return {ErrorKind::invalid_input, table.source + ":" + std::to_string(cell.line) + ":" +
                                        std::to_string(cell.column) + ": " + message};
}

std::string in_quotes(std::string_view text) {
  const std::size_t most = 40;
  return text.size() <= most ? "\"" + std::string(text) + "\""
                             : "\"" + std::string(text.substr(0, most)) + "...\"";
}

std::optional<double> number_in(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool is_missing(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower.empty() || lower == "na" || lower == "nan" || lower == "null" || lower == "none";
}

std::string header_names(const CsvTable& table) {
  std::string names;
  for (const CsvCell& cell : table.header) names += (names.empty() ? "" : ", ") + cell.text;
  return names;
}

Result<DataColumn> to_column(const CsvTable& table, std::size_t index, bool categorical,
                             const std::vector<bool>& used) {
  DataColumn column{.name = table.header[index].text, .numbers = {}, .labels = {}};
  bool any_number = false;
  for (std::size_t r = 0; r < table.rows.size() && !any_number; ++r) {
    any_number = used[r] && number_in(table.rows[r][index].text).has_value();
  }
  const bool labels = categorical || !any_number;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    if (!used[r]) continue;
    const CsvCell& cell = table.rows[r][index];
    const std::string where = "column \"" + column.name + "\" ";
    if (is_missing(cell.text)) {
      return at(
          table, cell,
          where + (cell.text.empty() ? "is empty here" : "has " + in_quotes(cell.text) + " here") +
              "; fill it in, or leave such rows out with --skip-missing.");
    }
    if (labels) {
      column.labels.push_back(cell.text);
      continue;
    }
    const std::optional<double> value = number_in(cell.text);
    if (!value) {
      return at(table, cell,
                where + "has " + in_quotes(cell.text) +
                    " among numbers; correct it, or name the column with --categorical "
                    "if it holds categories.");
    }
    if (!std::isfinite(*value))
      return at(table, cell, where + "has " + in_quotes(cell.text) + ", which is not finite.");
    column.numbers.push_back(*value);
  }
  if (labels && count_categories(column) > kMostCategories) {
    return at(table, table.header[index],
              "column \"" + column.name + "\" has " + std::to_string(count_categories(column)) +
                  " different labels, more than " + std::to_string(kMostCategories) +
                  ": it looks like an identifier.");
  }
  return column;
}

}  // namespace

Result<CsvTable> read_csv(const std::string& path) {
  std::string text;
  const bool standard = path == "-";
  std::ifstream file;
  if (!standard) {
    file.open(path, std::ios::binary);
    if (!file) return Error{ErrorKind::not_found, "cannot read " + path + "."};
  }
  const std::string source = standard ? "standard input" : path;
  std::error_code unknown;
  if (const auto size = std::filesystem::file_size(path, unknown);
      !standard && !unknown && size > kMostBytes) {
    return too_large(source);
  }
  std::istream& in = standard ? std::cin : file;
  std::vector<char> buffer(1 << 16);
  while (in.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) || in.gcount() > 0) {
    const std::string_view read(buffer.data(), static_cast<std::size_t>(in.gcount()));
    if (const auto zero = read.find('\0'); zero != read.npos) {
      return Error{ErrorKind::invalid_input, source + ": found a zero byte at position " +
                                                 std::to_string(text.size() + zero) +
                                                 ", expected text"};
    }
    if (text.size() + read.size() > kMostBytes) return too_large(source);
    text.append(read);
  }
  return parse_csv(text, source);
}

Result<std::vector<DataColumn>> select_columns(const CsvTable& table, const ColumnChoice& choice) {
  std::vector<std::size_t> indices;
  for (const std::string& name : choice.names) {
    const auto found = std::find_if(table.header.begin(), table.header.end(),
                                    [&](const CsvCell& cell) { return cell.text == name; });
    if (found == table.header.end()) {
      return Error{ErrorKind::invalid_input, table.source + " has no column \"" + name +
                                                 "\"; its columns are " + header_names(table) +
                                                 "."};
    }
    indices.push_back(static_cast<std::size_t>(found - table.header.begin()));
  }
  std::vector<bool> used(table.rows.size(), true);
  if (choice.skip_missing) {
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      used[r] = std::none_of(indices.begin(), indices.end(), [&](std::size_t index) {
        return is_missing(table.rows[r][index].text);
      });
    }
  }
  std::vector<DataColumn> columns;
  for (const std::size_t index : indices) {
    const bool categorical = std::find(choice.categorical.begin(), choice.categorical.end(),
                                       table.header[index].text) != choice.categorical.end();
    Result<DataColumn> column = to_column(table, index, categorical, used);
    if (!column) return column.error();
    columns.push_back(std::move(*column));
  }
  return columns;
}

}  // namespace vbo::cli
