// SPDX-License-Identifier: MIT
#include "cli/csv.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>

namespace vbo::cli {
namespace {

constexpr std::size_t kMostBytes = std::size_t{256} << 20;
constexpr std::size_t kMostCells = std::size_t{1} << 25;  // forty bytes each, beside their text

Error too_large(const std::string& source) {
  return {ErrorKind::invalid_input, source + ": found more than " +
                                        std::to_string(kMostBytes >> 20) +
                                        " MiB, expected a table of at most that; split it"};
}

std::string place(const CsvTable& table, int line, int column) {
  return table.source + ":" + std::to_string(line) + ":" + std::to_string(column) + ": ";
}

Error at(const CsvTable& table, const CsvCell& cell, const std::string& message) {
  return {ErrorKind::invalid_input, place(table, cell.line, cell.column) + message};
}

std::string in_quotes(std::string_view text) {
  const std::size_t most = 40;
  return text.size() <= most ? "\"" + std::string(text) + "\""
                             : "\"" + std::string(text.substr(0, most)) + "...\"";
}

bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::string trimmed(std::string_view text, char separator) {
  const auto blank = [&](char c) { return is_blank(c) && c != separator; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return std::string(text);
}

// The separator is whichever of , ; tab the header line has most of, outside quotes.
char find_separator(std::string_view text) {
  int commas = 0, semicolons = 0, tabs = 0;
  bool inside = false;
  for (const char c : text) {
    if (c == '"') inside = !inside;
    if (!inside && (c == '\n' || c == '\r')) break;
    if (inside) continue;
    commas += c == ',';
    semicolons += c == ';';
    tabs += c == '\t';
  }
  if (tabs > commas && tabs > semicolons) return '\t';
  return semicolons > commas ? ';' : ',';
}

// Walks over the text, one record at a time.
class Scanner {
 public:
  Scanner(std::string_view text, char separator, const CsvTable& table)
      : text_(text), separator_(separator), table_(table) {}

  // The next record that has any character, or nothing at the end.
  Result<std::optional<std::vector<CsvCell>>> next() {
    while (position_ < text_.size() && end_of_line()) {
    }
    if (position_ >= text_.size()) return std::optional<std::vector<CsvCell>>();
    std::vector<CsvCell> record;
    for (;;) {
      Result<CsvCell> cell = field();
      if (!cell) return cell.error();
      record.push_back(std::move(*cell));
      if (position_ >= text_.size() || end_of_line()) break;
      ++position_;  // the separator
    }
    return std::optional(std::move(record));
  }

 private:
  int column() const { return static_cast<int>(position_ - line_start_) + 1; }

  // Consumes \n, \r\n or \r if it is next.
  bool end_of_line() {
    if (text_[position_] != '\n' && text_[position_] != '\r') return false;
    if (text_[position_] == '\r' && position_ + 1 < text_.size() && text_[position_ + 1] == '\n') {
      ++position_;
    }
    ++position_;
    ++line_;
    line_start_ = position_;
    return true;
  }

  bool at_end_of_field() const {
    return position_ >= text_.size() || text_[position_] == separator_ ||
           text_[position_] == '\n' || text_[position_] == '\r';
  }

  Result<CsvCell> field() {
    CsvCell cell;
    while (position_ < text_.size() && is_blank(text_[position_]) &&
           text_[position_] != separator_) {
      ++position_;
    }
    cell.line = line_;
    cell.column = column();
    if (position_ < text_.size() && text_[position_] == '"') return quoted_field(std::move(cell));
    const std::size_t first = position_;
    while (!at_end_of_field()) ++position_;
    cell.text = trimmed(text_.substr(first, position_ - first), separator_);
    return cell;
  }

  Result<CsvCell> quoted_field(CsvCell cell) {
    ++position_;
    for (;;) {
      if (position_ >= text_.size()) return at(table_, cell, "this quoted field never ends.");
      const char c = text_[position_];
      if (c == '"') {
        const bool doubled = position_ + 1 < text_.size() && text_[position_ + 1] == '"';
        position_ += doubled ? 2 : 1;
        if (!doubled) break;
        cell.text += '"';
      } else if (c == '\n' || c == '\r') {
        cell.text += '\n';
        end_of_line();
      } else {
        cell.text += c;
        ++position_;
      }
    }
    while (!at_end_of_field()) {
      if (!is_blank(text_[position_])) {
        return Error{ErrorKind::invalid_input,
                     place(table_, line_, column()) + "text after the closing quote of a field."};
      }
      ++position_;
    }
    return cell;
  }

  std::string_view text_;
  char separator_;
  const CsvTable& table_;
  std::size_t position_ = 0;
  std::size_t line_start_ = 0;
  int line_ = 1;
};

std::optional<double> number_in(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
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

Result<CsvTable> parse_csv(std::string_view text, std::string source) {
  CsvTable table{.source = std::move(source), .header = {}, .rows = {}};
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  Scanner scanner(text, find_separator(text), table);
  for (;;) {
    Result<std::optional<std::vector<CsvCell>>> record = scanner.next();
    if (!record) return record.error();
    if (!*record) break;
    if (table.header.empty()) {
      table.header = std::move(**record);
    } else if ((*record)->size() != table.header.size()) {
      return at(table, (*record)->front(),
                "this row has " + std::to_string((*record)->size()) + " fields, the header has " +
                    std::to_string(table.header.size()) + ".");
    } else if ((table.rows.size() + 1) * table.header.size() > kMostCells) {
      return at(table, (*record)->front(),
                "found more than " + std::to_string(kMostCells) + " fields, split the table.");
    } else {
      table.rows.push_back(std::move(**record));
    }
  }
  if (table.header.empty()) {
    return Error{ErrorKind::invalid_input,
                 table.source + " is empty; expected a header line and one line per sample."};
  }
  return table;
}

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
