// SPDX-License-Identifier: MIT
#include "optim/objectives/scalarized.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <tuple>

#include "core/order.hpp"
#include "optim/state_bytes.hpp"

namespace vbo {
namespace {

using Eigen::Index;

constexpr std::uint32_t kFormat = 0x53434101;  // "SCA", version 1
constexpr std::size_t kHeader = sizeof kFormat + 5 * sizeof(std::int64_t);

constexpr std::int64_t kLeastBlock = 8;      // results
constexpr std::int64_t kBlockFraction = 8;   // a block is at least this part of all results
constexpr std::size_t kRangeResults = 2000;  // newest ones, which the ranges are taken from
constexpr double kLargest = 1e300;           // beyond, differences of values overflow

}  // namespace

Scalarized::Scalarized(const Space& space, const OptimizerOptions& common, Make make)
    : space_(space),
      objectives_(common.objectives),
      seed_(common.seed),
      batch_(common.batch),
      make_(std::move(make)),
      method_(make_(seed_)) {
  set_weights();
}

// Blocks that grow with the results keep the cost of telling all of them again in proportion.
bool Scalarized::block_is_over() const {
  const auto all = static_cast<std::int64_t>(told_.size());
  return all - told_before_ >= std::max({batch_, kLeastBlock, told_before_ / kBlockFraction});
}

// A function of the block and of the results before it.
void Scalarized::set_weights() {
  Rng rng(seed_, "scalarization", static_cast<std::uint64_t>(block_));
  const auto M = static_cast<Index>(objectives_.size());
  weights_ = random_weights(M, rng);
  const Order order = Order::maximizing(space_, objectives_.size());
  const auto all = std::span(told_).first(static_cast<std::size_t>(told_before_));
  std::vector<const Trial*> used;
  const auto newest = all.last(std::min(all.size(), kRangeResults));
  const auto use = [&](bool feasible) {
    for (const Trial& trial : newest) {
      if (trial.values.size() != objectives_.size()) continue;
      if (!feasible || order.feasible(trial)) used.push_back(&trial);
    }
  };
  use(true);
  if (used.empty()) use(false);
  Matrix Y(M, std::ssize(used));
  for (Index i = 0; i < Y.cols(); ++i) {
    const std::vector<double>& values = used[static_cast<std::size_t>(i)]->values;
    for (Index m = 0; m < M; ++m) {
      Y(m, i) = std::clamp(values[static_cast<std::size_t>(m)], -kLargest, kLargest);
    }
  }
  ranges_ = ObjectiveRanges::of(Y, objectives_);
}

Trial Scalarized::scalarized(const Trial& trial) const {
  Trial one = trial;
  one.standard_error.clear();
  one.steps.clear();
  if (trial.values.size() != objectives_.size()) return one;
  Vector y(weights_.size());
  for (Index m = 0; m < y.size(); ++m) {
    y[m] = std::clamp(trial.values[static_cast<std::size_t>(m)], -kLargest, kLargest);
  }
  const Vector u = ranges_.distances(y);
  one.values = {chebyshev(u.cwiseMin(kLargest).cwiseMax(-kLargest), weights_)};
  if (trial.standard_error.size() == trial.values.size()) {
    // To first order: only the largest weighted distance moves the maximum.
    Index largest = 0;
    u.cwiseProduct(weights_).maxCoeff(&largest);
    const double sem = trial.standard_error[static_cast<std::size_t>(largest)];
    one.standard_error = {sem * weights_[largest] / ranges_.width[largest]};
  }
  return one;
}

Trial Scalarized::foreign(const Trial& trial) const {
  Trial one = scalarized(trial);
  one.rationale = {.origin = Origin::added};
  one.suggested.reset();
  if (one.has_ended()) one.asked_in = one.told_in;
  return one;
}

void Scalarized::begin_block() {
  rounds_before_ += method_->round();
  ++block_;
  told_before_ = static_cast<std::int64_t>(told_.size());
  newest_before_ = newest_id_;
  set_weights();
  method_ = make_(Rng(seed_, "scalarized", static_cast<std::uint64_t>(block_))());
  std::vector<Trial> all;
  for (const Trial& trial : told_) {
    all.push_back(foreign(trial));
    all.back().asked_in = all.back().told_in = 1;  // as restore() has them
  }
  std::ranges::stable_sort(all, {}, &Trial::id);
  method_->tell(all);
}

std::vector<Suggestion> Scalarized::ask(std::span<const TrialId> ids) {
  if (block_is_over()) begin_block();
  std::vector<Suggestion> suggestions = method_->ask(ids);
  for (Suggestion& suggestion : suggestions) add_weights(suggestion.rationale, weights_);
  for (const TrialId id : ids) newest_id_ = std::max(newest_id_, id);
  return suggestions;
}

void Scalarized::tell(std::span<const Trial> finished) {
  std::vector<Trial> order(finished.begin(), finished.end());
  std::ranges::stable_sort(order, {}, &Trial::id);
  std::vector<Trial> scalars;
  for (Trial& trial : order) {
    trial.steps.clear();
    trial.stderr_tail.clear();
    scalars.push_back(trial.id > newest_before_ ? scalarized(trial) : foreign(trial));
    trial.rationale = {};
    told_.push_back(std::move(trial));
  }
  method_->tell(scalars);
}

AskReport Scalarized::report() const {
  AskReport report = method_->report();
  report.round = round();
  report.recommendation.reset();  // of one scalarization: no answer for several objectives
  return report;
}

std::string Scalarized::snapshot() const {
  const std::string of_method = method_->snapshot();
  if (of_method.empty()) return {};
  StateWriter out;
  out.put(kFormat)
      .put(block_)
      .put(told_before_)
      .put(rounds_before_)
      .put(newest_before_)
      .put(newest_id_);
  return out.take() + of_method;
}

Result<void> Scalarized::restore(std::string_view snapshot, std::span<const Trial> history) {
  std::vector<const Trial*> told;
  for (const Trial& trial : history) {
    if (trial.has_ended()) told.push_back(&trial);
  }
  std::ranges::stable_sort(
      told, {}, [](const Trial* trial) { return std::tuple(trial->told_in, trial->id); });
  StateReader in(snapshot.substr(0, kHeader));
  in.expect(kFormat);
  block_ = in.get_count();
  told_before_ = in.get_count(std::ssize(told));
  rounds_before_ = in.get_count();
  newest_before_ = in.get_count();
  newest_id_ = in.get_count(StateReader::kMostCount, newest_before_);
  if (!in.complete() || (block_ == 0 && told_before_ + rounds_before_ + newest_before_ > 0)) {
    return Error{ErrorKind::damaged, "the stored state of a scalarized method is damaged"};
  }
  std::map<TrialId, bool> before;  // whether it is one of those
  told_.clear();
  for (const Trial* trial : told) {
    before[trial->id] = std::ssize(told_) < told_before_;
    told_.push_back(*trial);
    told_.back().steps.clear();
    told_.back().stderr_tail.clear();
    told_.back().rationale = {};
  }
  set_weights();
  if (block_ > 0) method_ = make_(Rng(seed_, "scalarized", static_cast<std::uint64_t>(block_))());
  std::vector<Trial> seen;  // what the method was told or asked for
  for (const Trial& trial : history) {
    const auto found = before.find(trial.id);
    const bool ended = found != before.end();
    if (trial.id > newest_before_ && !(ended && found->second)) {
      seen.push_back(scalarized(trial));
    } else if (ended) {
      seen.push_back(foreign(trial));
      if (found->second) seen.back().asked_in = seen.back().told_in = 1;
    }
  }
  return method_->restore(snapshot.substr(kHeader), seen);
}

const Ledger& Scalarized::scalarized_ledger(const Ledger& of_method) {
  static std::mutex mutex;
  static std::map<const Ledger*, Ledger> known;  // a method's own lives as long as the program
  const std::lock_guard lock(mutex);
  const auto [found, is_new] = known.try_emplace(&of_method, of_method);
  Ledger& ledger = found->second;
  if (!is_new) return ledger;
  for (std::vector<TermInfo>* terms : {&ledger.terms, &ledger.values}) {
    for (TermInfo& term : *terms) {
      if (term.unit == Unit::objective || term.unit == Unit::spread) term.unit = Unit::number;
    }
  }
  ledger.terms.insert(ledger.terms.end(), weight_terms().begin(), weight_terms().end());
  return ledger;
}

}  // namespace vbo
