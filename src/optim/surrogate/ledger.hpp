// SPDX-License-Identifier: MIT
// What methods with a model say about a suggestion: the acquisition and the parts it is made of,
// and beside it the posterior there.
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>

#include "optim/surrogate/acquisition.hpp"
#include "vbo/ledger.hpp"

namespace vbo {

inline constexpr TermInfo kDraw{
    "draw", Unit::objective, TermRole::adds_up,
    "outcome there in one function drawn from the model: the best of all candidates"};

inline constexpr TermInfo kLogPosterior{"log_posterior", Unit::number, TermRole::beside,
                                        "of the results, as the last fit left it"};
inline constexpr TermInfo kIterations{"iterations", Unit::count, TermRole::beside,
                                      "steps of the last fit"};
inline constexpr TermInfo kPoints{"points", Unit::count, TermRole::beside,
                                  "results the model looks at"};

// A posterior at a point, standardized.
struct GpPrediction {
  double mean = 0.0;
  double deviation = 0.0;
  std::optional<double> log_feasible;  // logarithm of the probability; part of the score
  std::optional<double> improves;      // probability of beating the best result; where it is known
};

// Puts into `why` the score of an acquisition of this kind, in standardized units, as what it is
// made of, and beside it the posterior. to_y maps standardized outcomes to the
// objective's.
void add_score(Rationale& why, Acquisition kind, double score, const GpPrediction& there,
               const std::function<double(double)>& to_y);

// All that add_score() may put there, and what a fit reports: its own numbers last.
Ledger surrogate_ledger(std::initializer_list<TermInfo> of_the_fit);

}  // namespace vbo
