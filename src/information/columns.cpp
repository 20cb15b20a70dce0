// SPDX-License-Identifier: MIT
#include "information/columns.hpp"

#include <map>
#include <set>

#include "numerics/scores.hpp"

namespace vbo {
namespace {

// One row per distinct value, minus its mean; two values need only one row.
template <class Value>
std::vector<Vector> indicator_rows(const std::vector<Value>& values) {
  std::map<Value, std::size_t> codes;
  for (const Value& value : values) codes.emplace(value, 0);
  std::size_t next = 0;
  for (auto& [value, code] : codes) code = next++;
  const std::size_t count = codes.size() == 2 ? 1 : codes.size();
  std::vector<Vector> rows(count, Vector::Zero(static_cast<Eigen::Index>(values.size())));
  for (std::size_t n = 0; n < values.size(); ++n) {
    const std::size_t code = codes.at(values[n]);
    if (code < count) rows[code][static_cast<Eigen::Index>(n)] = 1.0;
  }
  for (Vector& row : rows) row.array() -= row.mean();
  return rows;
}

}  // namespace

int count_categories(const DataColumn& column) {
  return static_cast<int>(std::set<std::string>(column.labels.begin(), column.labels.end()).size());
}

EncodedColumns encode_columns(std::span<const DataColumn> columns) {
  EncodedColumns out;
  std::vector<Vector> rows;
  Eigen::Index samples = 0;
  for (const DataColumn& column : columns) {
    std::vector<Vector> added;
    std::size_t distinct = 0;
    if (!column.labels.empty()) {
      samples = static_cast<Eigen::Index>(column.labels.size());
      distinct = static_cast<std::size_t>(count_categories(column));
      if (distinct > 1) added = indicator_rows(column.labels);
    } else {
      samples = static_cast<Eigen::Index>(column.numbers.size());
      distinct = std::set<double>(column.numbers.begin(), column.numbers.end()).size();
      if (distinct > 2 && distinct <= static_cast<std::size_t>(kFewValues)) {
        added = indicator_rows(column.numbers);
      }
      if (distinct > 1) {
        added.push_back(normal_scores(Eigen::Map<const Vector>(column.numbers.data(), samples)));
      }
    }
    if (distinct <= 1) out.constant.push_back(column.name);
    rows.insert(rows.end(), added.begin(), added.end());
  }
  out.values.resize(static_cast<Eigen::Index>(rows.size()), samples);
  for (std::size_t d = 0; d < rows.size(); ++d) {
    out.values.row(static_cast<Eigen::Index>(d)) = rows[d].transpose();
  }
  return out;
}

}  // namespace vbo
