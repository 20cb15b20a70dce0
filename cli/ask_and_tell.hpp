// SPDX-License-Identifier: MIT
// Suggestions and results for people and robots, while others ask, tell or run the same study:
// what `vbo ask`, `vbo tell` and `vbo serve` share.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "vbo/error.hpp"
#include "vbo/space.hpp"
#include "vbo/storage.hpp"
#include "vbo/trial.hpp"

namespace vbo::cli {

struct AskWish {
  std::string study;  // storage or study file; a study file creates the study
  std::int64_t count = 1;
  int threads = 0;  // of the method; 0 = all cores
  double wait_seconds = 30.0;
  bool over_budget = true;  // else more than the budget has room for are refused
  // Brings results instead: made for the study it finds.
  std::function<Result<Delivery>(const StudyRecord&)> results;
};

struct Answer {
  Space space;
  std::vector<Objective> objectives;
  std::vector<Trial> trials;  // empty when the space has no more points
};

Result<Answer> ask_for(const AskWish& wish);

// How a result is told.
struct TellWish {
  std::string study;
  Outcome outcome;                     // of outcome.id
  std::vector<std::string> values;     // NAME=NUMBER, one per objective, instead of its values
  std::vector<std::string> sem;        // NUMBER, or NAME=NUMBER of several objectives
  std::vector<std::string> actual;     // NAME=VALUE that were really set; the others as suggested
  std::optional<std::string> replace;  // why it takes the place of the result there is
  double wait_seconds = 30.0;
};

// A trial as it is stored, and what its values are of.
struct Told {
  Trial trial;
  std::vector<Objective> objectives;
};

// Stores the result; whoever coordinates the study, now or later, tells the method.
Result<Told> tell_result(const TellWish& wish);

// The outcome with the values NAME=NUMBER, one per objective; it stays as it is when it has failed.
// A value that is not finite makes it fail. An error says which name is missing or unknown, or that
// its one value is not enough.
Result<Outcome> with_values(Outcome outcome, const std::vector<std::string>& given,
                            const std::vector<Objective>& objectives);
// The outcome with the standard errors of its values: one NUMBER, of several objectives NAME=NUMBER
// for each. An outcome without values stays as it is.
Result<Outcome> with_errors(Outcome outcome, const std::vector<std::string>& given,
                            const std::vector<Objective>& objectives);
// How `vbo tell` is given a result: "VALUE", or "--value error=NUMBER --value speed=NUMBER"; with
// `values` these instead.
std::string value_arguments(const std::vector<Objective>& objectives,
                            const std::vector<double>& values = {});

// NAME=VALUE, split.
std::optional<std::pair<std::string, std::string>> assignment(const std::string& text);

// Why there is no such trial: it never was, or it was dropped.
Error no_such_trial(Storage& storage, TrialId id, const std::string& study_argument);

}  // namespace vbo::cli
