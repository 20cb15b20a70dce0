// SPDX-License-Identifier: MIT
// What people changed, as text.
#pragma once

#include <string>
#include <vector>

#include "report/history.hpp"

namespace vbo::cli {

using report::changes_of;
using report::history_json;
using report::HistoryEntry;

// A line each.
std::string history_text(const StudyRecord& record, const std::vector<HistoryEntry>& changes);

}  // namespace vbo::cli
