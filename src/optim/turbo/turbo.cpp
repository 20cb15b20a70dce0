// SPDX-License-Identifier: MIT
#include "optim/turbo/turbo.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "numerics/sobol.hpp"
#include "optim/state_bytes.hpp"
#include "optim/success_bar.hpp"
#include "optim/surrogate/gp_method.hpp"
#include "optim/surrogate/ledger.hpp"
#include "optim/surrogate/training.hpp"

namespace vbo {
namespace {

using Eigen::Index;

constexpr std::uint32_t kTurboFormat = 0x54524202;  // "TRB", version 2
constexpr TermInfo kRegionSide{"length", Unit::length, TermRole::beside,
                               "side of the trust region"};
constexpr TermInfo kRestarts{"restarts", Unit::count, TermRole::beside,
                             "trust regions given up so far"};
constexpr TermInfo kLogLikelihood{"log_likelihood", Unit::number, TermRole::beside,
                                  "of the results in the region, by the last fit"};
constexpr Index kDrawnAhead = 256;  // functions at most that are drawn before they are asked for

// Ranges and starts of the paper's supplement; no hyper-priors.
GpOptions model_options(const Encoding& encoding, int threads) {
  GpOptions o = GpOptions::standard(encoding.dimension());
  for (const Encoding::Block& block : encoding.blocks()) {
    if (block.width > 1) o.tie(block.offset, block.width);
  }
  o.lengthscale_prior = o.variance_prior = o.noise_prior = {};
  o.lengthscale_low = 0.005, o.lengthscale_high = 2.0, o.lengthscale_start = 0.5;
  o.variance_low = 0.05, o.variance_high = 20.0, o.variance_start = 1.0;
  o.noise_low = 5e-4, o.noise_high = 0.2, o.noise_start = 0.005;
  o.max_iterations = 50;
  o.threads = threads;
  return o;
}

GpOptions feasibility_options(const Encoding& encoding, int threads) {
  GpOptions o = gp_options(encoding, {});
  o.threads = threads;
  return o;
}

// Latin hypercube: centres (2i+1)/(2n), permuted per dimension, jittered within their cell.
Matrix latin_hypercube(Index d, Index n, Rng& rng) {
  Matrix U(d, n);
  for (Index k = 0; k < d; ++k) {
    const std::vector<std::size_t> order = rng.permutation(static_cast<std::size_t>(n));
    for (Index i = 0; i < n; ++i) {
      const double cell = static_cast<double>(order[static_cast<std::size_t>(i)]);
      U(k, i) = (cell + rng.uniform()) / static_cast<double>(n);
    }
  }
  return U;
}

// u in [0,1) per parameter -> code: numbers as they are, choices by equal shares.
Vector code_of(const Encoding& encoding, ConstVectorRef u) {
  Vector x = Vector::Zero(encoding.dimension());
  for (std::size_t b = 0; b < encoding.blocks().size(); ++b) {
    const Encoding::Block& block = encoding.blocks()[b];
    const double value = u[static_cast<Index>(b)];
    if (block.kind != ParameterKind::categorical) {
      x[block.offset] = value;
    } else {
      const auto choice = static_cast<Index>(value * static_cast<double>(block.width));
      x[block.offset + std::min(choice, block.width - 1)] = 1.0;
    }
  }
  return x;
}

}  // namespace

void bind(OptionBinder& b, TurboOptions& o) {
  b.integer("initial", o.initial, 0, 100000, "points of each fresh start; 0 = 2 per parameter");
  b.number("length_start", o.length_start, 1e-3, 2.0, "side of the first trust region");
  b.number("length_min", o.length_min, 1e-9, 1.0, "a smaller region is given up");
  b.number("length_max", o.length_max, 0.1, 10.0, "a region never grows beyond this side");
  b.integer("successes", o.successes, 1, 1000, "improving rounds in a row before the side doubles");
  b.integer("failures", o.failures, 0, 100000,
            "other rounds in a row before it halves; 0 = max(4, parameters) / batch, rounded up");
  b.integer("candidates", o.candidates, 0, 20000,
            "points on which posterior draws are compared; 0 = 100 per parameter, at most 5000");
  b.integer("max_points", o.max_points, 10, 20000,
            "results nearest to the centre that the model looks at; cost is cubic in it");
}

Vector turbo_weights(ConstVectorRef lengthscales) {
  const Vector logs = lengthscales.array().log();
  return (logs.array() - logs.mean()).exp();
}

Turbo::Turbo(const Space& space, const OptimizerOptions& common, const TurboOptions& options)
    : encoding_(space),
      options_(options),
      seed_(common.seed),
      batch_(std::max<std::int64_t>(1, common.batch)),
      threads_(common.threads),
      history_(encoding_),
      model_(model_options(encoding_, threads_)) {
  region_.length = options_.length_start;
}

std::int64_t Turbo::initial() const {
  return options_.initial > 0 ? options_.initial : 2 * parameters();
}

std::int64_t Turbo::failure_tolerance() const {
  if (options_.failures > 0) return options_.failures;
  const std::int64_t most = std::max<std::int64_t>(4, parameters());
  return (most + batch_ - 1) / batch_;
}

Standing Turbo::best_between(std::int64_t from, std::int64_t to) const {
  Standing best;
  for (std::int64_t i = from; i < to; ++i) best = std::max(best, history_.standing(i));
  return best;
}

namespace {

// Better than before by 0.1%: in value, or in 1 + violation while nothing is feasible.
bool is_success(const Standing& now, const Standing& before) {
  if (now.kind != before.kind) return now.kind > before.kind;
  const double shift = now.is_feasible() ? 0.0 : 1.0;
  const double old = before.amount - shift;
  return now.amount - shift > old + 1e-3 * std::abs(old);
}

}  // namespace

// A round is `batch` results; a success when it beats everything before it in the region.
void Turbo::update_region() {
  while (history_.size() - region_.counted >= batch_) {
    const std::int64_t from = region_.counted, to = from + batch_;
    region_.counted = to;
    const Standing before = best_between(region_.start, from);
    if (from - region_.start < initial() || before.has_failed()) continue;  // still the fresh start
    if (is_success(best_between(from, to), before)) {
      ++region_.successes;
      region_.failures = 0;
    } else {
      ++region_.failures;
      region_.successes = 0;
    }
    if (region_.successes >= options_.successes) {
      region_.length = std::min(2.0 * region_.length, options_.length_max);
      region_.successes = 0;
    } else if (region_.failures >= failure_tolerance()) {
      region_.length *= 0.5;
      region_.failures = 0;
    }
    if (region_.length < options_.length_min) {
      const std::int64_t restarts = region_.restarts + 1;
      region_ = {.length = options_.length_start, .restarts = restarts, .start = to, .counted = to};
      latin_.resize(0, 0);
      model_ = GaussianProcess(model_options(encoding_, threads_));
      fitted_ = 0;
      draws_ = {};
    }
  }
}

Vector Turbo::latin_point(Rng& rng, std::int64_t count) {
  constexpr int tries = 200;  // in a discrete space a cell may hold a point already known
  Vector x = Vector::Zero(encoding_.dimension());
  for (int i = 0; i < tries && parameters() > 0; ++i) {
    if (region_.designed >= latin_.cols()) {
      latin_ = latin_hypercube(parameters(), std::max(initial(), count), rng);
      region_.designed = 0;
    }
    x = code_of(encoding_, latin_.col(region_.designed++));
    encoding_.snap(x);
    if (!history_.contains(x)) break;
  }
  return x;
}

void Turbo::fit(std::int64_t count) {
  std::vector<Index> local;
  Index best = -1;
  for (Index i = region_.start; i < count; ++i) {
    local.push_back(i);
    const bool good = !history_.standing(i).has_failed();
    if (good && (best < 0 || history_.standing(i) > history_.standing(best))) best = i;
  }
  best_ = best;
  centre_ = history_.code(best);
  if (static_cast<std::int64_t>(local.size()) > options_.max_points) {
    const auto distance = [&](Index i) { return (history_.code(i) - centre_).squaredNorm(); };
    std::vector<std::pair<double, Index>> ranked;
    ranked.reserve(local.size());
    for (const Index i : local) ranked.emplace_back(distance(i), i);
    std::nth_element(ranked.begin(), ranked.begin() + options_.max_points, ranked.end());
    local.clear();
    for (std::int64_t k = 0; k < options_.max_points; ++k) {
      local.push_back(ranked[static_cast<std::size_t>(k)].second);
    }
    std::sort(local.begin(), local.end());
  }
  // What has failed or violates limits is the business of the models of feasibility.
  fit_feasibility(feasibility_, encoding_, history_, feasibility_options(encoding_, threads_),
                  local, Feasibility::Limits::sampled,
                  Rng(seed_, "turbo-feasibility", static_cast<std::uint64_t>(count)));
  std::erase_if(local, [&](Index i) { return std::isnan(history_.value(i)); });
  Matrix X(encoding_.dimension(), static_cast<Index>(local.size()));
  for (Index i = 0; i < X.cols(); ++i) X.col(i) = history_.code(local[static_cast<std::size_t>(i)]);
  state_before_fit_ = model_.state();
  fitted_ = count;
  draws_ = {};
  model_.set_known_variances(training_errors(history_, local).cwiseAbs2());
  fit_report_ = model_.fit(X, training_values(history_, local, count),
                           Rng(seed_, "turbo-fit", static_cast<std::uint64_t>(count)));
}

// Sobol points in the box, each keeping a random share of the centre's coordinates: about 20 move.
Matrix Turbo::candidates(Rng& rng) const {
  const Index d = parameters();
  const Index m = options_.candidates > 0 ? options_.candidates : std::min<Index>(100 * d, 5000);
  const Vector half = 0.5 * region_.length * turbo_weights(model_.parameters().lengthscales);
  const double moved = std::min(1.0, 20.0 / static_cast<double>(d));
  SobolSequence sobol(static_cast<int>(d), Rng(rng(), "turbo-candidates"));
  Matrix C(encoding_.dimension(), m);
  Vector u(d);
  for (Index i = 0; i < m; ++i) {
    sobol.next({u.data(), static_cast<std::size_t>(d)});
    Vector x = centre_;
    const auto kept_anyway = static_cast<Index>(rng.below(static_cast<std::uint64_t>(d)));
    std::vector<bool> mask(static_cast<std::size_t>(d));
    bool any = false;
    for (Index k = 0; k < d; ++k) {
      mask[static_cast<std::size_t>(k)] = rng.uniform() < moved;
      any = any || mask[static_cast<std::size_t>(k)];
    }
    if (!any) mask[static_cast<std::size_t>(kept_anyway)] = true;
    for (Index k = 0; k < d; ++k) {
      if (!mask[static_cast<std::size_t>(k)]) continue;
      const Encoding::Block& block = encoding_.blocks()[static_cast<std::size_t>(k)];
      if (block.kind == ParameterKind::categorical) {
        const auto choice = static_cast<Index>(u[k] * static_cast<double>(block.width));
        x.segment(block.offset, block.width).setZero();
        x[block.offset + std::min(choice, block.width - 1)] = 1.0;
      } else {
        const double low = std::max(0.0, centre_[block.offset] - half[k]);
        const double high = std::min(1.0, centre_[block.offset] + half[k]);
        x[block.offset] = low + (high - low) * u[k];
      }
    }
    encoding_.snap(x);
    C.col(i) = x;
  }
  return C;
}

// From a stream of the ask's own, so that a resumed study can draw them again.
Turbo::Draws Turbo::draw(std::int64_t ask, Index count) const {
  Rng rng(seed_, "turbo-ask", static_cast<std::uint64_t>(ask));
  Draws made{.ask = ask, .codes = candidates(rng)};
  const Matrix& C = made.codes;
  made.values = model_.sample_functions(C, count, true, Rng(rng(), "turbo-draws"));
  // With draws of the constraints beside those of the objective: the best of those that are
  // feasible in the draw, the least violating where none is (SCBO, Eriksson and Poloczek 2021).
  made.outside = Matrix::Zero(C.cols(), count);
  if (feasibility_.knows_anything()) {
    made.outside = feasibility_.violations(C, count, Rng(rng(), "turbo-violations"));
  }
  // Where the only question is whether evaluations fail, draws would prefer the most favourable
  // side of the border: there the probability decides.
  if (feasibility_.knows_failures() && encoding_.space().limits().empty()) {
    const Vector p = feasibility_.log_probability(C).array().exp();
    const double bar = success_bar(p, 2 * count, kSuccessWanted);
    made.outside.colwise() = Vector((bar - p.array()).max(0.0));
    const auto probes = static_cast<Index>(kProbingShare * static_cast<double>(count));
    made.outside.leftCols(probes).colwise() = Vector((kSuccessProbed - p.array()).max(0.0));
  }
  return made;
}

std::vector<Suggestion> Turbo::ask(std::span<const TrialId> ids) {
  std::vector<Suggestion> suggestions;
  Rng rng(seed_, "turbo-ask", static_cast<std::uint64_t>(asks_++));
  const auto suggest = [&](TrialId id, const Vector& x, const char* source,
                           std::optional<double> draw = std::nullopt) {
    Rationale why{.source = source, .acquisition = draw};
    if (draw) {
      why.add(kDraw, *draw);
      why.add(kRegionSide, region_.length);
    }
    suggestions.push_back({encoding_.decode(x), std::move(why)});
    history_.asked(id, suggestions.back().point);
  };
  update_region();
  const std::int64_t count = history_.size(), local = count - region_.start;
  const bool learned = !best_between(region_.start, count).has_failed() && parameters() > 0;
  std::size_t next = 0;
  const auto wanted = static_cast<std::int64_t>(ids.size());
  const std::int64_t out = static_cast<std::int64_t>(history_.open().size());
  const std::int64_t design =
      learned ? std::clamp(initial() - local - out, std::int64_t{0}, wanted) : wanted;
  for (; static_cast<std::int64_t>(next) < design; ++next) {
    suggest(ids[next], latin_point(rng, design), "design");
  }
  if (next == ids.size()) return suggestions;

  if (fitted_ != count) fit(count);
  const auto q = static_cast<Index>(ids.size() - next);
  if (draws_.left() < q)
    draws_ = draw(asks_ - 1, std::max(q, std::min<Index>(batch_, kDrawnAhead)));
  const Matrix& C = draws_.codes;
  std::vector<bool> taken(static_cast<std::size_t>(C.cols()), false);
  for (Index i = 0; i < C.cols(); ++i) {
    taken[static_cast<std::size_t>(i)] = history_.contains(C.col(i));
  }
  for (; next < ids.size(); ++next) {
    const auto value = draws_.values.col(draws_.used), outside = draws_.outside.col(draws_.used);
    ++draws_.used;
    Index best = -1;
    for (Index i = 0; i < C.cols(); ++i) {
      if (taken[static_cast<std::size_t>(i)]) continue;
      const bool closer = best >= 0 && outside[i] < outside[best];
      const bool better = best >= 0 && outside[i] == outside[best] && value[i] > value[best];
      if (best < 0 || closer || better) best = i;
    }
    if (best < 0) {  // every candidate was evaluated: look outside the region
      suggest(ids[next], latin_point(rng, q), "design");
      continue;
    }
    suggest(ids[next], C.col(best), "thompson", value[best]);
    for (Index i = 0; i < C.cols(); ++i) {  // in discrete spaces several candidates are one point
      if (((C.col(i) - C.col(best)).array().abs() <= 1e-7).all()) {
        taken[static_cast<std::size_t>(i)] = true;
      }
    }
  }
  return suggestions;
}

void Turbo::tell(std::span<const Trial> finished) { history_.told(finished); }

const Ledger& Turbo::declared() {
  static const Ledger all{{kDraw, kRegionSide}, {kRegionSide, kRestarts, kLogLikelihood}};
  return all;
}

AskReport Turbo::report() const {
  AskReport report;
  report.round = asks_;
  report.values = {kRegionSide.of(region_.length),
                   kRestarts.of(static_cast<double>(region_.restarts)),
                   kLogLikelihood.of(fit_report_.objective)};
  if (fitted_ == 0 || !history_.feasible(best_)) return report;
  const auto p = model_.marginals(centre_);
  report.recommendation =
      Recommendation{history_.id(best_), p->mean()[0], std::sqrt(p->variance()[0])};
  return report;
}

std::string Turbo::snapshot() const {
  StateWriter out;
  out.put(kTurboFormat).put(asks_).put(fitted_).put(region_.length);
  for (const std::int64_t count : {region_.successes, region_.failures, region_.restarts,
                                   region_.start, region_.counted, region_.designed}) {
    out.put(count);
  }
  out.put(latin_).put(state_before_fit_);
  out.put(draws_.ask).put<std::int64_t>(draws_.values.cols()).put<std::int64_t>(draws_.used);
  return out.take();
}

Result<void> Turbo::restore(std::string_view snapshot, std::span<const Trial> history) {
  StateReader in(snapshot);
  in.expect(kTurboFormat);
  asks_ = in.get_count();
  history_.restore(history);
  const std::int64_t results = history_.size(), out = std::ssize(history_.open());
  const std::int64_t fitted = in.get_count(results);
  constexpr double tiny = 1e-12;
  region_.length = in.get_number(tiny, std::max(options_.length_start, options_.length_max));
  region_.successes = in.get_count(options_.successes);
  region_.failures = in.get_count(failure_tolerance());
  region_.restarts = in.get_count();
  region_.start = in.get_count(results);
  region_.counted = in.get_count(results, region_.start);
  region_.designed = in.get_count();
  latin_ = in.get_columns(parameters(), StateReader::kMostCount, 1.0);
  if (latin_.cols() == 0) latin_.resize(0, 0);  // as it is before there is a design
  const Vector state = in.get_numbers(StateReader::kInfinity);
  const std::int64_t drawn_in = in.get_count(asks_, -1);
  const std::int64_t drawn = in.get_count(std::max<Index>(results + out, kDrawnAhead));
  const std::int64_t used = in.get_count(drawn);
  const bool fits = fitted == 0
                        ? drawn_in < 0
                        : parameters() > 0 && !best_between(region_.start, fitted).has_failed();
  if (!in.complete() || !fits || region_.designed > latin_.cols() ||
      (latin_.size() > 0 && latin_.minCoeff() < 0.0) || (fitted > 0 && !model_.set_state(state))) {
    return Error{ErrorKind::damaged, "the snapshot is not one of this method and version"};
  }
  // The last fit again, from the same start: the same model, bit for bit.
  if (fitted > 0) {
    fit(fitted);
    if (drawn_in >= 0) {
      draws_ = draw(drawn_in, drawn);
      draws_.used = used;
    }
  }
  return {};
}

}  // namespace vbo
