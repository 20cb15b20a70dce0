// SPDX-License-Identifier: MIT
#include "optim/surrogate/ledger.hpp"

#include <cmath>

namespace vbo {
namespace {

constexpr TermInfo kLogImprovement{
    "log_improvement", Unit::log_improvement, TermRole::adds_up,
    "logarithm of the improvement expected over the best result, by the point or its batch"};
constexpr TermInfo kImprovement{
    "improvement", Unit::deviations, TermRole::adds_up,
    "improvement expected over the best result, by the point or its batch"};
constexpr TermInfo kProbability{"improvement_probability", Unit::probability, TermRole::adds_up,
                                "probability that the point beats the best result"};
constexpr TermInfo kExploitation{"exploitation", Unit::objective, TermRole::adds_up,
                                 "outcome that the model expects"};
constexpr TermInfo kExploration{"exploration", Unit::objective, TermRole::adds_up,
                                "what sqrt(beta) deviations add in favour of the point"};
constexpr TermInfo kBatchBound{"batch_bound", Unit::objective, TermRole::adds_up,
                               "optimistic bound of the best outcome in the batch"};
constexpr TermInfo kLogFeasible{
    "log_feasible", Unit::log_improvement, TermRole::adds_up,
    "logarithm of the probability that the point succeeds and satisfies the constraints"};
constexpr TermInfo kFeasible{"feasible", Unit::probability, TermRole::beside,
                             "probability that the point succeeds and satisfies the constraints"};
constexpr TermInfo kMean{"mean", Unit::objective, TermRole::beside,
                         "outcome that the model expects there"};
constexpr TermInfo kDeviation{"deviation", Unit::spread, TermRole::beside,
                              "standard deviation of that expectation"};

constexpr TermInfo kImproves{"improves", Unit::probability, TermRole::beside,
                             "probability that the outcome there is better than the best result"};

void add_whole(Rationale& why, const TermInfo& term, double score) {
  why.acquisition = score;
  why.add(term, score);
}

}  // namespace

void add_score(Rationale& why, Acquisition kind, double score, const GpPrediction& there,
               const std::function<double(double)>& to_y) {
  const double mean = to_y(there.mean);
  switch (kind) {
    case Acquisition::log_ei:
    case Acquisition::q_log_ei:
      add_whole(why, kLogImprovement, score - there.log_feasible.value_or(0.0));
      if (there.log_feasible) {
        why.add(kLogFeasible, *there.log_feasible);
        why.acquisition = score;
      }
      break;
    case Acquisition::ei:
    case Acquisition::q_ei:
      add_whole(why, kImprovement, score);
      break;
    case Acquisition::pi:
      add_whole(why, kProbability, score);
      break;
    case Acquisition::ucb:
      why.acquisition = to_y(score);
      why.add(kExploitation, mean);
      why.add(kExploration, *why.acquisition - mean);
      break;
    case Acquisition::q_ucb:
      add_whole(why, kBatchBound, to_y(score));
      break;
    case Acquisition::thompson:
      add_whole(why, kDraw, to_y(score));
      break;
  }
  if (there.log_feasible) why.add(kFeasible, std::exp(*there.log_feasible));
  why.add(kMean, mean);
  // The map may bend: half the distance between the two ends.
  why.add(kDeviation,
          0.5 * (to_y(there.mean + there.deviation) - to_y(there.mean - there.deviation)));
  // Of the standardized outcomes, which are Gaussian: the mean and deviation above are of outcomes
  // that the map may have bent, and do not give it.
  if (there.improves) why.add(kImproves, *there.improves);
}

Ledger surrogate_ledger(std::initializer_list<TermInfo> of_the_fit) {
  Ledger ledger{{kLogImprovement, kImprovement, kProbability, kExploitation, kExploration,
                 kBatchBound, kDraw, kLogFeasible, kFeasible, kMean, kDeviation, kImproves},
                {kLogPosterior, kIterations, kPoints}};
  ledger.values.insert(ledger.values.end(), of_the_fit);
  return ledger;
}

}  // namespace vbo
