// SPDX-License-Identifier: MIT
// What a resumed study cannot recompute: weights, moments, the local searches and the counters. The
// results themselves come back from the history, so a snapshot does not grow with them.
#include <algorithm>

#include "optim/vbo/vbo.hpp"

namespace vbo {
namespace {

constexpr std::uint32_t kVersion = 15;

}  // namespace

std::string Vbo::snapshot() const {
  StateWriter out;
  out.put(kVersion).put<std::int64_t>(history_.size());
  out.put(run_->number()).put(run_from_).put(run_first_id_).put(newest_id_);
  out.put(round_).put(designed_).put(fresh_).put(design_median_);
  const Promise p = promise_.value_or(Promise{});
  out.put<std::uint8_t>(promise_.has_value()).put(p.information).put(p.outcome).put(p.suggestions);
  out.put<std::uint8_t>(realized_.has_value()).put(realized_.value_or(0.0));
  const Recommendation r = recommendation_.value_or(Recommendation{});
  out.put<std::uint8_t>(recommendation_.has_value()).put(r.id).put(r.mean).put(r.deviation);
  run_->write(out);
  out.put<std::uint8_t>(champion_ != nullptr);
  if (champion_) champion_->write(out);
  return out.take();
}

Result<void> Vbo::restore(std::string_view snapshot, std::span<const Trial> history) {
  const Error damaged{ErrorKind::damaged, "the stored state of method \"vbo\" is damaged"};
  StateReader in(snapshot);
  if (in.get<std::uint32_t>() != kVersion) {
    return Error{ErrorKind::damaged, "the stored state of method \"vbo\" is of another version"};
  }
  const auto results = in.get<std::int64_t>();
  const auto number = in.get<std::int64_t>();
  run_from_ = in.get<std::int64_t>();
  run_first_id_ = in.get<TrialId>();
  newest_id_ = in.get<TrialId>();
  if (!in.ok() || number < 0 || run_from_ < 0 || run_from_ > results) return damaged;
  run_ = std::make_unique<Run>(encoding_, common_, gp_options_, number);
  take_back(history);
  if (history_.size() != results) return damaged;

  round_ = in.get<std::int64_t>();
  designed_ = in.get<std::uint64_t>();
  fresh_ = in.get<std::int64_t>();
  design_median_ = in.get<double>();
  const bool promised = in.get<std::uint8_t>() != 0;
  Promise p;
  p.information = in.get<double>();
  p.outcome = in.get<double>();
  p.suggestions = in.get<std::int64_t>();
  if (promised) promise_ = p;
  const bool realized = in.get<std::uint8_t>() != 0;
  const auto nats = in.get<double>();
  if (realized) realized_ = nats;
  const bool recommends = in.get<std::uint8_t>() != 0;
  Recommendation r;
  r.id = in.get<TrialId>();
  r.mean = in.get<double>();
  r.deviation = in.get<double>();
  if (recommends) recommendation_ = r;
  run_->read(in);
  if (in.get<std::uint8_t>() != 0) {
    champion_ = std::make_unique<Champion>(std::make_unique<LocalSearch>(encoding_, 0), 0.0);
    champion_->read(in);
  }
  if (!in.complete() || fresh_ < 0 || fresh_ > results) return damaged;
  if (round_ > 0) failures_.learn(history_, history_.size() - static_cast<int>(fresh_));
  return {};
}

// Results in the order they were told, pending points in the order they were asked.
void Vbo::take_back(std::span<const Trial> history) {
  std::vector<const Trial*> told;
  for (const Trial& trial : history) {
    if (trial.told_in > 0) told.push_back(&trial);
  }
  std::stable_sort(told.begin(), told.end(),
                   [](const Trial* a, const Trial* b) { return a->told_in < b->told_in; });
  for (const Trial* trial : told) archive_again(*trial);
  history_.sort();
  run_->sort();
  for (const Trial& trial : history) {
    if (trial.told_in > 0) continue;
    const Vector code = encoding_.encode(trial.point);
    if (const auto source = source_named(trial.rationale.source)) {
      pending_[trial.id] = {*source, code};
    }
    seen_.add(code);
  }
}

}  // namespace vbo
