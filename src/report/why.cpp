// SPDX-License-Identifier: MIT
#include "report/why.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#include "core/one_line.hpp"
#include "core/order.hpp"
#include "report/repeated.hpp"
#include "vbo/front.hpp"
#include "vbo/report.hpp"

namespace vbo {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 19> kSources = {{
    {"design", "spreads the first points over the space, before there is enough to learn from"},
    {"sobol", "covers the space evenly and does not learn"},
    {"random", "draws points at random and does not learn"},
    {"unseen", "takes a point of a finite space that has not been evaluated"},
    {"local", "draws points around the best region found so far and adapts their spread"},
    {"action-net", "draws points by a network trained to produce promising ones"},
    {"refinement", "searches around the best finished restart"},
    {"incumbent-mutation", "changes a few parameters of the best finished restart"},
    {"mutation", "changes a few parameters of good results"},
    {"expected-improvement", "takes the point with the largest expected improvement over the best"},
    {"quadratic-optimum", "takes the optimum of a quadratic model of the best region"},
    {"constrained-optimum",
     "takes the predicted best point within all limits near the best result"},
    {"cmaes", "draws from the search distribution of the evolution strategy"},
    {"focal", "samples a model of a small box around a good result"},
    {"nearby", "takes a point beside one that had been suggested already"},
    {"thompson", "takes the maximum of a function drawn from the surrogate"},
    {"predicted-mean", "takes the point predicted to add most hypervolume to the front"},
    {"lower-bound",
     "takes the point that adds most hypervolume even if it is worse than predicted by three "
     "standard deviations"},
    {"acquisition", "takes the point that the acquisition function values most"},
}};

const double* find(const Rationale& why, std::string_view name) {
  for (const auto* terms : {&why.notes, &why.terms}) {
    for (const Term& term : *terms) {
      if (term.name == name) return &term.value;
    }
  }
  return nullptr;
}

std::string number(double value, int digits = 4) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.*g", digits, value);
  return text.data();
}
std::string percent(double share) { return std::to_string(std::lround(100.0 * share)) + "%"; }

// As many as it takes to see which of two results is better.
int digits_between(double a, double b) {
  int digits = 4;
  while (a != b && digits < 12 && number(a, digits) == number(b, digits)) ++digits;
  return digits;
}

// A suggestion is the maximum of an acquisition function over the model's own errors, so a model
// that is very sure is too sure: of those said to be better with 0.79 and 0.96, 0.67 and 0.86 were
// (research/information.md).
double as_it_comes(double probability) {
  constexpr double sure = 0.6, slope = 0.6;
  return probability <= sure ? probability : sure + slope * (probability - sure);
}

}  // namespace

std::string_view what_a_source_does(std::string_view source) {
  for (const auto& [name, does] : kSources) {
    if (name == source) return does;
  }
  return {};
}

Prediction prediction_of(const StudyRecord& record, std::span<const Trial> history,
                         const Trial& trial, BestBefore best_before) {
  Prediction prediction;
  if (const double* feasible = find(trial.rationale, "feasible")) prediction.feasible = *feasible;
  if (record.objectives.size() > 1) {
    std::vector<Trial> before;
    for (const Trial& other : history) {
      if (other.told_in != 0 && other.told_in < trial.asked_in) before.push_back(other);
    }
    prediction.front_before = std::ssize(make_front(record, before).trials);
    prediction.on_front =
        std::ranges::any_of(make_front(record, history).trials, [&](const Trial& other) {
          return other.id == trial.id ||
                 (point_of(other) == point_of(trial) && other.point == trial.point);
        });
    for (std::size_t m = 1; m <= record.objectives.size(); ++m) {
      const double* weight = find(trial.rationale, "weight_" + std::to_string(m));
      if (weight) prediction.weights.push_back(*weight);
    }
    if (prediction.weights.size() != record.objectives.size()) prediction.weights.clear();
    return prediction;
  }
  const Order order(record.objectives, record.space.limits());
  std::vector<const Trial*> known;
  std::vector<Trial> before;
  const Trial* best = nullptr;
  for (const Trial& other : history) {
    if (!other.value() || other.told_in == 0 || other.told_in >= trial.asked_in) continue;
    known.push_back(&other);
    if (is_feasible(record.space, other) && (!best || order.better(other, *best))) best = &other;
    if (best_before == BestBefore::estimated) before.push_back(other);
  }
  if (best) prediction.best_before = best->value();
  const Recommended then = recommend(record, before);
  if (const auto& estimated = then.estimate.best) {
    prediction.luckiest_before = then.luckiest ? then.luckiest->value() : then.best->value();
    prediction.best_before = estimated->mean;
  }
  prediction.results_before = std::ssize(known);
  if (const double* mean = find(trial.rationale, "mean")) prediction.mean = *mean;
  if (const double* deviation = find(trial.rationale, "deviation")) {
    prediction.deviation = *deviation;
  }
  const double* low = find(trial.rationale, "low");
  const double* high = find(trial.rationale, "high");
  if (const double* median = find(trial.rationale, "median"); median && low && high) {
    prediction.mean = *median;
    prediction.range = std::minmax(*low, *high);
  }
  // Methods that predict a rank say it as a normal score: the result of that rank is what it means.
  const double* score = find(trial.rationale, "exploitation");
  if (!prediction.mean && score && !known.empty()) {
    std::ranges::stable_sort(known, {}, [&](const Trial* t) { return order.standing(*t); });
    const double share = 0.5 * std::erfc(-*score / std::sqrt(2.0));
    const double place = share * static_cast<double>(known.size() - 1);
    const Trial& there = *known[static_cast<std::size_t>(std::lround(place))];
    prediction.by_rank = true;
    if (is_feasible(record.space, there)) prediction.mean = there.value();
  }
  // Not from mean and deviation: those are of outcomes that the method may have modelled warped.
  if (const double* improves = find(trial.rationale, "improves")) {
    prediction.beats = as_it_comes(*improves);
  }
  return prediction;
}

