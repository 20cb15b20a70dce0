// SPDX-License-Identifier: MIT
#include "optim/vbo/vbo.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "numerics/parallel.hpp"
#include "optim/vbo/constants.hpp"

namespace vbo {
namespace {

bool of_incumbent(std::optional<Source> source) {
  return source == Source::refinement || source == Source::incumbent_mutation;
}

}  // namespace

Vbo::Vbo(const Space& space, const OptimizerOptions& common, const VboGpOptions& options)
    : encoding_(space),
      common_(common),
      gp_options_(options),
      options_(options.vbo),
      design_(encoding_, common.seed),
      history_(encoding_),
      failures_(encoding_, common.seed, common.threads),
      seen_(Tuning::repeat) {
  common_.threads = thread_count(common.threads);
  restart_ = std::make_unique<Restart>(encoding_, common_, gp_options_, 0);
}

Vbo::Vbo(const Space& space, const OptimizerOptions& common, const VboOptions& options)
    : Vbo(space, common, VboGpOptions{.vbo = options}) {}

void Vbo::tell(std::span<const Trial> finished) {
  for (const Trial& trial : finished) remember(trial);
  history_.sort();
  restart_->sort();
  if (round_is_due()) play_round();
}

// A result goes to the incumbent where it concerns it, and to the restart unless it comes from the
// incumbent.
void Vbo::remember(const Trial& trial) {
  const Vector code = encoding_.encode(trial.point);
  const double value = archive_value(encoding_, trial);
  std::optional<Source> source;
  if (const auto asked = pending_.find(trial.id); asked != pending_.end()) {
    source = asked->second.source;
    untrained_.insert(pending_.extract(asked));
  } else {
    seen_.add(code);  // a point that was not suggested here
  }
  ++fresh_;
  const bool mutated = source == Source::mutation || source == Source::incumbent_mutation;
  if (mutated) mutations_.learn(history_.value(history_.at_rank(0)) - value);
  if (source && source != Source::design) {
    (mutated ? successes_of_mutations_ : successes_of_others_).learn(value > best_before_round_);
  }
  history_.add(trial.id, code, value, archive_error(trial));
  failures_.add(trial);
  if (incumbent_) incumbent_->learn(code, value, source == Source::refinement);
  if (of_incumbent(source)) return;
  if (trial.id < restart_first_id_)
    source.reset();  // suggested by an earlier restart: not counted for this one's sources
  restart_->learn(trial.id, code, value, archive_error(trial), source);
}

// The archives of a study that is resumed; all else is in the snapshot.
void Vbo::archive_again(const Trial& trial) {
  const Vector code = encoding_.encode(trial.point);
  const bool to_run = history_.size() >= restart_from_;
  seen_.add(code);
  const double value = archive_value(encoding_, trial);
  history_.add(trial.id, code, value, archive_error(trial));
  failures_.add(trial);
  if (to_run && !of_incumbent(stored_source(trial.rationale))) {
    restart_->add_again(trial.id, code, value, archive_error(trial));
  }
}

// ---- the round ----------------------------------------------------------------------------------

bool Vbo::round_is_due() const {
  return encoding_.dimension() > 0 && history_.size() >= design_size() &&
         fresh_ >= (round_ == 0 ? 1 : std::max(common_.batch, Tuning::least_round));
}

void Vbo::play_round() {
  fresh_ = 0;
  untrained_.clear();
  ++round_;
  best_before_round_ = history_.value(history_.at_rank(0));
  observed_.reset();
  failures_.learn(history_, history_.size());
  if (round_ == 1) design_median_ = history_.value_at_rank(0.5 * history_.size());
  if (incumbent_ && restart_->best() > incumbent_->best()) incumbent_.reset();
  if (incumbent_) incumbent_->advance(history_);
  if (restart_->archive().size() < design_size())
    return;  // a new restart's design is still coming in
  const bool tested = restart_->rounds() > 0;
  const Calibration::Nats nats = restart_->train();
  if (tested) observed_ = nats.observed;
  if (predicted_) predicted_->suggestions = 0;
  if (!incumbent_) recommendation_ = restart_->recommendation();
  if (restart_has_ended()) begin_restart();
}

// The scale of outcomes: from the middle of the first results to the best.
double Vbo::spread() const {
  const double best = history_.value(history_.at_rank(0));
  const bool comparable = history_.is_feasible(design_median_) || !history_.is_feasible(best);
  return best - (comparable ? design_median_ : history_.lowest_feasible());
}

// It has converged, or it comes to the incumbent's place.
bool Vbo::restart_has_ended() const {
  if (options_.explore <= 0.0 || (options_.runs > 0 && restart_->number() + 1 >= options_.runs)) {
    return false;
  }
  // Hundreds of results, each worse by the spread: within no budget that was tried they pay back.
  if (averages()) return false;
  return restart_->has_converged(spread()) || reaches_the_incumbent();
}

// Nothing of it is better. Either its search has narrowed to the incumbent's place; or it would
// draw points there, and already has nearly as good ones: it is in the same basin, and would take
// ten rounds more along a flat top.
bool Vbo::reaches_the_incumbent() const {
  const GaussianActor& actor = restart_->local_search().search();
  if (!incumbent_ || !actor.running()) return false;
  const auto best = history_.code(history_.at_rank(0));
  const bool narrow = actor.deviation() <= Tuning::same_region;
  if (narrow && incumbent_->search().distance(actor.mean_code(best)) < Tuning::same_region) {
    return true;
  }
  const Archive& results = restart_->archive();
  return encoding_.same_categories(results.code(results.at_rank(0)), best) &&
         actor.steps_to(incumbent_->search().mean_code(best)) < Tuning::same_basin_steps &&
         incumbent_->best() - restart_->best() < Tuning::same_basin * spread();
}

double Vbo::horizon() const { return batch::horizon(common_.budget, history_.size()); }

double Vbo::mutations_that_pay() const {
  return mutations_.worth_trying(horizon(), Tuning::expected_gain * spread(), spread());
}

void Vbo::begin_restart() {
  if (!incumbent_) incumbent_ = std::make_unique<IncumbentSearch>(restart_->release_search());
  auto next = std::make_unique<Restart>(encoding_, common_, gp_options_, restart_->number() + 1);
  next->begin_calibrated_like(*restart_);
  restart_ = std::move(next);
  restart_from_ = history_.size();
  restart_first_id_ = newest_id_ + 1;
  predicted_.reset();
}

std::int64_t Vbo::design_size() const {
  if (options_.design > 0) return options_.design;
  const std::int64_t wanted =
      std::max<std::int64_t>(Tuning::fewest_design, std::ssize(encoding_.blocks()));
  const std::int64_t affordable =
      common_.budget > 0 ? std::max<std::int64_t>(Tuning::fewest_affordable,
                                                  common_.budget / Tuning::design_per_budget)
                         : wanted;
  return std::min({wanted, affordable, Tuning::most_design});
}

// ---- reporting ----------------------------------------------------------------------------------

const Ledger& Vbo::declared() {
  static const Ledger all{
      {kExpectedOutcome.weighted, kInputInformation.weighted, kModelInformation.weighted,
       kGpDeviation.weighted, *kInputInformation.plain, *kModelInformation.plain, kSqrtBeta, kLogEi,
       kRoundNats, kCeilingNats, kLow, kMedian, kHigh, kFeasible},
      {kRuns, kInverseTemperature, kNetworkWeight, kGpWeight, kQuadraticWeight}};
  return all;
}

AskReport Vbo::report() const {
  AskReport report;
  report.round = round_;
  if (round_ == 0) return report;
  if (predicted_ || observed_) {  // there is no prediction for a design
    report.information =
        RoundInformation{.predicted = {}, .observed = observed_, .ceiling = restart_->ceiling()};
  }
  if (predicted_) {
    report.information->predicted = predicted_->information;
    report.exploitation = predicted_->outcome;
  }
  report.deviation = restart_->local_search().search().deviation();
  report.values = {kRuns.of(static_cast<double>(restart_->number() + 1)),
                   kInverseTemperature.of(restart_->inverse_temperature()),
                   kNetworkWeight.of(restart_->panel().weight("networks")),
                   kGpWeight.of(restart_->panel().weight("gp")),
                   kQuadraticWeight.of(restart_->panel().weight("quadratic"))};
  report.recommendation = recommendation_;
  // Without relevant noise the best observation is the best point, whatever its source.
  if (incumbent_ && recommendation_ &&
      !(recommendation_->deviation > Tuning::noise_matters * spread())) {
    const int best = history_.at_rank(0);
    report.recommendation = Recommendation{history_.id(best), history_.value(best), 0.0};
  }
  return report;
}

}  // namespace vbo
