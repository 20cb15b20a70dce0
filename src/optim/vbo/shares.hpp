// SPDX-License-Identifier: MIT
// How the suggestions of a run are divided among their sources. A source is measured by its win
// rate
//   p = chance that one of its results is better than one of another source, each source counting
//       the same,
// averaged over rounds with a memory of one half. Its weight is what the options say times
// (2p)^(3/2), but not less than a part of it: what does not pay today may find the better basin
// tomorrow, and what pays today is often only the shorter step. Hence, too, a part of the batch
// that is always the local search's. Win rates reward short steps; once the leader is
// narrow, jumps get a share of their own instead. Not thread-safe.
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

  struct Race {
    bool narrow = false;                         // the leader has narrowed to one basin
    std::optional<double> jumps = std::nullopt;  // share of jumps then; otherwise by success
    bool climbs = true;                          // proposals climb
  };
  double of(Source source, Race race) const;  // of the batch; all sources' add up to one
  double win_rate(Source source) const;

  void write(StateWriter& out) const;
  void read(StateReader& in);

 private:
  double weight(Source source, Race race) const;
  double by_success(Source source, Race race) const;

  VboOptions options_;
  std::map<Source, std::vector<double>> results_;  // not compared yet, the last few of each source
  std::map<Source, double> wins_;                  // p; 1/2 before anything is known
};

}  // namespace vbo
