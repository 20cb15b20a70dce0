// SPDX-License-Identifier: MIT
// What the next batch may bring.
#pragma once

#include <optional>

#include "vbo/report.hpp"

namespace vbo::report {

// From what the batches before have brought, so for every method alike; calibrated as
// research/information.md says. Nothing for several objectives, without a feasible result, and
// before three batches. REQUIRES: record, results and curve.
std::optional<Outlook> outlook_of(const StudyReport& report);

}  // namespace vbo::report
