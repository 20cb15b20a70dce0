// SPDX-License-Identifier: MIT
// The files of programs that read an input file and write output files: inputs are written from
// templates into a folder of the trial's own, and values are found in what the program has written
// or printed. docs/how-to/programs-with-files.md has an example, docs/reference/study-file.md the
// keys of a study file.
// Stability: a minor version of 0.x may change it.
// Threads: plain values.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace vbo {

// A file with {name} where the value of a parameter goes, as in a command.
struct InputTemplate {
  std::string from;  // relative to ProcessOptions::directory
  std::string to;  // in the trial's folder, which it cannot leave; keeps the permissions of `from`
};

// Where the program writes a value. One of pattern, json and column is not empty.
struct Extraction {
  std::string metric;   // or the name of an objective; "value" when there is only one
  std::string file;     // in the trial's folder, which it cannot leave; empty = standard output
  std::string pattern;  // a regular expression with one group, the number: the last match counts
  std::string json;     // the way to a number: keys and indices with dots, as in "results.-1.mass"
  std::string column;   // of a CSV file with a header: the last row counts
  std::optional<double> otherwise = std::nullopt;  // the value where none is found
};

// Which folders of trials stay.
enum class Keep { none, failed, all };

struct ProgramFiles {
  std::vector<InputTemplate> templates;
  std::vector<Extraction> extractions;
  // Where each trial gets a folder, trial-ID, in which the program runs; empty = the program runs
  // in ProcessOptions::directory, without templates and output files.
  std::string folder;
  std::string
      input;  // in the trial's folder: what the program reads as standard input; empty = none
  Keep keep = Keep::failed;
};

inline constexpr std::size_t kMostTemplates = 1000;
inline constexpr std::size_t kLargestTemplate = std::size_t{16}
                                                << 20U;                // bytes; of all: four times
inline constexpr std::size_t kLargestOutput = std::size_t{16} << 20U;  // bytes of a file looked at

}  // namespace vbo
