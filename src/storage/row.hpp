// SPDX-License-Identifier: MIT
// A trial as a row of a table, whatever the database: texts of its parts, and checksums by which a
// flipped bit is detected.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "vbo/error.hpp"
#include "vbo/storage.hpp"
#include "vbo/trial.hpp"

namespace vbo {

// "" when there are none.
std::string metrics_text(const std::map<std::string, double>& metrics);
Result<std::map<std::string, double>> metrics_from(std::string_view text);

// What an outcome has beside its first value and its metrics: all values where there are several,
// standard errors, steps. "" when there is nothing of it.
std::string details_text(const Trial& trial);
// Puts them into a trial that has its first value, if any.
Result<void> set_details(std::string_view text, Trial& trial);

// The point and the rationale as they are stored, quick where they are in our own form.
// A point that was `added` may lie off the steps and outside the constraints, as it was measured.
Result<Point> stored_point(const Space& space, std::string_view text, bool added = false);
Result<Rationale> stored_rationale(std::string_view text);

// Of what an ask stores: id, texts of point and rationale, asked_in.
std::int64_t ask_check(TrialId id, std::string_view params, std::string_view rationale,
                       EventId asked_in);
// Of how a trial ended: outcome, seconds, attempts, told_in, and what was really set.
std::int64_t end_check(const Trial& trial);
std::int64_t bytes_check(std::string_view bytes);

// The changes of a study's settings: "" when there are none.
Result<std::string> changes_text(const std::vector<SettingsChange>& changes);
Result<std::vector<SettingsChange>> changes_from(std::string_view text);

// A whole trial as one text, for the log of revisions; without its stderr_tail.
std::string trial_text(const Space& space, const Trial& trial);
Result<Trial> trial_from(const Space& space, std::string_view text);

// The point that was really set, when it is not the one suggested: "" or {"x": 36.2, ...}.
std::string actual_text(const Space& space, const Trial& trial);
// Puts it into a trial that has the suggestion as its point.
Result<void> set_actual(const Space& space, std::string_view text, Trial& trial);

}  // namespace vbo
