// SPDX-License-Identifier: MIT
#include "optim/cmaes/cmaes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "vbo/random.hpp"

namespace vbo {
namespace {

constexpr TermInfo kGeneration{"generation", Unit::count, TermRole::beside,
                               "generations the distribution has learned from"};
constexpr TermInfo kSigma{"sigma", Unit::length, TermRole::beside,
                          "step size of the distribution it was drawn from"};
constexpr TermInfo kRun{"run", Unit::count, TermRole::beside,
                        "starts so far; 0 is the space-filling one"};
constexpr TermInfo kPopulation{"population", Unit::count, TermRole::beside,
                               "results per generation"};
constexpr TermInfo kCondition{"condition", Unit::number, TermRole::beside,
                              "condition of the covariance: how elongated the distribution is"};

constexpr Eigen::Index largest_full_dimension = 200;
constexpr int tries_against_repeats = 20;
constexpr double another_point = 1e-9;  // in widths of the box; less is rounding

// A standard deviation above this fraction of the box samples it almost uniformly and cannot be
// told from a larger one, so sigma would only drift.
constexpr double largest_deviation = 0.6;

Standing median(std::vector<Standing> all) {
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::nth_element(all.begin(), middle, all.end());
  return *middle;
}

}  // namespace

void bind(OptionBinder& b, CmaesOptions& o) {
  b.integer("population", o.population, 0, 100000,
            "results per generation; 0 = the least multiple of batch not below 4 + 3 ln D");
  b.number("sigma0", o.sigma0, 1e-6, 1.0, "first standard deviation, in widths of the box");
  b.choice("start", o.start,
           {{"design", CmaesOptions::Start::design}, {"random", CmaesOptions::Start::random}},
           "first mean: the best of a space-filling first generation, or a random point");
  b.choice("restarts", o.restarts,
           {{"bipop", CmaesOptions::Restarts::bipop},
            {"ipop", CmaesOptions::Restarts::ipop},
            {"none", CmaesOptions::Restarts::none}},
           "after convergence or stagnation: doubled populations, in bipop in turn with small "
           "local ones; none keeps sampling");
  b.choice("covariance", o.covariance,
           {{"auto", CmaesOptions::Covariance::automatic},
            {"full", CmaesOptions::Covariance::full},
            {"diagonal", CmaesOptions::Covariance::diagonal}},
           "full costs D^2 per point and D^3 per update; auto is full up to 200 dimensions");
  b.number("tolerance", o.tolerance, 1e-15, 0.1,
           "a run has converged when all deviations are below, in widths of the box");
}

Cmaes::Cmaes(const Space& space, const OptimizerOptions& common, CmaesOptions options)
    : encoding_(space),
      order_(Order::maximizing(space)),
      history_(encoding_),
      design_(encoding_, common.seed),
      box_(encoding_),
      options_(std::move(options)),
      seed_(common.seed) {
  diagonal_ = options_.covariance == CmaesOptions::Covariance::diagonal ||
              (options_.covariance == CmaesOptions::Covariance::automatic &&
               encoding_.dimension() > largest_full_dimension);
  population_ = options_.population > 0 ? std::max<std::int64_t>(options_.population, 2)
                                        : first_population(common.batch);
  run_.population = population_;
  if (options_.start == CmaesOptions::Start::random) start_first_run();
}

std::int64_t Cmaes::first_population(std::int64_t batch) const {
  const double n = std::max(1.0, static_cast<double>(encoding_.dimension()));
  const auto least = static_cast<std::int64_t>(4.0 + 3.0 * std::log(n));
  batch = std::max<std::int64_t>(batch, 1);
  return (least + batch - 1) / batch * batch;
}

std::vector<Suggestion> Cmaes::ask(std::span<const TrialId> ids) {
  std::vector<Suggestion> suggestions;
  suggestions.reserve(ids.size());
  const Vector scale = run_.strategy ? sampling_scale() : Vector();
  for (const TrialId id : ids) suggestions.push_back(suggest(id, scale));
  return suggestions;
}

Suggestion Cmaes::suggest(TrialId id, ConstVectorRef scale) {
  Rng rng(seed_, "cmaes", static_cast<std::uint64_t>(id));
  Suggestion suggestion;
  Asked asked;
  if (!run_.strategy) {
    const Vector x = design_.code(static_cast<std::uint64_t>(designed_++));
    asked = {box_.from_code(x), 0, 0};
    suggestion = {encoding_.decode(x), {.source = "design"}};
  } else {
    asked = sample(rng, scale);
    suggestion.point = encoding_.decode(box_.to_code(asked.genotype));
    for (int i = 0; i < tries_against_repeats && is_repeat(suggestion.point); ++i) {
      asked = sample(rng, scale);
      suggestion.point = encoding_.decode(box_.to_code(asked.genotype));
    }
    suggestion.rationale.source = "cmaes";
    suggestion.rationale.add(kGeneration, static_cast<double>(asked.generation));
    suggestion.rationale.add(kSigma, run_.strategy->sigma());
  }
  // Where even that only repeats, any point not seen yet tells more than an old one.
  for (int i = 0; i < tries_against_repeats && is_repeat(suggestion.point); ++i) {
    asked.genotype = random_genotype(rng);
    suggestion.point = encoding_.decode(box_.to_code(asked.genotype));
  }
  if (box_.is_discrete()) history_.asked(id, suggestion.point);
  pending_[id] = std::move(asked);
  return suggestion;
}

// x = m + sigma scale*y, y ~ N(0, C).
Cmaes::Asked Cmaes::sample(Rng& rng, ConstVectorRef scale) const {
  Vector z(encoding_.dimension());
  for (double& coordinate : z) coordinate = rng.normal();
  const cmaes::Strategy& s = *run_.strategy;
  const Vector genotype = s.mean() + s.sigma() * scale.cwiseProduct(s.transform(z));
  // A step that left the box counts as the step to where it was evaluated. Left outside, wide
  // distributions see a mirrored, ever larger landscape and keep growing: on a 10-dimensional
  // sphere that costs a population of 64 about ten generations.
  if (box_.is_real()) return {box_.from_code(box_.to_code(genotype)), run_.index, s.generation()};
  return {genotype, run_.index, s.generation()};
}

Vector Cmaes::sampling_scale() const {
  const Vector least = box_.least_deviations(run_.strategy->mean());
  return least.cwiseQuotient(run_.strategy->deviations()).cwiseMax(1.0);
}

Vector Cmaes::random_genotype(Rng& rng) const {
  Vector x(encoding_.dimension());
  for (double& coordinate : x) coordinate = rng.uniform();
  return box_.from_code(x);
}

bool Cmaes::is_repeat(const Point& point) const {
  return box_.is_discrete() && history_.contains(encoding_.encode(point));
}

void Cmaes::tell(std::span<const Trial> finished) {
  if (box_.is_discrete()) history_.told(finished);
  for (const Trial& trial : finished) {
    Told told{trial.id, order_.standing(trial), {}};
    if (const auto found = pending_.find(trial.id); found != pending_.end()) {
      told.from = std::move(found->second);
      pending_.erase(found);
      const Vector code = encoding_.encode(trial.point);
      const Vector ours = encoding_.encode(encoding_.decode(box_.to_code(told.from.genotype)));
      // Something else was set than we had suggested: that is what was learned about.
      if (code.size() > 0 && (code - ours).cwiseAbs().maxCoeff() > another_point) {
        told.from.genotype = box_.from_code(code);
      }
    } else {
      told.from = {box_.from_code(encoding_.encode(trial.point)), 0, -1};
    }
    if (is_useful(told)) run_.results.push_back(std::move(told));
  }
  if (static_cast<std::int64_t>(run_.results.size()) >= run_.population) finish_generation();
}

bool Cmaes::is_useful(const Told& result) const {
  if (encoding_.dimension() == 0) return false;
  if (!run_.strategy) return true;
  // Measured with 1 to 6 generations in flight in 10 dimensions: keeping everything of the run
  // stalls it, keeping only the current generation takes up to 1.6 times as many evaluations.
  const bool recent = result.from.generation + 1 >= run_.strategy->generation();
  if (result.from.run == run_.index && recent) return true;
  Standing best = run_.best;
  for (const Told& other : run_.results) best = std::max(best, other.standing);
  return result.standing > best;
}

void Cmaes::finish_generation() {
  std::vector<Told> results = std::move(run_.results);
  run_.results.clear();
  std::sort(results.begin(), results.end(), [](const Told& a, const Told& b) {
    return a.standing != b.standing ? a.standing > b.standing : a.id < b.id;
  });
  if (large_restarts_ > 0) {  // the first run belongs to neither regime
    (run_.small ? small_evaluations_ : large_evaluations_) +=
        static_cast<std::int64_t>(results.size());
  }
  run_.best = std::max(run_.best, results.front().standing);
  ++generations_;
  if (!run_.strategy) {
    run_.results = std::move(results);
    start_first_run();
    return;
  }
  // A generation of failures alone has no ranks to learn from.
  if (results.front().standing.has_failed()) return;

  cmaes::Strategy& s = *run_.strategy;
  const auto n = static_cast<double>(encoding_.dimension());
  const double longest = std::sqrt(n) + 2.0 * n / (n + 2.0);
  const Vector scale = sampling_scale();
  Matrix Y(encoding_.dimension(), static_cast<Eigen::Index>(results.size()));
  for (std::size_t i = 0; i < results.size(); ++i) {
    auto y = Y.col(static_cast<Eigen::Index>(i));
    y = (results[i].from.genotype - s.mean()).cwiseQuotient(s.sigma() * scale);
    const bool fresh =
        results[i].from.run == run_.index && results[i].from.generation == s.generation();
    if (!fresh) y *= std::min(1.0, longest / std::max(s.mahalanobis(y), 1e-300));
  }
  s.update(Y, scale);
  box_.confine(s.mean());
  s.set_sigma(s.sigma() * std::min(1.0, largest_deviation / s.deviations().maxCoeff()));

  const auto quarter = results.size() / 4;
  const bool flat = results[quarter].standing == results.front().standing && quarter > 0;
  run_.flat_generations = flat ? run_.flat_generations + 1 : 0;
  run_.best_history.push_back(results.front().standing);
  run_.median_history.push_back(results[results.size() / 2].standing);
  const auto window =
      static_cast<std::size_t>(120.0 + 30.0 * n / static_cast<double>(run_.population));
  if (run_.best_history.size() > window) {
    run_.best_history.erase(run_.best_history.begin());
    run_.median_history.erase(run_.median_history.begin());
  }
  if (options_.restarts == CmaesOptions::Restarts::none) return;
  if (const std::string why = why_end(); !why.empty()) {
    last_end_ = "run " + std::to_string(run_.index) + " ended: " + why;
    restart();
  }
}

void Cmaes::start_first_run() {
  Vector mean;
  for (const Told& result : run_.results) {
    if (result.standing == run_.best && mean.size() == 0) mean = result.from.genotype;
  }
  // Without a design, or when all of it failed, any point is as good.
  Rng rng(seed_, "cmaes-start", 0);
  if (mean.size() == 0 || run_.best.has_failed()) mean = random_genotype(rng);
  run_.results.clear();
  run_.index = 1;
  run_.strategy.emplace(std::move(mean), options_.sigma0, diagonal_);
}

std::string Cmaes::why_end() const {
  const cmaes::Strategy& s = *run_.strategy;
  if (s.deviations().maxCoeff() < options_.tolerance) return "converged";
  if (s.condition() > 1e14) return "its covariance became singular";
  if (run_.flat_generations >= 3) return "the best quarter of its results was equal";
  if (stagnates()) return "stagnated";
  return {};
}

// Neither the best nor the median value of the newest 30% of generations is better than those of
// the oldest 30% of the window. Compares ranks only.
bool Cmaes::stagnates() const {
  const auto n = static_cast<double>(encoding_.dimension());
  const std::size_t size = run_.best_history.size();
  if (static_cast<double>(size) < 120.0 + 30.0 * n / static_cast<double>(run_.population) - 1.0) {
    return false;
  }
  const auto part = static_cast<std::ptrdiff_t>(3 * size / 10);
  const auto worse = [part](const std::vector<Standing>& h) {
    return median({h.end() - part, h.end()}) <= median({h.begin(), h.begin() + part});
  };
  return worse(run_.best_history) && worse(run_.median_history);
}

// BIPOP as in [Hansen2009], "Benchmarking a BI-population CMA-ES": a small run while small runs
// have used fewer evaluations than large ones, else a large one with twice the population.
void Cmaes::restart() {
  Run next;
  next.index = run_.index + 1;
  Rng rng(seed_, "cmaes-start", static_cast<std::uint64_t>(next.index));
  const auto large = [this] { return population_ << std::min(large_restarts_, kMostDoublings); };
  double sigma = options_.sigma0;
  next.small = options_.restarts == CmaesOptions::Restarts::bipop && large_restarts_ > 0 &&
               small_evaluations_ < large_evaluations_;
  if (next.small) {
    const double ratio = 0.5 * static_cast<double>(large()) / static_cast<double>(population_);
    const double u = rng.uniform();
    next.population =
        static_cast<std::int64_t>(static_cast<double>(population_) * std::pow(ratio, u * u));
    sigma *= std::pow(10.0, -2.0 * rng.uniform());
  } else {
    ++large_restarts_;
    next.population = large();
  }
  next.strategy.emplace(random_genotype(rng), sigma, diagonal_);
  run_ = std::move(next);
}

const Ledger& Cmaes::declared() {
  static const Ledger all{{kGeneration, kSigma}, {kRun, kPopulation, kCondition}};
  return all;
}

AskReport Cmaes::report() const {
  AskReport report;
  report.round = generations_;
  report.message = last_end_;
  report.values = {kRun.of(static_cast<double>(run_.index)),
                   kPopulation.of(static_cast<double>(run_.population))};
  if (run_.strategy) {
    report.deviation = run_.strategy->sigma();
    report.values.push_back(kCondition.of(run_.strategy->condition()));
  }
  return report;
}

}  // namespace vbo
