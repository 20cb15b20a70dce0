// SPDX-License-Identifier: MIT
#include "optim/focal/focal.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "optim/design.hpp"
#include "optim/state_bytes.hpp"
#include "optim/surrogate/ledger.hpp"

namespace vbo {
namespace {

using Eigen::Index;

constexpr std::uint32_t kFocalFormat = 0x464f4302;  // "FOC", version 2
constexpr double refit_growth = 0.05;

constexpr TermInfo kLevel{"level", Unit::count, TermRole::beside,
                          "box that proposed it: 0 is the largest, each next half as wide"};
constexpr TermInfo kDepth{"depth", Unit::count, TermRole::beside, "boxes wanted"};
constexpr TermInfo kLevels{"levels", Unit::count, TermRole::beside, "boxes that have a model"};
constexpr TermInfo kBoxSide{"side", Unit::length, TermRole::beside, "side of the largest box"};

}  // namespace

void bind(OptionBinder& b, FocalMethodOptions& o) {
  b.choice("acquisition", o.acquisition,
           {{"auto", std::nullopt},
            {"ts", Acquisition::thompson},
            {"ei", Acquisition::ei},
            {"logei", Acquisition::log_ei},
            {"qei", Acquisition::q_ei},
            {"qucb", Acquisition::q_ucb},
            {"pi", Acquisition::pi}},
           "how a level proposes; auto: ts for batches, logei for single points");
  b.number("beta", o.beta, 0.0, 1e6, "qucb: weight of the deviation is sqrt(beta)");
  b.integer("inducing", o.inducing, 1, 1000, "inducing points; cost is quadratic");
  b.integer("epochs", o.epochs, 1, 100000, "Adam steps per level and fit");
  b.choice("base", o.base,
           {{"cube", FocalMethodOptions::Base::cube}, {"region", FocalMethodOptions::Base::region}},
           "the largest box: the whole space, or a trust region around the best point");
  b.integer("max_depth", o.max_depth, 1, 20, "most levels; cost is proportional");
  b.integer("candidates", o.candidates, 10, 5000, "points per level on which draws are compared");
  b.integer("restarts", o.restarts, 1, 100, "local searches per level");
  b.integer("raw_samples", o.raw_samples, 1, 20000, "points scored before the local searches");
  b.integer("initial", o.initial, 0, 100000, "space-filling points first; 0 = 2 per parameter + 1");
  b.integer("max_points", o.max_points, 10, 100000,
            "results a fit looks at (best and most recent)");
}

FocalMethod::FocalMethod(const Space& space, const OptimizerOptions& common,
                         const FocalMethodOptions& options)
    : encoding_(space),
      options_(options),
      seed_(common.seed),
      batch_(std::max<std::int64_t>(1, common.batch)),
      threads_(common.threads),
      history_(encoding_, true) {}

// A round is `batch` results. Depth rule: with k* the level of the round's best point, one level
// less if a smaller box existed, else one more. The trust region counts rounds that it shaped.
void FocalMethod::finish_round() {
  if (round_results_ < batch_) return;
  if (around_best() && focused() && std::isfinite(best_before_)) {
    const auto parameters = static_cast<double>(encoding_.blocks().size());
    base_.update(round_level_ >= 0 && round_best_ > best_before_ + 1e-3 * std::abs(best_before_),
                 failure_tolerance(parameters, static_cast<double>(batch_)));
  }
  if (round_level_ >= 0) best_before_ = std::max(best_before_, round_best_);
  if (round_level_ >= 0) {
    depth_ += round_level_ + 1 < depth_ ? -1 : 1;
    depth_ = std::clamp<std::int64_t>(depth_, 1, options_.max_depth);
  }
  round_results_ = 0;
  round_level_ = -1;
}

void FocalMethod::tell(std::span<const Trial> finished) {
  for (const Trial& trial : finished) {
    const bool good = is_feasible(encoding_.space(), trial);
    const auto found = level_of_.find(trial.id);
    if (found == level_of_.end()) {
      if (good) best_before_ = std::max(best_before_, trial.values.front());
      continue;
    }
    ++round_results_;
    if (good && (round_level_ < 0 || trial.values.front() > round_best_)) {
      round_best_ = trial.values.front();
      round_level_ = found->second;
    }
    level_of_.erase(found);
  }
  history_.told(finished);
  finish_round();
}

Vector FocalMethod::made_new(Vector x, Rng& rng) const {
  if (x.size() == 0 || !history_.contains(x)) return x;
  SobolDesign design(encoding_, rng());
  for (std::uint64_t i = 0; i < 600; ++i) {
    // First close by, then anywhere.
    const double share = std::min(1.0, 1e-3 * std::pow(1.03, static_cast<double>(i)));
    Vector y = x + share * (design.code(i) - x);
    encoding_.snap(y);
    if (!history_.contains(y)) return y;
  }
  return x;
}

std::vector<Suggestion> FocalMethod::ask(std::span<const TrialId> ids) {
  std::vector<Suggestion> suggestions;
  Rng rng(seed_, "focal-ask", static_cast<std::uint64_t>(asks_++));
  const auto suggest = [&](const Vector& wanted, Rationale why) {
    const Vector x = made_new(wanted, rng);
    if (x != wanted) why = {.source = "nearby"};
    const TrialId id = ids[suggestions.size()];
    suggestions.push_back({encoding_.decode(x), std::move(why)});
    history_.asked(id, suggestions.back().point);
  };
  const Index count = history_.size();
  const auto known =
      static_cast<std::int64_t>(count) + static_cast<std::int64_t>(history_.open().size());
  const std::int64_t initial = options_.initial > 0
                                   ? options_.initial
                                   : 2 * static_cast<std::int64_t>(encoding_.blocks().size()) + 1;
  const bool learned = history_.successes() > 0 && encoding_.dimension() > 0;
  const auto wanted = static_cast<std::int64_t>(ids.size());
  const std::int64_t designed =
      learned ? std::clamp(initial - known, std::int64_t{0}, wanted) : wanted;
  SobolDesign design(encoding_, seed_);
  const auto suggest_design = [&](std::int64_t i) {
    Vector x = design.code(static_cast<std::uint64_t>(known + i));
    encoding_.snap(x);
    suggest(x, {.source = "design"});
  };
  for (std::int64_t i = 0; i < designed; ++i) suggest_design(i);
  if (designed == wanted) return suggestions;

  const double grown = static_cast<double>(count - fitted_);
  if (fitted_ == 0 || fitted_depth_ != depth_ || (around_best() && fitted_side_ != base_.side) ||
      (grown > 0 &&
       grown >= refit_growth * static_cast<double>(std::min(fitted_, options_.max_points)))) {
    fit(count);
  }
  const auto q = static_cast<Index>(wanted - designed);
  std::vector<Proposal> pool;
  for (std::size_t k = 0; k < levels_.size(); ++k) {
    for (Proposal& p : propose(k, q, rng)) pool.push_back(std::move(p));
  }
  // q of the pool without replacement with probability softmax(value): the q largest Gumbel keys.
  std::vector<std::pair<double, std::size_t>> keys;
  for (std::size_t i = 0; i < pool.size(); ++i) {
    const double gumbel = -std::log(-std::log(std::max(rng.uniform(), 1e-300)));
    const double value = std::isfinite(pool[i].value) ? pool[i].value : -1e300;
    keys.emplace_back(-(value + gumbel), i);
  }
  std::sort(keys.begin(), keys.end());
  for (Index i = 0; i < q; ++i) {
    if (keys.empty()) {
      suggest_design(i);  // every candidate was evaluated
    } else {
      const Proposal& p = pool[keys[static_cast<std::size_t>(i) % keys.size()].second];
      level_of_[ids[suggestions.size()]] = p.level;
      suggest(p.x, rationale_of(p));
    }
  }
  return suggestions;
}

Rationale FocalMethod::rationale_of(const Proposal& p) const {
  Rationale why{.source = "focal"};
  const auto model = levels_[static_cast<std::size_t>(p.level)].model->marginals(p.x);
  const GpPrediction there{model->mean()[0], std::sqrt(model->variance()[0])};
  add_score(why, p.kind, p.value, there, [this](double z) { return to_y(z); });
  why.add(kLevel, static_cast<double>(p.level));
  return why;
}

const Ledger& FocalMethod::declared() {
  static const Ledger all = [] {
    Ledger ledger = surrogate_ledger({});
    ledger.terms.push_back(kLevel);
    ledger.values = {kDepth, kLevels, kBoxSide};
    return ledger;
  }();
  return all;
}

AskReport FocalMethod::report() const {
  AskReport report;
  report.round = asks_;
  report.values = {kDepth.of(static_cast<double>(depth_)),
                   kLevels.of(static_cast<double>(levels_.size()))};
  if (around_best()) report.values.push_back(kBoxSide.of(base_.side));
  if (levels_.empty()) return report;
  const auto p = levels_.back().model->marginals(centre_);
  report.recommendation =
      Recommendation{history_.id(best_), to_y(p->mean()[0]), scale_ * std::sqrt(p->variance()[0])};
  return report;
}

std::string FocalMethod::snapshot() const {
  StateWriter out;
  out.put(kFocalFormat);
  for (const std::int64_t n :
       {asks_, depth_, fitted_, fitted_depth_, round_results_, round_level_, base_.successes,
        base_.failures, static_cast<std::int64_t>(level_of_.size())}) {
    out.put(n);
  }
  for (const double v : {round_best_, best_before_, base_.side, fitted_side_}) out.put(v);
  for (const auto& [id, level] : level_of_) out.put<std::int64_t>(id).put(level);
  return out.take();
}

Result<void> FocalMethod::restore(std::string_view snapshot, std::span<const Trial> history) {
  StateReader in(snapshot);
  in.expect(kFocalFormat);
  history_.restore(history);
  const std::int64_t results = history_.size();
  asks_ = in.get_count();
  depth_ = in.get_count(options_.max_depth, 1);
  const std::int64_t fitted = in.get_count(results);
  const std::int64_t fitted_depth = in.get_count(options_.max_depth, fitted > 0 ? 1 : 0);
  round_results_ = in.get_count(results);
  round_level_ = in.get_count(options_.max_depth - 1, -1);
  base_.successes = in.get_count();
  base_.failures = in.get_count();
  auto pending = in.get_count(std::ssize(history));
  round_best_ = in.get_outcome();
  best_before_ = in.get_outcome();
  base_.side = in.get_number(TrustSide::least, TrustSide::most);
  const double fitted_side = in.get_number(fitted > 0 ? TrustSide::least : 0.0, TrustSide::most);
  for (; pending > 0 && in.ok(); --pending) {
    const TrialId id = in.get_count();
    level_of_[id] = in.get_count(options_.max_depth - 1);
  }
  bool learned = fitted == 0;
  for (Index i = 0; i < fitted && !learned; ++i) learned = !std::isnan(history_.value(i));
  if (!in.complete() || !learned || (fitted > 0 && encoding_.dimension() == 0)) {
    return Error{ErrorKind::damaged, "the snapshot is not one of this method and version"};
  }
  if (fitted > 0) {  // fits depend on the data and their number alone
    const std::int64_t depth = std::exchange(depth_, fitted_depth);
    const double side = std::exchange(base_.side, fitted_side);
    fit(fitted);
    depth_ = depth;
    base_.side = side;
  }
  return {};
}

}  // namespace vbo
