// SPDX-License-Identifier: MIT
// What a resumed study cannot recompute: weights, moments, the local searches and the counters. The
// results themselves come back from the history, so a snapshot does not grow with them.
#include <algorithm>
#include <set>

#include "optim/vbo/vbo.hpp"

namespace vbo {
namespace {

constexpr std::uint32_t kVersion = 20;

}  // namespace

std::string Vbo::snapshot() const {
  StateWriter out;
  out.put(kVersion).put<std::int64_t>(history_.size());
  out.put(restart_->number()).put(restart_from_).put(restart_first_id_).put(newest_id_);
  out.put(round_).put(designed_).put(fresh_).put(design_median_);
  const PredictedMeans p = predicted_.value_or(PredictedMeans{});
  out.put<std::uint8_t>(predicted_.has_value())
      .put(p.information)
      .put(p.outcome)
      .put(p.suggestions);
  out.put<std::uint8_t>(observed_.has_value()).put(observed_.value_or(0.0));
  const Recommendation r = recommendation_.value_or(Recommendation{});
  out.put<std::uint8_t>(recommendation_.has_value()).put(r.id).put(r.mean).put(r.deviation);
  mutations_.write(out);
  successes_of_mutations_.write(out);
  successes_of_others_.write(out);
  out.put(best_before_round_);
  restart_->write(out);
  out.put<std::uint8_t>(incumbent_ != nullptr);
  if (incumbent_) incumbent_->write(out);
  return out.take();
}

Result<void> Vbo::restore(std::string_view snapshot, std::span<const Trial> history) {
  const Error damaged{ErrorKind::damaged, "the stored state of method \"vbo\" is damaged"};
  const auto told = std::ranges::count_if(history, [](const Trial& t) { return t.told_in > 0; });
  StateReader in(snapshot);
  if (!in.expect(kVersion)) {
    return Error{ErrorKind::damaged, "the stored state of method \"vbo\" is of another version"};
  }
  if (in.get_count() != told) return damaged;
  const std::int64_t number = in.get_count(told);
  restart_from_ = in.get_count(told);
  restart_first_id_ = in.get_count();
  newest_id_ = in.get_count();
  if (!in.ok()) return damaged;
  restart_ = std::make_unique<Restart>(encoding_, common_, gp_options_, number);
  take_back(history);

  round_ = in.get_count(told);
  designed_ = static_cast<std::uint64_t>(in.get_count());
  fresh_ = in.get_count(told);
  design_median_ = in.get_outcome();
  const bool has_prediction = in.get_flag();
  PredictedMeans p;
  p.information = in.get_any_number();
  p.outcome = in.get_any_number();
  p.suggestions = in.get_count();
  if (has_prediction) predicted_ = p;
  const bool has_observation = in.get_flag();
  const double nats = in.get_any_number();
  if (has_observation) observed_ = nats;
  const bool recommends = in.get_flag();
  Recommendation r;
  r.id = in.get_count();
  r.mean = in.get_any_number();
  r.deviation = in.get_any_number();
  if (recommends) {
    recommendation_ = r;
    const auto is_it = [&](const Trial& t) { return t.id == r.id && t.told_in > 0; };
    if (std::ranges::none_of(history, is_it)) return damaged;
  }
  mutations_.read(in);
  successes_of_mutations_.read(in);
  successes_of_others_.read(in);
  best_before_round_ = in.get_outcome();
  restart_->read(in, design_size());
  if (in.get_flag()) {
    incumbent_ = std::make_unique<IncumbentSearch>(std::make_unique<GaussianActor>(encoding_, 0));
    incumbent_->read(in);
  }
  if (!in.complete() || (round_ == 0 && (restart_->rounds() > 0 || incumbent_))) return damaged;
  if (round_ > 0 && (history_.size() - fresh_ < 1 || encoding_.dimension() == 0)) return damaged;
  open_again(history);
  if (round_ > 0) failures_.learn(history_, history_.size() - static_cast<int>(fresh_));
  return {};
}

// The suggestions whose results came after the last round.
void Vbo::open_again(std::span<const Trial> history) {
  std::set<TrialId> fresh;
  for (int i = history_.size() - static_cast<int>(fresh_); i < history_.size(); ++i) {
    fresh.insert(history_.id(i));
  }
  for (const Trial& trial : history) {
    const auto source = stored_source(trial.rationale);
    if (source && fresh.contains(trial.id)) {
      untrained_[trial.id] = {*source, encoding_.encode(trial.point)};
    }
  }
}

// Results in the order they were told, pending points in the order they were asked.
void Vbo::take_back(std::span<const Trial> history) {
  std::vector<const Trial*> told;
  for (const Trial& trial : history) {
    if (trial.told_in > 0) told.push_back(&trial);
  }
  std::stable_sort(told.begin(), told.end(),
                   [](const Trial* a, const Trial* b) { return a->told_in < b->told_in; });
  seen_.reserve(history.size(), encoding_.dimension());
  for (const Trial* trial : told) archive_again(*trial);
  history_.sort();
  restart_->sort();
  for (const Trial& trial : history) {
    if (trial.told_in > 0) continue;
    const Vector code = encoding_.encode(trial.point);
    if (const auto source = stored_source(trial.rationale)) {
      pending_[trial.id] = {*source, code};
    }
    seen_.add(code);
  }
}

}  // namespace vbo
