// SPDX-License-Identifier: MIT
#include "core/csv.hpp"

#include <cstddef>
#include <optional>
#include <utility>

namespace vbo::core {
namespace {

constexpr std::size_t kMostCells = std::size_t{1} << 25;  // forty bytes each, beside their text

std::string place(const CsvTable& table, int line, int column) {
  return table.source + ":" + std::to_string(line) + ":" + std::to_string(column) + ": ";
}

Error wrong_at(const CsvTable& table, const CsvCell& cell, const std::string& message) {
  return {ErrorKind::invalid_input, place(table, cell.line, cell.column) + message};
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
      if (position_ >= text_.size()) return wrong_at(table_, cell, "this quoted field never ends.");
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
      return wrong_at(table, (*record)->front(),
                      "this row has " + std::to_string((*record)->size()) +
                          " fields, the header has " + std::to_string(table.header.size()) + ".");
    } else if ((table.rows.size() + 1) * table.header.size() > kMostCells) {
      return wrong_at(
          table, (*record)->front(),
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

}  // namespace vbo::core
