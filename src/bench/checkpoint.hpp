// SPDX-License-Identifier: MIT
// An unfinished job on disk: its rounds and trials so far and the method's own snapshot, in CBOR
// (binary JSON). A job continued from it gives the numbers of one that was never stopped.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bench/record.hpp"
#include "vbo/trial.hpp"

namespace vbo::bench {

struct Checkpoint {
  Job job;
  Origin origin;
  std::vector<RoundRecord> rounds;
  std::vector<Trial> trials;  // all told, in the order of asking
  TrialId next_id = 1;
  std::string snapshot;  // of the optimizer after the last tell
};

Result<void> write_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint);

// nullopt when there is none, or it is damaged, of another job, or made by another build or
// machine, whose sums may differ in the last bits.
std::optional<Checkpoint> read_checkpoint(const std::filesystem::path& path, const Job& job);

}  // namespace vbo::bench
