// SPDX-License-Identifier: MIT
#include "optim/pareto/pareto.hpp"

#include <algorithm>
#include <cmath>

#include "numerics/special.hpp"
#include "optim/surrogate/gp_method.hpp"
#include "optim/surrogate/training.hpp"

namespace vbo::pareto {
namespace {

using Eigen::Index;

constexpr std::uint32_t kParetoFormat = 0x50415202;  // "PAR", version 2
constexpr Index kFeasibilityPoints = 200;            // results the models of feasibility look at
constexpr Index kElitesUsed = 200;                   // that actors and variations begin at

}  // namespace

void bind(OptionBinder& b, ParetoOptions& o) {
  b.integer("gp_points", o.gp_points, 8, 2000,
            "results a Gaussian process is fitted to; cost is cubic in it");
  b.integer("model_generations", o.model_generations, 0, 1000,
            "generations of the search on the models, per round");
  b.integer("candidates", o.candidates, 8, 20000,
            "candidates a batch is chosen from; at least four per suggestion");
}

Pareto::Pareto(const Space& space, const OptimizerOptions& common, const ParetoOptions& options)
    : encoding_(space),
      design_(encoding_, common.seed),
      common_(common),
      front_options_(options),
      objectives_(objective_count(common)),
      gp_(gp_options(encoding_, {})),
      history_(encoding_),
      elites_(objectives_),
      models_(objectives_, gp_, common.threads) {
  common_.batch = std::max<std::int64_t>(common_.batch, 1);
  gp_.threads = common.threads;
}

void bind(OptionBinder& b, EhviOptions& o) {
  b.integer("gp_points", o.gp_points, 8, 2000,
            "results a Gaussian process is fitted to; cost is cubic in it");
  b.integer("restarts", o.restarts, 1, 64, "ascents per suggestion; cost is proportional");
  b.integer("raw_samples", o.raw_samples, 2, 20000, "points scored before the ascents");
  b.integer("iterations", o.iterations, 1, 1000, "L-BFGS steps of an ascent");
}

Pareto::Pareto(const Space& space, const OptimizerOptions& common, const EhviOptions& options)
    : Pareto(space, common, ParetoOptions{.gp_points = options.gp_points}) {
  options_ = options;
  by_ehvi_ = true;
}

Index Pareto::design_size() const {
  const auto parameters = static_cast<std::int64_t>(encoding_.blocks().size());
  const std::int64_t wanted = 2 * parameters + 1;
  if (common_.budget <= 0) return wanted;
  return std::min(wanted, std::max<std::int64_t>(5, common_.budget / 4));
}

bool Pareto::round_is_due() const {
  if (encoding_.dimension() == 0 || elites_.size() == 0) return false;
  if (rounds_ == 0) return history_.size() >= design_size();
  return history_.size() - trained_ >= (by_ehvi_ ? 1 : common_.batch);
}

void Pareto::tell(std::span<const Trial> finished) {
  note_kinds(finished);
  history_.told(finished);
  add_elites(history_.size());
  if (!round_is_due()) return;
  credit();
  trained_ = history_.size();
  set_training();
  models_.fit(X_, V_, common_.seed, static_cast<std::uint64_t>(rounds_));
  ++rounds_;
  search();
}

void Pareto::add_elites(Index count) {
  for (; elites_from_ < count; ++elites_from_) elites_.add(history_, elites_from_);
}

// Half of it elites, spread by random trade-offs over the front; the rest the newest results.
std::vector<Index> Pareto::training_subset() const {
  const Index most = front_options_.gp_points;
  std::vector<Index> chosen;
  std::vector<bool> taken(static_cast<std::size_t>(elites_.size()), false);
  const auto take = [&](Index k) {
    taken[static_cast<std::size_t>(k)] = true;
    chosen.push_back(elites_.indices()[static_cast<std::size_t>(k)]);
  };
  if (elites_.size() <= most / 2) {
    for (Index k = 0; k < elites_.size(); ++k) take(k);
  } else {
    const Matrix U = ranges_.distances(elites_.values());
    Rng rng(common_.seed, "pareto-subset", static_cast<std::uint64_t>(trained_));
    while (std::ssize(chosen) < most / 2) {
      const Vector w = random_weights(objectives_, rng);
      Index best = -1;
      double highest = 0.0;
      for (Index k = 0; k < U.cols(); ++k) {
        if (taken[static_cast<std::size_t>(k)]) continue;
        const double score = chebyshev(U.col(k), w);
        if (best >= 0 && !(score > highest)) continue;
        best = k;
        highest = score;
      }
      take(best);
    }
  }
  // A quarter of all, so that the models know the whole space; the newest ones.
  std::ranges::sort(chosen);
  std::vector<bool> used(static_cast<std::size_t>(trained_), false);
  for (const Index i : chosen) used[static_cast<std::size_t>(i)] = true;
  const auto add = [&](Index i) {
    if (used[static_cast<std::size_t>(i)] || values_of(history_, i, objectives_).size() == 0)
      return;
    used[static_cast<std::size_t>(i)] = true;
    chosen.push_back(i);
  };
  const Index first = std::min(trained_, std::max<Index>(most / 4, 1));
  if (trained_ > most) {
    for (Index i = 0; i < first; ++i) add(i);
  }
  for (Index i = trained_ - 1; i >= 0 && std::ssize(chosen) < most; --i) add(i);
  std::ranges::sort(chosen);
  return chosen;
}

// A front that has only begun says little about how far values matter: the first results, which are
// spread over the space, say it, the less the more results there are.
void Pareto::set_ranges() {
  ranges_ = ObjectiveRanges::of(elites_.values(), common_.objectives);
  const Index first = std::min(std::max(design_size(), Index{common_.batch}), trained_);
  std::vector<std::vector<double>> distances(static_cast<std::size_t>(objectives_));
  for (Index i = 0; i < first; ++i) {
    const Vector y = values_of(history_, i, objectives_);
    for (Index m = 0; m < y.size(); ++m) {
      distances[static_cast<std::size_t>(m)].push_back(ranges_.ideal[m] - y[m]);
    }
  }
  for (Index m = 0; m < objectives_; ++m) {
    std::vector<double>& d = distances[static_cast<std::size_t>(m)];
    if (d.empty()) continue;
    const auto middle = d.begin() + std::ssize(d) / 2;
    std::ranges::nth_element(d, middle);
    const double spread = *middle * static_cast<double>(first) / static_cast<double>(trained_);
    const bool is_single = elites_.values().row(m).minCoeff() == ranges_.ideal[m];
    if (std::isfinite(spread) && (spread > ranges_.width[m] || (is_single && spread > 0.0))) {
      ranges_.width[m] = spread;
    }
  }
}

void Pareto::set_training() {
  set_ranges();
  const std::vector<Index> subset = training_subset();
  X_.resize(encoding_.dimension(), std::ssize(subset));
  Matrix Y(objectives_, X_.cols()), errors;
  for (Index k = 0; k < X_.cols(); ++k) {
    const Index i = subset[static_cast<std::size_t>(k)];
    X_.col(k) = history_.code(i);
    Y.col(k) = values_of(history_, i, objectives_);
    const std::span<const double> error = history_.standard_error(i);
    if (std::ssize(error) != objectives_) continue;
    if (errors.size() == 0) errors = Matrix::Zero(objectives_, X_.cols());
    errors.col(k) = Eigen::Map<const Vector>(error.data(), objectives_);
  }
  scaling_ = Scaling::of(ranges_, X_, Y);
  V_ = scaling_.outcomes(Y);
  models_.set_known_variances(scaling_.variances(Y, errors));
  fit_feasibility(feasibility_, encoding_, history_, gp_, trained_, kFeasibilityPoints, true,
                  Rng(common_.seed, "pareto-feasibility", static_cast<std::uint64_t>(trained_)));
}

// A function of what was trained, so that whoever resumes finds the same candidates.
void Pareto::search() {
  if (by_ehvi_) return;
  std::vector<Index> used(elites_.indices().begin(), elites_.indices().end());
  std::vector<Index> columns(used.size());
  for (std::size_t k = 0; k < columns.size(); ++k) columns[k] = static_cast<Index>(k);
  Rng rng(common_.seed, "pareto-elites", static_cast<std::uint64_t>(rounds_));
  if (std::ssize(columns) > kElitesUsed) {
    rng.shuffle(std::span(columns));
    columns.resize(kElitesUsed);
    for (Index m = 0; m < objectives_; ++m) {  // the best of each objective are among them
      Index best = 0;
      elites_.values().row(m).maxCoeff(&best);
      columns[static_cast<std::size_t>(m)] = best;
    }
  }
  Matrix codes(encoding_.dimension(), std::ssize(columns));
  for (Index k = 0; k < codes.cols(); ++k) {
    const Index at = columns[static_cast<std::size_t>(k)];
    codes.col(k) = history_.code(used[static_cast<std::size_t>(at)]);
  }
  candidates_ = make_candidates({encoding_, models_, feasibility_, codes},
                                {.generations = front_options_.model_generations,
                                 .count = std::max(front_options_.candidates, 4 * common_.batch),
                                 .ascents = std::clamp<std::int64_t>(common_.batch, 8, 64),
                                 .feasible = elites_.feasible(),
                                 .threads = common_.threads},
                                common_.seed, static_cast<std::uint64_t>(rounds_));
  front_before_.reset();
  if (elites_.feasible()) front_before_ = rays_above_front();
}

std::string Pareto::snapshot() const {
  StateWriter out;
  out.put(kParetoFormat).put(designed_).put(rounds_).put<std::int64_t>(trained_).put(shares_);
  if (rounds_ > 0) models_.write(out);
  return out.take();
}

Result<void> Pareto::restore(std::string_view snapshot, std::span<const Trial> history) {
  StateReader in(snapshot);
  in.expect(kParetoFormat);
  designed_ = in.get_count();
  rounds_ = in.get_count();
  history_.restore(history);
  note_kinds(history);
  trained_ = in.get_count(history_.size());
  shares_ = in.get_numbers(1.0);
  if (rounds_ > 0) models_.read(in);
  const Error damaged{ErrorKind::damaged, "the snapshot is not one of pareto and this space"};
  const bool has_shares = shares_.size() == kKinds && shares_.minCoeff() > 0.0;
  if (!in.complete() || !has_shares || (rounds_ > 0) != (trained_ > 0)) return damaged;
  add_elites(trained_);
  if (rounds_ > 0) {
    if (elites_.size() == 0 || encoding_.dimension() == 0) return damaged;
    set_training();
    if (!models_.condition(X_, V_)) return damaged;
    search();
  }
  add_elites(history_.size());
  for (Index i = 0; i < trained_; ++i) kinds_.erase(history_.id(i));
  return {};
}

}  // namespace vbo::pareto
