// SPDX-License-Identifier: MIT
// A trial as a row of a table, whatever the database: texts of its parts, and checksums by which a
// flipped bit is found instead of believed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "vbo/error.hpp"
#include "vbo/trial.hpp"

namespace vbo {

// "" when there are none.
std::string metrics_text(const std::map<std::string, double>& metrics);
Result<std::map<std::string, double>> metrics_from(std::string_view text);

// The point and the rationale as they are stored, quick where they are in our own form.
Result<Point> stored_point(const Space& space, std::string_view text);
Result<Rationale> stored_rationale(std::string_view text);

// Of what an ask stores: id, texts of point and rationale, asked_in.
std::int64_t ask_check(TrialId id, std::string_view params, std::string_view rationale,
                       EventId asked_in);
// Of how a trial ended: outcome, metrics, seconds, attempts, told_in.
std::int64_t end_check(const Trial& trial);
std::int64_t bytes_check(std::string_view bytes);

}  // namespace vbo
