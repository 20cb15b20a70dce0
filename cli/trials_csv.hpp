// SPDX-License-Identifier: MIT
// Trials as a CSV table: what `vbo trials` prints and `vbo export --csv` writes.
#pragma once

#include <set>
#include <span>
#include <string>

#include "vbo/storage.hpp"
#include "vbo/trial.hpp"

namespace vbo::cli {

// Columns that are there only when some trial needs them.
struct ExtraColumns {
  std::set<std::string> metrics;
  bool suggested = false;  // somewhere another point was set than suggested
  bool sem = false;        // somewhere a standard error is known
  bool repeats = false;    // some trial repeats another's point
};

ExtraColumns extra_columns(std::span<const Trial> trials);
std::string csv_header(const StudyRecord& record, const ExtraColumns& extra);
std::string csv_row(const StudyRecord& record, const Trial& trial, const ExtraColumns& extra);

}  // namespace vbo::cli