std::string why_text(const StudyRecord& record, const Prediction& prediction, const Trial& trial) {
  const Rationale& why = trial.rationale;
  const int digits = prediction.best_before && trial.value()
                         ? digits_between(*prediction.best_before, *trial.value())
                         : 4;
  const std::string best_so_far =
      prediction.single_before ? "best single result so far " : "best so far ";
  std::string text;
  switch (why.origin) {
    case Origin::start:
      text = "A start point: it was given to be evaluated first, and no method chose it.";
      break;
    case Origin::added:
      text = "A result from outside: it was imported or told, and no method suggested the point.";
      break;
    case Origin::repeat:
      text = "Evaluation " + std::to_string(why.repeat) + " of the point of trial " +
             std::to_string(why.repeat_of) + ", which is evaluated repeatedly.";
      break;
    case Origin::resampled:
      text = "Evaluation " + std::to_string(why.repeat) + " of the point of trial " +
             std::to_string(why.repeat_of) +
             ": every point of this finite space has been evaluated, and results of one point " +
             "differ or may differ.";
      break;
    case Origin::unseen:
      text =
          "The method repeated a point of this finite space, and the next one that had not been "
          "evaluated was taken instead.";
      break;
    case Origin::method:
      if (prediction.mean) {
        text = std::string("Tried because the surrogate predicted ") +
               (prediction.by_rank ? "about " : "") + number(*prediction.mean);
        if (prediction.range) {
          text += ", with 80% probability between " + number(prediction.range->first) + " and " +
                  number(prediction.range->second);
        } else if (prediction.deviation && !prediction.by_rank) {
          text += " +- " + number(*prediction.deviation, 2);
        }
        if (prediction.best_before) {
          text += " (" + best_so_far + number(*prediction.best_before, digits) +
                  (prediction.luckiest_before ? " by its estimate)" : ")");
        } else if (prediction.results_before > 0) {
          text += " (nothing feasible so far)";
        }
        if (prediction.beats) {
          text += ", " + percent(*prediction.beats) + " likely better than the best";
        }
      } else if (prediction.front_before) {
        text = *prediction.front_before > 0
                   ? "Tried when the best trade-offs were " +
                         std::to_string(*prediction.front_before) +
                         (*prediction.front_before == 1 ? " result" : " results")
                   : "Tried before there was any feasible result";
      } else if (prediction.best_before) {
        text = std::string(prediction.by_rank
                               ? "Tried although a result outside the limits was predicted"
                               : "Tried without a prediction") +
               ", when the " + best_so_far + "was " + number(*prediction.best_before, digits) +
               (prediction.luckiest_before ? " by its estimate" : "");
      } else if (prediction.results_before > 0) {
        text = "Tried when " + (prediction.results_before == 1
                                    ? "the one result so far was not feasible"
                                    : "none of the " + std::to_string(prediction.results_before) +
                                          " results so far was feasible");
      } else {
        text = "Tried before there was any result to predict from";
      }
      for (std::size_t m = 0; m < prediction.weights.size(); ++m) {
        text += m == 0 ? ", for the trade-off " : ", ";
        text += percent(prediction.weights[m]) + " " + one_line(record.objectives[m].name);
      }
      if (prediction.feasible && !record.space.limits().empty()) {
        text += ", " + percent(*prediction.feasible) + " likely within limits";
      }
      text += ".";
      if (!why.source.empty()) {
        const std::string_view does = what_a_source_does(why.source);
        text += " It came from \"" + one_line(why.source) + "\"";
        if (!does.empty()) text += ", which " + std::string(does);
        text += ".";
      }
  }
  if (trial.value()) {
    const Order order(record.objectives, record.space.limits());
    text += " It gave ";
    for (std::size_t m = 0; m < trial.values.size(); ++m) {
      if (m > 0) text += ", ";
      if (trial.values.size() > 1) text += one_line(record.objectives[m].name) + " = ";
      text += number(trial.values[m], digits);
    }
    if (!is_feasible(record.space, trial)) {
      text += ", outside the limits";
    } else if (prediction.on_front) {
      text += *prediction.on_front ? ", one of the best trade-offs"
                                   : ", and another result is better in all objectives or equal";
    } else if (prediction.luckiest_before) {
      if (order.better(*trial.value(), *prediction.luckiest_before)) {
        text += ", a single result better than all before";
      }
    } else if (prediction.best_before && order.better(*trial.value(), *prediction.best_before)) {
      text += prediction.single_before ? ", a single result better than all before"
                                       : ", better than all before";
    }
    text += ".";
  } else if (trial.failure) {
    text += " It failed: " + one_line(trial.failure->message) + ".";
  } else {
    text += trial.state == TrialState::running ? " It is being evaluated." : " It waits.";
  }
  return text;
}

std::string why_text(const StudyRecord& record, std::span<const Trial> history,
                     const Trial& trial) {
  return why_text(record, prediction_of(record, history, trial, BestBefore::observed), trial);
}

}  // namespace vbo
