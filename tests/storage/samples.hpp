// SPDX-License-Identifier: MIT
// Records and trials for the storage tests, and comparison of all their fields.
#pragma once

#include <ostream>

#include "vbo/storage.hpp"

namespace vbo::testing {

inline StudyRecord sample_record() {
  StudyRecord record;
  record.name = "sample";
  record.objectives = {{.name = "cost", .goal = Goal::minimize}};
  record.budget = 10;
  record.space = Space::make({Parameter::real("x", -1, 1), Parameter::integer("n", 1, 9),
                              Parameter::categorical("c", {"a", "b\"\\\n", "日本"})})
                     .value();
  record.optimizer = {.method = "random", .seed = ~std::uint64_t{0}, .batch = 4, .budget = 10};
  record.optimizer.settings = {{"flag", true},
                               {"whole", std::int64_t{1}},
                               {"number", 1.0},
                               {"text", std::string("1")},
                               {"widths", std::vector<double>{64, 32}}};
  record.evaluate_json = R"({"command":["true"]})";
  return record;
}

inline Trial sample_trial(TrialId id, EventId asked_in) {
  Trial trial;
  trial.id = id;
  trial.point = {0.1 * static_cast<double>(id % 10), id % 9 + 1, std::string("b\"\\\n")};
  trial.rationale = {"action-net", 0.1 + 0.2, {{"exploitation", -0.1}, {"information", 1e-300}}};
  trial.asked_in = asked_in;
  return trial;
}

inline Trial completed(Trial trial, double value, EventId told_in) {
  trial.state = TrialState::completed;
  trial.values = {value};
  trial.seconds = 0.25;
  trial.attempts = 2;
  trial.metrics = {{"mass", 0.1 + 0.2}, {"stress", -240.0}};
  trial.standard_error = {0.1 + 0.2};
  trial.steps = {{1, {9.5}}, {3, {value}}};
  trial.told_in = told_in;
  return trial;
}

inline WorkerInfo sample_worker(const std::string& name, const std::string& process = "elsewhere") {
  WorkerInfo worker;
  worker.name = name;
  worker.host = "host";
  worker.process = process;
  worker.slots = 4;
  return worker;
}

inline Trial failed(Trial trial, EventId told_in) {
  trial.state = TrialState::failed;
  trial.failure = Failure{FailureCause::timeout, "took longer than 1 s"};
  trial.stderr_tail = std::string("bytes \xff and \0 too", 18);
  trial.told_in = told_in;
  return trial;
}

inline bool same(const Trial& a, const Trial& b) {
  return a.id == b.id && a.point == b.point && a.state == b.state && a.values == b.values &&
         a.failure == b.failure && a.seconds == b.seconds && a.attempts == b.attempts &&
         a.stderr_tail == b.stderr_tail && a.metrics == b.metrics &&
         a.standard_error == b.standard_error && a.steps == b.steps && a.rationale == b.rationale &&
         a.asked_in == b.asked_in && a.told_in == b.told_in;
}

inline bool same(const AskReport& a, const AskReport& b) {
  if (a.recommendation.has_value() != b.recommendation.has_value()) return false;
  if (a.recommendation && (a.recommendation->id != b.recommendation->id ||
                           a.recommendation->mean != b.recommendation->mean ||
                           a.recommendation->deviation != b.recommendation->deviation)) {
    return false;
  }
  return a.round == b.round && a.information == b.information && a.exploitation == b.exploitation &&
         a.deviation == b.deviation && a.values == b.values && a.message == b.message;
}

inline bool same(const StudyRecord& a, const StudyRecord& b) {
  return a.name == b.name && a.objectives == b.objectives && a.budget == b.budget &&
         a.space == b.space && a.optimizer.method == b.optimizer.method &&
         a.optimizer.seed == b.optimizer.seed && a.optimizer.batch == b.optimizer.batch &&
         a.optimizer.budget == b.optimizer.budget && a.optimizer.settings == b.optimizer.settings &&
         a.evaluate_json == b.evaluate_json;
}

}  // namespace vbo::testing
