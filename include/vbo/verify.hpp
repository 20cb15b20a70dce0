// SPDX-License-Identifier: MIT
// Whether everything a storage holds agrees: rows with their checksums, indexes and counters with
// the rows, the log with what its method suggests when it is replayed, the stored state of the
// method with what the log gives. Changes nothing; works beside writers.
// Stability: a minor version of 0.x may change it.
// Threads: the storage belongs to the calling thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vbo/storage.hpp"

namespace vbo {

struct Verification {
  std::int64_t trials = 0, results = 0, corrections = 0;
  bool replayed = false;
  std::vector<std::string> problems;  // damage; empty: all agrees
  std::vector<std::string> notes;     // what was found and does no harm
};

// Replaying takes as long as the method took to suggest all of it; without, state and suggestions
// are not compared. An error when there is nothing to verify.
Result<Verification> verify_study(Storage& storage, bool replay = true);

}  // namespace vbo
