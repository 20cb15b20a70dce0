// SPDX-License-Identifier: MIT
#include "optim/vbo/vbo.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/limits.hpp"
#include "numerics/parallel.hpp"
#include "optim/vbo/constants.hpp"

namespace vbo {
namespace {

bool is_champions(std::optional<Source> source) {
  return source == Source::polish || source == Source::leap;
}

bool same_categories(const Encoding& encoding, ConstVectorRef a, ConstVectorRef b) {
  return std::ranges::all_of(encoding.blocks(), [&](const Encoding::Block& block) {
    return block.kind != ParameterKind::categorical ||
           a.segment(block.offset, block.width) == b.segment(block.offset, block.width);
  });
}

}  // namespace

Vbo::Vbo(const Space& space, const OptimizerOptions& common, const VboGpOptions& options)
    : encoding_(space),
      common_(common),
      gp_options_(options),
      options_(with_effort(options.vbo)),
      design_(encoding_, common.seed),
      history_(encoding_),
      failures_(encoding_, common.seed, common.threads),
      seen_(Tuning::repeat) {
  common_.threads = thread_count(common.threads);
  run_ = std::make_unique<Run>(encoding_, common_, gp_options_, 0);
}

Vbo::Vbo(const Space& space, const OptimizerOptions& common, const VboOptions& options)
    : Vbo(space, common, VboGpOptions{.vbo = options}) {}

void Vbo::tell(std::span<const Trial> finished) {
  for (const Trial& trial : finished) remember(trial);
  history_.sort();
  run_->sort();
  if (round_is_due()) play_round();
}

// A result goes to the champion where it concerns it, and to the run unless it comes from the
// champion.
void Vbo::remember(const Trial& trial) {
  const Vector code = encoding_.encode(trial.point);
  const double value = merit(encoding_.space(), trial);
  std::optional<Source> source;
  if (const auto asked = pending_.find(trial.id); asked != pending_.end()) {
    source = asked->second.source;
    pending_.erase(asked);
  } else {
    seen_.add(code);  // somebody else's point; ours are there since they were suggested
  }
  ++fresh_;
  history_.add(trial.id, code, value);
  failures_.add(trial);
  if (champion_) champion_->learn(code, value, source == Source::polish);
  if (is_champions(source)) return;
  if (trial.id < run_first_id_) source.reset();  // an earlier run's: news, but no merit of this one
  run_->learn(trial.id, code, value, source);
}

// The archives of a study that is resumed; all else is in the snapshot.
void Vbo::archive_again(const Trial& trial) {
  const Vector code = encoding_.encode(trial.point);
  const bool to_run = history_.size() >= run_from_;
  seen_.add(code);
  const double value = merit(encoding_.space(), trial);
  history_.add(trial.id, code, value);
  failures_.add(trial);
  if (to_run && !is_champions(source_named(trial.rationale.source))) {
    run_->add_again(trial.id, code, value);
  }
}

// ---- the round ----------------------------------------------------------------------------------

bool Vbo::round_is_due() const {
  return encoding_.dimension() > 0 && history_.size() >= design_size() &&
         fresh_ >= (round_ == 0 ? 1 : common_.batch);
}

void Vbo::play_round() {
  fresh_ = 0;
  ++round_;
  realized_.reset();
  failures_.learn(history_, history_.size());
  if (round_ == 1) design_median_ = history_.value_at_rank(0.5 * history_.size());
  if (champion_ && run_->best() > champion_->best()) champion_.reset();
  if (champion_) champion_->advance(history_, options_.explore);
  if (run_->archive().size() < design_size()) return;  // a new run's design is still coming in
  const bool tested = run_->rounds() > 0;
  const Calibration::Nats nats = run_->train();
  if (tested) realized_ = nats.realized;
  if (promise_) promise_->suggestions = 0;
  if (!champion_) recommendation_ = run_->recommendation();
  if (run_has_ended()) begin_run();
}

// The scale of outcomes: from the middle of the first results to the best.
double Vbo::spread() const {
  const double best = history_.value(history_.at_rank(0));
  const bool comparable = history_.is_feasible(design_median_) || !history_.is_feasible(best);
  return best - (comparable ? design_median_ : history_.lowest_feasible());
}

// It has converged, or it comes to the champion's place.
bool Vbo::run_has_ended() const {
  if (options_.explore <= 0.0 || (options_.runs > 0 && run_->number() + 1 >= options_.runs)) {
    return false;
  }
  return run_->has_converged(spread()) || comes_to_the_champion();
}

// Nothing of it is better. Either its search has narrowed to the champion's place; or it would draw
// points there, and already has nearly as good ones: it climbs the same hill, and would take ten
// rounds more along a flat top.
bool Vbo::comes_to_the_champion() const {
  const LocalSearch& leader = run_->leader().search();
  if (!champion_ || !leader.running()) return false;
  const auto best = history_.code(history_.at_rank(0));
  const bool narrow = leader.deviation() <= Tuning::same_region;
  if (narrow && champion_->search().distance(leader.mean_code(best)) < Tuning::same_region) {
    return true;
  }
  const Archive& results = run_->archive();
  return same_categories(encoding_, results.code(results.at_rank(0)), best) &&
         leader.steps_to(champion_->search().mean_code(best)) < Tuning::same_hill_steps &&
         champion_->best() - run_->best() < Tuning::same_hill * spread();
}

void Vbo::begin_run() {
  if (!champion_) {
    const double jumps = run_->leader().jump_share().value_or(options_.explore);
    champion_ = std::make_unique<Champion>(run_->release_search(), jumps);
  } else {
    champion_->outlive();
  }
  auto next = std::make_unique<Run>(encoding_, common_, gp_options_, run_->number() + 1);
  next->begin_calibrated_like(*run_);
  run_ = std::move(next);
  run_from_ = history_.size();
  run_first_id_ = newest_id_ + 1;
  promise_.reset();
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
       kRoundNats, kCeilingNats},
      {kRuns, kSharpness}};
  return all;
}

AskReport Vbo::report() const {
  AskReport report;
  report.round = round_;
  if (round_ == 0) return report;
  if (promise_ || realized_) {  // a new run's design promises nothing
    report.information =
        RoundInformation{.expected = {}, .realized = realized_, .ceiling = run_->ceiling()};
  }
  if (promise_) {
    report.information->expected = promise_->information;
    report.exploitation = promise_->outcome;
  }
  report.deviation = run_->leader().search().deviation();
  report.values = {kRuns.of(static_cast<double>(run_->number() + 1)),
                   kSharpness.of(run_->sharpness())};
  report.recommendation = recommendation_;
  // Without noise to speak of the best observation is the best point, whoever found it.
  if (champion_ && recommendation_ &&
      !(recommendation_->deviation > Tuning::noise_matters * spread())) {
    const int best = history_.at_rank(0);
    report.recommendation = Recommendation{history_.id(best), history_.value(best), 0.0};
  }
  return report;
}

}  // namespace vbo
