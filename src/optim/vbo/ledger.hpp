// SPDX-License-Identifier: MIT
// The numbers of the flagship and of vbo-paper: what a judge's terms mean, and what stands beside
// them in a rationale or report. Scores are normal scores, so information enters them by its
// weight.
#pragma once

#include <optional>

#include "vbo/ledger.hpp"

namespace vbo {

// A part of a judge's score, and the same without its weight, where it has one.
struct JudgedTerm {
  TermInfo weighted;
  std::optional<TermInfo> plain;
};

inline constexpr JudgedTerm kExpectedOutcome{
    {"exploitation", Unit::normal_score, TermRole::adds_up,
     "expected outcome, as a normal score among all results: 0 is average"},
    std::nullopt};
inline constexpr JudgedTerm kInputInformation{
    {"information_inputs", Unit::normal_score, TermRole::adds_up,
     "sqrt(beta) times what its outcome tells about where it came from"},
    TermInfo{"I(X;Y)_nats", Unit::nats, TermRole::beside, "this point's share of I(X;Y)"}};
inline constexpr JudgedTerm kModelInformation{
    {"information_model", Unit::normal_score, TermRole::adds_up,
     "sqrt(beta) times what its outcome tells about the function"},
    TermInfo{"I(f;Y|X)_nats", Unit::nats, TermRole::beside,
             "I(f;Y|X) at this point: large where the critics disagree"}};
inline constexpr JudgedTerm kGpDeviation{
    {"gp_deviation", Unit::normal_score, TermRole::adds_up,
     "sqrt(beta) times the Gaussian process's deviation there"},
    std::nullopt};

inline constexpr TermInfo kSqrtBeta{"sqrt_beta", Unit::number, TermRole::beside,
                                    "weight of a nat of information against the expected outcome"};
inline constexpr TermInfo kRoundNats{
    "round_information_nats", Unit::nats, TermRole::beside,
    "what the results of the round before told, each scored before it was learned from"};
inline constexpr TermInfo kCeilingNats{"ceiling_nats", Unit::nats, TermRole::beside,
                                       "the most that a result can tell"};

inline constexpr TermInfo kLogEi{
    "log_ei", Unit::number, TermRole::beside,
    "source improve is chosen by it: logarithm of how much the Gaussian process expects it to be "
    "above the best result, in normal scores"};

inline constexpr TermInfo kRuns{"runs", Unit::count, TermRole::beside,
                                "runs of the search so far, each from a design of its own"};
inline constexpr TermInfo kSharpness{
    "sharpness", Unit::number, TermRole::beside,
    "how far predictions are believed, by how well they did: 0 not at all, 1 as they are"};

}  // namespace vbo
