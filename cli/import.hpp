// SPDX-License-Identifier: MIT
// Past results from a file, as points of a study's space: a CSV table with the parameters' names in
// its header (as `vbo trials` writes it, too), the storage of another study, or the SQLite storage
// of an Optuna study. Reads everything and changes nothing.
#pragma once

#include <string>
#include <vector>

#include "cli/csv.hpp"
#include "vbo/study.hpp"

namespace vbo::cli {

struct Imported {
  std::vector<Evaluated> results;
  std::vector<std::string> problems;  // one line each: where, what was found, what would be right
  std::int64_t pruned = 0;            // trials of Optuna without a final value, left out
};

// By what the file is, not by its name. An error when nothing in it can be used.
// `optuna_study` is which one of an Optuna file; "" when there is only one. `as_measured` takes
// points off the steps and outside the constraints as they are.
Result<Imported> read_results(const std::string& path, const StudyRecord& study,
                              const std::string& optuna_study = "", bool as_measured = false);

Result<Imported> results_from(const CsvTable& table, const Space& space,
                              const std::vector<Objective>& objectives = {Objective{}},
                              bool as_measured = false);

}  // namespace vbo::cli
