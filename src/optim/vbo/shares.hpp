// SPDX-License-Identifier: MIT
// How the suggestions of a restart are divided among their sources. A source is measured by its win
// rate
//   p = chance that one of its results is better than one of another source, each source counting
//       the same,
// averaged over rounds with a memory of one half. Its weight is the option's weight times
// (2p)^(3/2), bounded from below: a source that loses today may find the better basin later. For
// the same reason a part of the batch is always the local search's. Win rates favour short steps;
// once the local search is narrow, mutations get a fixed share instead. Not thread-safe.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "optim/state_bytes.hpp"
#include "optim/vbo/options.hpp"
#include "optim/vbo/proposals.hpp"

namespace vbo {

class Shares {
 public:
  explicit Shares(const VboOptions& options) : options_(options) {}

  // A result of a suggestion from `source`; failures are -inf.
  void learn(Source source, double value);
  // Once per round: win rates take in the results since the last time, as soon as there are enough.
  void advance();

  struct ShareState {
    bool narrow = false;  // the local search has narrowed to one basin
    std::optional<double> mutations =
        std::nullopt;     // share of mutations then; otherwise by success
    bool ascends = true;  // gradient ascent is on
  };
  double of(Source source, ShareState state) const;  // of the batch; all sources' add up to one
  double win_rate(Source source) const;

  void write(StateWriter& out) const;
  void read(StateReader& in);

 private:
  double weight(Source source, ShareState state) const;
  double by_success(Source source, ShareState state) const;

  VboOptions options_;
  std::map<Source, std::vector<double>> results_;  // not compared yet, the last few of each source
  std::map<Source, double> wins_;                  // p; 1/2 before anything is known
};

}  // namespace vbo
