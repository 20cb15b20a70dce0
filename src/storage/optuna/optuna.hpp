// SPDX-License-Identifier: MIT
// Reads the SQLite file in which Optuna keeps its studies (RDBStorage, Optuna 3 and later), by its
// tables alone. Changes nothing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/json.hpp"
#include "vbo/error.hpp"
#include "vbo/trial.hpp"

namespace vbo {

struct OptunaTrial {
  std::int64_t number = 0;  // as Optuna counts them, from 0
  Json params = Json::object();
  Outcome outcome;
};

struct OptunaStudy {
  std::string name;
  // In Optuna's order. Several have the metric names of the study, or "value_0", "value_1", ...
  std::vector<Objective> objectives;
  std::vector<OptunaTrial> trials;  // completed and failed ones
  std::int64_t pruned = 0;          // left out: they have no final value
};

// Whether the SQLite file at `path` has the tables of Optuna; false for anything else.
bool is_optuna_file(const std::string& path);

// `name` "" is the only study of the file. The error lists the studies when that is not clear.
Result<OptunaStudy> read_optuna(const std::string& path, const std::string& name = "");

}  // namespace vbo
