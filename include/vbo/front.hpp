// SPDX-License-Identifier: MIT
// The best trade-offs of a study with several objectives, and how good they are together. Values
// are in the user's own sign.
//   reference    of an objective without one: the worst value of all feasible results, and 10% of
//                the range from best to worst beyond it. It only ever moves away, so that the
//                hypervolume does not fall while points come in.
//   results      of a point that was evaluated several times count as one, their mean: its trial is
//                the first of them.
//   hypervolume  the volume between the front and the reference, in the product of the objectives'
//                own units. Exact for small fronts; else estimated from 65,536 Sobol points.
// Stability: a minor version of 0.x may change it.
// Threads: plain values; functions may run at the same time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vbo/error.hpp"
#include "vbo/storage.hpp"
#include "vbo/trial.hpp"

namespace vbo {

struct Front {
  std::vector<Objective> objectives;
  // Feasible results that no feasible one dominates, in the order of ids. Of equal ones all.
  std::vector<Trial> trials;
  std::vector<std::int64_t> evaluations;  // how many results each of them is the mean of
  std::vector<double> reference;          // one per objective; empty while nothing is feasible
  double hypervolume = 0.0;
  bool exact = true;  // or the hypervolume is an estimate
};

// The front after a result that changed it; of a repeated point the first one, with the mean of all
// that are known by now. Evaluations count ended trials, 1, 2, 3, ..., in the
// order in which they were told; failures count too.
struct FrontStep {
  std::int64_t evaluation = 0;
  TrialId id = 0;
  std::int64_t size = 0;
  double hypervolume = 0.0;
};

// Of any number of objectives, one included.
Front make_front(const StudyRecord& record, std::span<const Trial> trials);

// How the front grew, measured against the reference of the whole: at most 1,000 steps, the last
// one among them, which has the hypervolume of make_front(). `results` are the positions of ended
// trials in the order in which they were told.
std::vector<FrontStep> front_steps(const StudyRecord& record, std::span<const Trial> trials,
                                   std::span<const std::size_t> results);

// One weight per objective, 0 for those not named. An error names what is unknown, negative or not
// finite; at least one has to be above 0.
Result<std::vector<double>> weights_of(const std::vector<Objective>& objectives,
                                       const std::map<std::string, double>& by_name);

// The trial of the front with the lowest sum of weight times value, where values that are
// maximized count negatively; the lowest id among equals. Nothing where the front is empty.
std::optional<Trial> best_by_weights(const Front& front, const std::vector<double>& weights);

}  // namespace vbo
