// SPDX-License-Identifier: MIT
// Past results from a file, as points of a study's space: a CSV table with the parameters' names in
// its header (as `vbo trials` writes it, too), or the storage of another study. Reads everything
// and changes nothing.
#pragma once

#include <string>
#include <vector>

#include "cli/csv.hpp"
#include "vbo/study.hpp"

namespace vbo::cli {

struct Imported {
  std::vector<Evaluated> results;
  std::vector<std::string> problems;  // one line each: where, what was found, what would be right
};

// By what the file is, not by its name. An error when nothing in it can be used.
Result<Imported> read_results(const std::string& path, const StudyRecord& study);

Result<Imported> results_from(const CsvTable& table, const Space& space);

// Without those that are stored already: the same point with the same outcome, as often as it is.
std::vector<Evaluated> without_known(std::vector<Evaluated> results, const Space& space,
                                     const std::vector<Trial>& stored);

}  // namespace vbo::cli
