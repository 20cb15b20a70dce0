// SPDX-License-Identifier: MIT
// The values reported by the flagship and vbo-paper: the terms of a score, and further values of
// a rationale or report. Scores are normal scores, so information enters them by its
// weight.
#pragma once

#include <optional>

#include "vbo/ledger.hpp"

namespace vbo {

// A part of a surrogate's score, and the same without its weight, where it has one.
struct ScoreTerm {
  TermInfo weighted;
  std::optional<TermInfo> plain;
};

inline constexpr ScoreTerm kExpectedOutcome{
    {"exploitation", Unit::normal_score, TermRole::adds_up,
     "expected outcome, as a normal score among all results: 0 is average"},
    std::nullopt};
inline constexpr ScoreTerm kInputInformation{
    {"information_inputs", Unit::normal_score, TermRole::adds_up,
     "sqrt(beta) times the information of its outcome about the input"},
    TermInfo{"I(X;Y)_nats", Unit::nats, TermRole::beside, "this point's share of I(X;Y)"}};
inline constexpr ScoreTerm kModelInformation{
    {"information_model", Unit::normal_score, TermRole::adds_up,
     "sqrt(beta) times the information of its outcome about the function"},
    TermInfo{"I(f;Y|X)_nats", Unit::nats, TermRole::beside,
             "I(f;Y|X) at this point: large where the critics disagree"}};
inline constexpr ScoreTerm kGpDeviation{{"gp_deviation", Unit::normal_score, TermRole::adds_up,
                                         "sqrt(beta) times the Gaussian process's deviation there"},
                                        std::nullopt};

inline constexpr TermInfo kSqrtBeta{"sqrt_beta", Unit::number, TermRole::beside,
                                    "weight of a nat of information against the expected outcome"};
inline constexpr TermInfo kRoundNats{
    "round_information_nats", Unit::nats, TermRole::beside,
    "observed information of the previous round's results, each scored before training on it"};
inline constexpr TermInfo kCeilingNats{"ceiling_nats", Unit::nats, TermRole::beside,
                                       "the largest information a result can have"};

inline constexpr TermInfo kLogEi{
    "log_ei", Unit::number, TermRole::beside,
    "logarithm of the Gaussian process's expected improvement over the best result, in normal "
    "scores; suggestions of source expected-improvement maximize it"};

inline constexpr TermInfo kLow{
    "low", Unit::objective, TermRole::beside,
    "predicted outcome: the worse end of a range that four in five lie in"};
inline constexpr TermInfo kMedian{"median", Unit::objective, TermRole::beside,
                                  "predicted outcome: worse with probability 0.5"};
inline constexpr TermInfo kHigh{"high", Unit::objective, TermRole::beside,
                                "predicted outcome: the better end of that range"};
inline constexpr TermInfo kFeasible{"feasible", Unit::probability, TermRole::beside,
                                    "that the point succeeds and satisfies the constraints"};

inline constexpr TermInfo kRuns{
    "runs", Unit::count, TermRole::beside,
    "restarts of the search so far, the first included, each from a design of its own"};
inline constexpr TermInfo kNetworkWeight{
    "weight_networks", Unit::number, TermRole::beside,
    "weight of the networks in the panel, by the information of their predictions of new results"};
inline constexpr TermInfo kGpWeight{"weight_gp", Unit::number, TermRole::beside,
                                    "weight of the Gaussian process in the panel"};
inline constexpr TermInfo kQuadraticWeight{"weight_quadratic", Unit::number, TermRole::beside,
                                           "weight of the quadratic model in the panel"};
inline constexpr TermInfo kInverseTemperature{
    "inverse_temperature", Unit::number, TermRole::beside,
    "correction of overconfident predictions, fitted to recent results: 1 leaves them as they are, "
    "0 replaces them by the marginal"};

}  // namespace vbo
