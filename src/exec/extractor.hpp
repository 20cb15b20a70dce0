// SPDX-License-Identifier: MIT
// Finds values in what a program has printed and in the files it has written. What cannot be found
// makes a failed Outcome that says where it was looked for, and what was there. Immutable once
// made.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/pattern.hpp"
#include "exec/value_line.hpp"
#include "vbo/executor.hpp"

namespace vbo::exec {

class Extractor {
 public:
  Extractor() = default;
  // REQUIRES: options without a FileFlaw.
  explicit Extractor(const ProcessOptions& options);

  // Of a program that ended well and ran in this folder. Objectives without an extraction are
  // looked for in what it printed (find_value).
  Outcome outcome_of(const Tail& output, const std::string& folder) const;

 private:
  struct Place {
    Extraction what;
    std::optional<core::Pattern> pattern;
    std::optional<std::size_t> objective;  // whose value it is; otherwise a metric
  };

  std::vector<Place> places_;
  std::vector<Objective> objectives_;
  bool gives_values_ = false;
};

}  // namespace vbo::exec
