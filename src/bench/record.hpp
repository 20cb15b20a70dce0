// SPDX-License-Identifier: MIT
// What a finished job leaves behind, and its files:
//   STEM.jsonl   a header line, then one line per round
//   STEM.csv     every observation: round,value and, when asked for, the parameters
// The .csv is written first and both appear under their names only when complete, so a job with a
// .jsonl is finished, whatever happened to the process. Values are in the sign that is maximized:
// those of a minimization task are negated.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "bench/job.hpp"
#include "vbo/error.hpp"
#include "vbo/space.hpp"

namespace vbo::bench {

inline constexpr double missing = std::numeric_limits<double>::quiet_NaN();

// Where numbers come from: build and machine.
struct Origin {
  std::string version;
  std::string commit;  // "+" at its end: with changes that are not committed
  std::string compiler;
  std::string build_type;
  std::string machine;  // processor, as the system names it
  int cores = 0;
  bool optimized = true;  // compiled with optimization
  bool operator==(const Origin&) const = default;
};

Origin this_origin();

struct TaskFacts {
  std::int64_t parameters = 0;
  std::optional<double> optimum;  // in the sign that is maximized
  bool optimum_proven = true;
  bool negated = false;  // the task itself is minimized
  double noise = 0.0;
  bool operator==(const TaskFacts&) const = default;
};

struct RoundRecord {
  std::int64_t round = 0;           // 1, 2, ...
  std::int64_t evaluations = 0;     // so far
  double best = missing;            // highest value of a feasible result so far
  std::optional<double> incumbent;  // the same point's expected value, on noisy tasks
  double batch_mean = missing;      // of this round's values
  double average_reward = missing;  // S_t: mean of all values so far
  double seconds_ask = 0.0;
  double seconds_tell = 0.0;
  std::uint64_t flops = 0;  // executed by ask and tell together
  bool operator==(const RoundRecord&) const = default;
};

struct Observation {
  std::int64_t round = 0;
  double value = missing;  // missing: the evaluation failed or violates a limit of the task
  Point point;             // empty unless points are kept
};

struct JobResult {
  Job job;
  Origin origin;
  TaskFacts task;
  std::vector<RoundRecord> rounds;
  std::vector<std::string> parameter_names;  // only when points are kept
  std::vector<Observation> observations;
};

Result<void> write_job(const std::filesystem::path& directory, const JobResult& result);

// Reads STEM.jsonl; the error names file and line. Observations are left empty.
Result<JobResult> read_job(const std::filesystem::path& jsonl);

// Reads round and value of STEM.csv.
Result<std::vector<Observation>> read_observations(const std::filesystem::path& csv);

// The .jsonl of all finished jobs below `directory`, in order; an Error when there are none.
// reading.hpp reads them all.
Result<std::vector<std::filesystem::path>> result_files(const std::filesystem::path& directory);

// Writes a file so that it appears complete or not at all.
Result<void> write_file(const std::filesystem::path& path, const std::string& content);

}  // namespace vbo::bench
