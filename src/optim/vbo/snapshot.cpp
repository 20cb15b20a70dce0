// SPDX-License-Identifier: MIT
// What a resumed study cannot recompute: weights, moments, the local search and the counters. The
// results themselves come back from the history, so a snapshot does not grow with them.
#include <algorithm>

#include "optim/vbo/vbo.hpp"

namespace vbo {
namespace {

constexpr std::uint32_t kVersion = 6;

void put(StateWriter& out, const std::optional<double>& number) {
  out.put<std::uint8_t>(number.has_value()).put(number.value_or(0.0));
}

std::optional<double> get_number(StateReader& in) {
  const bool any = in.get<std::uint8_t>() != 0;
  const auto number = in.get<double>();
  return any ? std::optional(number) : std::nullopt;
}

void put(StateWriter& out, const AskReport& report) {
  const auto information = report.information.value_or(RoundInformation{});
  out.put<std::uint8_t>(report.information.has_value()).put(information.expected);
  for (const std::optional<double>& number :
       {information.realized, information.ceiling, report.exploitation, report.deviation}) {
    put(out, number);
  }
  out.put<std::int64_t>(std::ssize(report.values));
  for (const Term& term : report.values) out.put(term.value);
  const auto r = report.recommendation.value_or(Recommendation{});
  out.put<std::uint8_t>(report.recommendation.has_value());
  out.put(r.id).put(r.mean).put(r.deviation);
}

// Values are all or none of those declared, in their order.
AskReport get_report(StateReader& in, const Ledger& ledger) {
  AskReport report;
  const bool informed = in.get<std::uint8_t>() != 0;
  RoundInformation information{.expected = in.get<double>()};
  for (std::optional<double>* number :
       {&information.realized, &information.ceiling, &report.exploitation, &report.deviation}) {
    *number = get_number(in);
  }
  if (informed) report.information = information;
  const auto values = in.get<std::int64_t>();
  if (values != 0 && values != std::ssize(ledger.values)) in.fail();
  for (std::int64_t i = 0; i < values && in.ok(); ++i) {
    report.values.push_back(ledger.values[static_cast<std::size_t>(i)].of(in.get<double>()));
  }
  const bool recommends = in.get<std::uint8_t>() != 0;
  Recommendation r;
  r.id = in.get<TrialId>();
  r.mean = in.get<double>();
  r.deviation = in.get<double>();
  if (recommends) report.recommendation = r;
  return report;
}

}  // namespace

std::string Vbo::snapshot() const {
  StateWriter out;
  out.put(kVersion).put(round_).put(designed_).put<std::int64_t>(archive_.size());
  out.put<std::int64_t>(static_cast<std::int64_t>(fresh_.size())).put(predictive_variance_);
  for (int view = 0; view < Frame::kViews; ++view) {
    out.put(frame_.neighbourhood(view).mean).put(frame_.neighbourhood(view).whitening);
  }
  critics_.write(out);
  action_net_.write(out);
  regions_.write(out);
  shares_.write(out);
  judge_->write(out);
  put(out, report_);
  return out.take();
}

// From the results that were there at the last round.
void Vbo::judge_learns_again() {
  Archive then(encoding_.dimension());
  const int results = archive_.size() - static_cast<int>(fresh_.size());
  for (int i = 0; i < results; ++i) then.add(archive_.id(i), archive_.code(i), archive_.value(i));
  then.sort();
  judge_->learn(then, replay_of(then), round_ - 1);
}

Result<void> Vbo::restore(std::string_view snapshot, std::span<const Trial> history) {
  const Error damaged{ErrorKind::damaged, "the stored state of method \"vbo\" is damaged"};
  StateReader in(snapshot);
  if (in.get<std::uint32_t>() != kVersion) {
    return Error{ErrorKind::damaged, "the stored state of method \"vbo\" is of another version"};
  }

  // Results in the order they were told, pending points in the order they were asked.
  std::vector<const Trial*> told;
  for (const Trial& trial : history) {
    if (trial.told_in > 0) told.push_back(&trial);
  }
  std::stable_sort(told.begin(), told.end(),
                   [](const Trial* a, const Trial* b) { return a->told_in < b->told_in; });
  for (const Trial* trial : told) remember(*trial);
  archive_.sort();
  for (const Trial& trial : history) {
    if (trial.told_in > 0) continue;
    const Vector code = encoding_.encode(trial.point);
    for (const Source source : {Source::design, Source::action_net, Source::local,
                                Source::elsewhere, Source::climb, Source::jump}) {
      if (to_string(source) == trial.rationale.source) pending_[trial.id] = {source, code};
    }
    seen_.add(code);
  }

  round_ = in.get<std::int64_t>();
  designed_ = in.get<std::uint64_t>();
  if (in.get<std::int64_t>() != archive_.size()) return damaged;
  const auto fresh = in.get<std::int64_t>();
  predictive_variance_ = in.get<double>();
  if (!in.ok() || fresh < 0 || fresh > archive_.size()) return damaged;
  fresh_.clear();
  for (int i = archive_.size() - static_cast<int>(fresh); i < archive_.size(); ++i)
    fresh_.push_back(i);
  for (int view = 0; view < Frame::kViews; ++view) {
    Frame::Neighbourhood at{in.get_vector(), in.get_matrix()};
    const Eigen::Index n = frame_.numeric(), columns = at.whitening.cols();
    if (!in.ok() || at.mean.size() != n || at.whitening.rows() != n) return damaged;
    if (columns != 1 && columns != n) return damaged;
    frame_.move(view, std::move(at));
  }
  critics_.read(in);
  action_net_.read(in);
  regions_.read(in);
  shares_.read(in);
  judge_->read(in);
  if (in.ok() && round_ > 0) judge_learns_again();
  report_ = get_report(in, declared());
  report_.round = round_;
  return in.complete() ? Result<void>() : damaged;
}

}  // namespace vbo
