// SPDX-License-Identifier: MIT
// The state of the surrogate optimizer: results, fits, snapshots. How points are chosen is in
// choose.cpp.
#include "optim/surrogate/surrogate.hpp"
#include "numerics/special.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "models/standardize.hpp"
#include "optim/state_bytes.hpp"
#include "optim/success_bar.hpp"
#include "optim/surrogate/gp_method.hpp"
#include "optim/surrogate/ledger.hpp"
#include "optim/surrogate/training.hpp"

namespace vbo {
namespace {

using Eigen::Index;

constexpr std::uint32_t kSurrogateFormat = 0x53555202;  // "SUR", version 2
constexpr Index best_kept = 32;
constexpr Index feasibility_points = 400;  // results the models of feasibility look at
constexpr Index warp_limit = 300;          // results; beyond, the warp stays as it was chosen
constexpr double warp_growth = 0.25;  // of the results, from one choice of the warp to the next
constexpr Index sure_of_warp = 40;    // results; once chosen with so many it changes by a step

// At most a step apart in the order of their bend.
bool is_near(int one, int other) {
  for (const int steps : {-1, 0, 1}) {
    if (Warp::neighbour(one, steps) == other) return true;
  }
  return false;
}

}  // namespace

void bind(OptionBinder& b, SurrogateOptions& o) {
  b.choice("acquisition", o.acquisition,
           {{"logei", Acquisition::log_ei},
            {"ei", Acquisition::ei},
            {"pi", Acquisition::pi},
            {"ucb", Acquisition::ucb},
            {"qei", Acquisition::q_ei},
            {"qlogei", Acquisition::q_log_ei},
            {"qucb", Acquisition::q_ucb},
            {"ts", Acquisition::thompson}},
           "what is maximized to choose a point");
  b.number("beta", o.beta, 0.0, 1e6, "ucb and qucb: mean + sqrt(beta) deviation");
  b.choice("batch", o.batch,
           {{"auto", SurrogateOptions::Batch::automatic},
            {"joint", SurrogateOptions::Batch::joint},
            {"greedy", SurrogateOptions::Batch::greedy},
            {"ts", SurrogateOptions::Batch::draws}},
           "how several points are chosen: together, one after the other, or by posterior draws");
  b.integer("samples", o.samples, 1, 4096, "Monte Carlo draws of qei, qlogei, qucb");
  b.flag("fresh_samples", o.fresh_samples, "new draws at every evaluation instead of frozen ones");
  b.integer("restarts", o.restarts, 1, 100, "local searches per point; cost is proportional");
  b.integer("raw_samples", o.raw_samples, 1, 20000, "points scored before the local searches");
  b.integer("iterations", o.iterations, 1, 1000, "L-BFGS steps of a local search");
  b.flag("local_starts", o.local_starts, "also start searches near the best results");
  b.integer("candidates", o.candidates, 10, 20000, "points on which posterior draws are compared");
  b.integer("initial", o.initial, 0, 100000,
            "space-filling points first; 0 = 2 per parameter + 1, at most a quarter of the budget");
  b.integer("max_points", o.max_points, 10, 20000,
            "results a fit looks at (best and most recent); a GP's cost is cubic in it");
  b.number("refit_growth", o.refit_growth, 0.0, 10.0,
           "refit hyper-parameters when results grew by this share; between, only condition");
  b.choice("warp", o.warp,
           {{"auto", SurrogateOptions::Outcomes::warped},
            {"none", SurrogateOptions::Outcomes::as_given}},
           "auto: also try logarithms of the outcomes and keep what is likeliest");
  b.choice("failures", o.failures,
           {{"model", SurrogateOptions::Failures::model},
            {"worst", SurrogateOptions::Failures::worst},
            {"exclude", SurrogateOptions::Failures::exclude}},
           "learn where trials fail and keep away, count a failure as the worst result, or ignore "
           "it");
}

SurrogateOptimizer::SurrogateOptimizer(const Space& space, const OptimizerOptions& common,
                                       const SurrogateOptions& options,
                                       const ModelFactory& make_model)
    : encoding_(space),
      design_(encoding_, common.seed),
      options_(options),
      acquisition_(options.acquisition),
      seed_(common.seed),
      budget_(common.budget),
      threads_(common.threads),
      history_(encoding_),
      model_(make_model(encoding_)),
      feasibility_model_(gp_options(encoding_, {})) {
  feasibility_model_.threads = threads_;
}

std::int64_t SurrogateOptimizer::initial() const {
  if (options_.initial > 0) return options_.initial;
  const auto parameters = static_cast<std::int64_t>(encoding_.blocks().size());
  const std::int64_t most = budget_ > 0 ? std::max<std::int64_t>(5, budget_ / 4)
                                        : std::numeric_limits<std::int64_t>::max();
  return std::min(2 * parameters + 1, most);
}

SurrogateOptimizer::Selected SurrogateOptimizer::design_point() {
  Vector x = design_.code(static_cast<std::uint64_t>(designed_++));
  encoding_.snap(x);
  return {std::move(x), "design"};
}

std::vector<Suggestion> SurrogateOptimizer::ask(std::span<const TrialId> ids) {
  std::vector<Suggestion> suggestions;
  if (ids.empty()) return suggestions;
  Rng rng(seed_, "surrogate-ask", static_cast<std::uint64_t>(asks_++));
  std::vector<Selected> picks;
  const auto known = static_cast<std::int64_t>(history_.size()) +
                     static_cast<std::int64_t>(history_.open().size());
  const auto count = static_cast<std::int64_t>(ids.size());
  std::int64_t from_design = std::clamp(initial() - known, std::int64_t{0}, count);
  if (encoding_.dimension() == 0) from_design = count;  // everything is fixed
  if (from_design < count && !fit_if_needed()) from_design = count;
  for (std::int64_t i = 0; i < from_design; ++i) {
    Selected pick = design_point();
    pick.x = made_new(pick.x, picks, rng);
    picks.push_back(std::move(pick));
  }
  if (from_design < count) {
    // Design points of this very ask are as pending as any other.
    for (std::size_t i = 0; i < picks.size(); ++i) {
      history_.asked(ids[i], encoding_.decode(picks[i].x));
    }
    for (Selected& pick : pick(static_cast<Index>(count - from_design), rng)) {
      picks.push_back(std::move(pick));
    }
  }
  for (std::size_t i = 0; i < ids.size(); ++i) {
    suggestions.push_back({encoding_.decode(picks[i].x), rationale_of(picks[i])});
    history_.asked(ids[i], suggestions.back().point);
  }
  return suggestions;
}

Rationale SurrogateOptimizer::rationale_of(const Selected& pick) const {
  Rationale why{.source = pick.source};
  if (!pick.score) return why;
  const auto p = model_->marginals(pick.x);
  std::optional<double> log_feasible;
  if (feasibility_.knows_anything()) log_feasible = feasibility_.log_probability(pick.x)[0];
  GpPrediction there{p->mean()[0], std::sqrt(p->variance()[0]), log_feasible};
  if (any_feasible_) there.improves = normal_cdf((there.mean - best_) / there.deviation);
  add_score(why, pick.kind, *pick.score, there, [this](double z) { return to_y(z); });
  return why;
}

void SurrogateOptimizer::tell(std::span<const Trial> finished) { history_.told(finished); }

bool SurrogateOptimizer::fit_if_needed() {
  const Index count = history_.size();
  if (history_.successes() == 0) return false;
  if (seen_.empty()) {
    fit_model(count);
    return true;
  }
  if (seen_.back() == count) return true;
  if (is_refit_due(seen_.front(), count)) {
    fit_model(count);
  } else {
    update_model(count);
  }
  return true;
}

// Against the points a fit looks at, so that the updates between two fits stay bounded.
bool SurrogateOptimizer::is_refit_due(Index fitted, Index count) const {
  const double base = static_cast<double>(std::min<Index>(fitted, options_.max_points));
  return static_cast<double>(count - fitted) >= std::max(1.0, options_.refit_growth * base);
}

// Whether a fit and updates with so many results are what fit_if_needed() does.
bool SurrogateOptimizer::can_repeat(const std::vector<Index>& seen) const {
  bool learned = false;
  for (Index i = 0; i < seen.front(); ++i) learned = learned || !std::isnan(history_.value(i));
  return learned && encoding_.dimension() > 0 && !is_refit_due(seen.front(), seen.back());
}

void SurrogateOptimizer::fit_model(Index count) {
  state_before_fit_ = model_->state();
  choice_before_fit_ = choice_;
  seen_ = {count};
  fitted_ = training_set(history_, count, options_.max_points, counts_failures());
  const Vector y = training_values(history_, fitted_, count);
  X_.resize(encoding_.dimension(), y.size());
  for (Index i = 0; i < y.size(); ++i) {
    X_.col(i) = history_.code(fitted_[static_cast<std::size_t>(i)]);
  }
  Vector from = state_before_fit_;
  if (is_choice_of_warp_due(count) && y.size() <= warp_limit) {
    double best = -std::numeric_limits<double>::infinity();
    const WarpChoice before = std::exchange(choice_, {0, count});
    for (int warp = 0; warp < Warp::count; ++warp) {
      if (!is_near(before.index, warp) && before.results >= sure_of_warp) continue;
      const double found = fit_warped(warp, state_before_fit_, y);
      if (!(found > best)) continue;
      best = found;
      choice_.index = warp;
      from = model_->state();
    }
  }
  fit_warped(choice_.index, from, y);
  ++fits_;
  learn_feasibility(count);
  remember_best();
}

bool SurrogateOptimizer::is_choice_of_warp_due(Index count) const {
  if (options_.warp != SurrogateOptions::Outcomes::warped) return false;
  return static_cast<double>(count) >= (1.0 + warp_growth) * static_cast<double>(choice_.results);
}

void SurrogateOptimizer::learn_feasibility(Index count) {
  boldness_ = boldness_after(history_.successes_of(count));
  fit_feasibility(feasibility_, encoding_, history_, feasibility_model_, count,
                  std::min<Index>(options_.max_points, feasibility_points),
                  options_.failures == SurrogateOptions::Failures::model,
                  Rng(seed_, "surrogate-feasibility", static_cast<std::uint64_t>(count)));
}

double SurrogateOptimizer::fit_warped(int warp, const Vector& from, ConstVectorRef y) {
  warp_ = Warp::choice(warp, y);
  const Vector w = y.unaryExpr([&](double v) { return warp_(v); });
  const Standardize output = Standardize::of(w);
  offset_ = output.offset;
  scale_ = output.scale;
  z_ = output.apply(w);
  model_->set_state(from);
  set_known_variances(y);
  fit_report_ = model_->fit(X_, z_, Rng(seed_, "surrogate-fit", static_cast<std::uint64_t>(fits_)));
  const double slopes = y.unaryExpr([&](double v) { return warp_.log_slope(v); }).sum();
  return fit_report_.objective + slopes - static_cast<double>(y.size()) * std::log(scale_);
}

// To first order: the standard error of z is that of y times dz/dy.
void SurrogateOptimizer::set_known_variances(ConstVectorRef y) {
  Vector known = training_errors(history_, fitted_);
  for (Index i = 0; i < known.size(); ++i) {
    const double slope = std::exp(warp_.log_slope(y[i])) / (warp_.range * scale_);
    known[i] = known[i] * slope * known[i] * slope;
  }
  model_->set_known_variances(known);
}

void SurrogateOptimizer::update_model(Index count) {
  const Index from = seen_.back();
  seen_.push_back(count);
  for (Index i = from; i < count; ++i) {
    if (!std::isnan(history_.value(i)) || counts_failures()) fitted_.push_back(i);
  }
  const Vector y = training_values(history_, fitted_, count);
  const Index old = X_.cols();
  X_.conservativeResize(Eigen::NoChange, y.size());
  z_.conservativeResize(y.size());
  for (Index i = old; i < y.size(); ++i) {
    X_.col(i) = history_.code(fitted_[static_cast<std::size_t>(i)]);
    z_[i] = (warp_(y[i]) - offset_) / scale_;
  }
  set_known_variances(y);
  model_->update(
      X_, z_,
      Rng(seed_, "surrogate-update",
          static_cast<std::uint64_t>(fits_ << 20) + static_cast<std::uint64_t>(seen_.size())));
  learn_feasibility(count);
  remember_best();
}

void SurrogateOptimizer::remember_best() {
  order_.resize(static_cast<std::size_t>(z_.size()));
  std::iota(order_.begin(), order_.end(), Index{0});
  const auto kept = std::min(best_kept, z_.size());
  // By their order where there are limits: infeasible results are starting points too.
  const bool limited = !encoding_.space().limits().empty();
  const auto result = [&](Index k) { return fitted_[static_cast<std::size_t>(k)]; };
  std::partial_sort(order_.begin(), order_.begin() + kept, order_.end(), [&](Index a, Index b) {
    const std::partial_ordering compared =
        limited ? history_.standing(result(a)) <=> history_.standing(result(b)) : z_[a] <=> z_[b];
    return compared > 0 || (compared == 0 && a < b);
  });
  order_.resize(static_cast<std::size_t>(kept));
  any_feasible_ = !limited || history_.feasible(result(order_.front()));
  best_ = z_[order_.front()];
}

AskReport SurrogateOptimizer::report() const {
  AskReport report;
  report.round = fits_;
  if (fits_ == 0) return report;
  report.values = {kLogPosterior.of(fit_report_.objective),
                   kIterations.of(static_cast<double>(fit_report_.iterations)),
                   kPoints.of(static_cast<double>(X_.cols()))};
  report.values.insert(report.values.end(), fit_report_.values.begin(), fit_report_.values.end());
  report.message = fit_report_.message;
  Matrix best(X_.rows(), static_cast<Index>(order_.size()));
  for (Index i = 0; i < best.cols(); ++i) best.col(i) = X_.col(order_[static_cast<std::size_t>(i)]);
  if (!any_feasible_) return report;  // nothing to recommend
  if (!encoding_.space().limits().empty()) {
    const auto feasible = std::find_if(order_.begin(), order_.end(), [&](Index k) {
      return !history_.feasible(fitted_[static_cast<std::size_t>(k)]);
    });
    best.conservativeResize(Eigen::NoChange, feasible - order_.begin());
  }
  const auto p = model_->marginals(best);
  Index at = 0;
  const double mean = p->mean().maxCoeff(&at);
  const Index result = fitted_[static_cast<std::size_t>(order_[static_cast<std::size_t>(at)])];
  const double sigma = std::sqrt(p->variance()[at]);
  report.recommendation = Recommendation{history_.id(result), to_y(mean),
                                         0.5 * (to_y(mean + sigma) - to_y(mean - sigma))};
  return report;
}

std::string SurrogateOptimizer::snapshot() const {
  StateWriter out;
  out.put(kSurrogateFormat).put(designed_).put(asks_).put(fits_);
  out.put<std::int64_t>(choice_before_fit_.index);
  out.put(static_cast<std::int64_t>(choice_before_fit_.results)).put(state_before_fit_);
  out.put(static_cast<std::int64_t>(seen_.size()));
  for (const Index count : seen_) out.put(static_cast<std::int64_t>(count));
  return out.take();
}

Result<void> SurrogateOptimizer::restore(std::string_view snapshot,
                                         std::span<const Trial> history) {
  StateReader in(snapshot);
  in.expect(kSurrogateFormat);
  const std::int64_t designed = in.get_count(), asks = in.get_count(), fits = in.get_count(),
                     choice = in.get_count(Warp::count - 1),
                     chosen_with = in.get_count(std::ssize(history));
  const Vector state = in.get_numbers(StateReader::kInfinity);
  history_.restore(history);
  std::vector<Index> seen;
  for (auto left = in.get_length(history_.size(), sizeof(Index)); left > 0 && in.ok(); --left) {
    seen.push_back(in.get_count(history_.size(), seen.empty() ? 1 : seen.back() + 1));
  }
  const bool fitted = !seen.empty();
  if (!in.complete() || (fits > 0) != fitted ||
      (fitted && !(can_repeat(seen) && model_->set_state(state)))) {
    return Error{ErrorKind::damaged, "the snapshot is not one of this method and version"};
  }
  designed_ = designed;
  asks_ = asks;
  if (seen.empty()) return {};
  // The last fit again, from the same start, then the updates that followed: the same model, bit
  // for bit.
  choice_ = {static_cast<int>(choice), chosen_with};
  fits_ = fits - 1;
  fit_model(seen.front());
  for (std::size_t i = 1; i < seen.size(); ++i) update_model(seen[i]);
  return {};
}

}  // namespace vbo
