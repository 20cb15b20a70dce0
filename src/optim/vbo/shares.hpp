// SPDX-License-Identifier: MIT
// How a batch is divided among the sources of suggestions. A source is measured by its win rate
//   p = share of its results that are better than the median result of the leading local search,
// averaged over rounds with a memory of one half. Equal sources have p = 1/2; a source that falls
// behind keeps a small share, because what does not pay today may find the better basin tomorrow.
// Not thread-safe.
#pragma once

#include <map>
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

  double action_net() const;  // of the batch
  double jump() const;        // of the batch
  // Of the local suggestions. While the leader has not narrowed to one basin yet, the race is open
  // and the second search gets a larger minimum.
  double second(bool leader_has_decided) const;

  void write(StateWriter& out) const;
  void read(StateReader& in);

 private:
  double win_rate(Source source) const;

  VboOptions options_;
  std::map<Source, std::vector<double>> results_;  // not compared yet, the last few of each source
  std::map<Source, double> wins_;                  // p; 1/2 before anything is known
};

}  // namespace vbo
