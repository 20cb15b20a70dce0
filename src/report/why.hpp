// SPDX-License-Identifier: MIT
// Why a trial was suggested and what came of it, in sentences a reader can act on: what was
// predicted with its uncertainty in the objective's units, against which best, how likely within
// limits, which source and what that source does. Computed from stored trials alone.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vbo/storage.hpp"

namespace vbo {

// What was predicted of a suggestion when it was made; values in the user's own sign.
struct Prediction {
  std::optional<double> mean, deviation;
  std::optional<std::pair<double, double>> range;  // of the outcome with probability 0.8
  std::optional<double> feasible;                  // probability within all limits
  std::optional<double> best_before;  // the best feasible result before; under noise its estimate
  std::int64_t results_before = 0;    // that the method knew, feasible or not
  std::optional<double> luckiest_before;  // under noise: the best single result
  bool single_before = false;   // under noise: best_before is a single result and no estimate
  std::optional<double> beats;  // probability of a better value, where the method stored it
  // Of several objectives instead: how many trade-offs the method knew, and whether the result is
  // one of the best now.
  std::optional<std::int64_t> front_before;
  std::optional<bool> on_front;
  std::vector<double> weights;  // of the trade-off it was suggested for, which add up to one
  bool by_rank = false;  // the mean is the result whose rank was predicted, without a deviation
};

// `history` in the order of ids, with outcomes; the trial may be one of them.
// Under noise the best result before is the luckiest one; its estimate takes the fit of a model.
enum class BestBefore { estimated, observed };
Prediction prediction_of(const StudyRecord& record, std::span<const Trial> history,
                         const Trial& trial, BestBefore best_before = BestBefore::estimated);
// Two to four sentences.
std::string why_text(const StudyRecord& record, const Prediction& prediction, const Trial& trial);

// The same in one call, against the best result as it was observed: for many trials.
std::string why_text(const StudyRecord& record, std::span<const Trial> history, const Trial& trial);

// What a source of suggestions does, as a clause after "which"; empty for one that is not known.
std::string_view what_a_source_does(std::string_view source);

}  // namespace vbo
