// SPDX-License-Identifier: MIT
// What fits report besides their objective: declared once for the models that share them.
#pragma once

#include "vbo/ledger.hpp"

namespace vbo {

inline constexpr TermInfo kNoise{"noise", Unit::number, TermRole::beside,
                                 "variance of an observation's noise, in squared deviations"};
inline constexpr TermInfo kAcceptance{"acceptance", Unit::probability, TermRole::beside,
                                      "share of trajectories that were accepted"};
inline constexpr TermInfo kEffectiveSamples{
    "effective-samples", Unit::count, TermRole::beside,
    "independent samples that the correlated ones are worth"};
inline constexpr TermInfo kRHat{"r-hat", Unit::number, TermRole::beside,
                                "disagreement of the chains: near 1 when they have mixed"};
inline constexpr TermInfo kDivergences{"divergences", Unit::count, TermRole::beside,
                                       "times the integrator left the finite numbers"};
inline constexpr TermInfo kStepSize{"step-size", Unit::number, TermRole::beside,
                                    "of the integrator, after burn-in"};
inline constexpr TermInfo kGradients{"gradients", Unit::count, TermRole::beside,
                                     "gradients that the fit took"};
inline constexpr TermInfo kNoiseDeviation{"noise-deviation", Unit::deviations, TermRole::beside,
                                          "standard deviation of an observation's noise"};
inline constexpr TermInfo kLogEvidence{"log-evidence", Unit::number, TermRole::beside,
                                       "logarithm of the marginal likelihood"};
inline constexpr TermInfo kPriorPrecision{"prior-precision", Unit::number, TermRole::beside,
                                          "of the weights, fitted to the evidence"};
inline constexpr TermInfo kTrainingError{"training-rmse", Unit::deviations, TermRole::beside,
                                         "root mean square error on the results it learned from"};

}  // namespace vbo
