// SPDX-License-Identifier: MIT
#include "optim/vbo/restart.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>

#include "core/normal.hpp"
#include "numerics/parallel.hpp"
#include "numerics/scores.hpp"
#include "optim/vbo/constants.hpp"

namespace vbo {
namespace {

constexpr double kFailed = -std::numeric_limits<double>::infinity();
constexpr std::uint64_t kSeedStep = 1'000'003;  // between the seeds of restarts

OptimizerOptions seeded(OptimizerOptions common, std::int64_t number) {
  common.seed += kSeedStep * static_cast<std::uint64_t>(number);
  return common;
}

}  // namespace

Restart::Restart(const Encoding& encoding, const OptimizerOptions& common,
                 const VboGpOptions& options, std::int64_t number)
    : encoding_(encoding),
      common_(seeded(common, number)),
      options_(options.vbo),
      has_action_net_(
          has_action_net(options_, common.batch, std::ssize(encoding.numeric_coordinates()))),
      number_(number),
      archive_(encoding),
      coordinates_(encoding),
      networks_(coordinates_.inputs(), options_, common_.seed),
      panel_(networks_, coordinates_, encoding, options, common_),
      action_net_(coordinates_.numeric(), options_, common_.seed),
      local_search_(encoding, options_, common_.seed),
      predictive_variance_(1.0) {}  // of the marginal

void Restart::learn(TrialId id, ConstVectorRef code, double value, double error,
                    std::optional<Source> source) {
  // What the action-net suggests is the local search's: it is updated by the results.
  local_search_.learn(code, value, source == Source::local || source == Source::action_net);
  fresh_.push_back(archive_.size());
  archive_.add(id, code, value, error);
}

double Restart::best() const {
  return archive_.size() > 0 ? archive_.value(archive_.at_rank(0)) : kFailed;
}

Calibration::Nats Restart::train() {
  const int threads = common_.threads;
  const Replay replay = replay_of(archive_);
  Calibration::Nats nats;
  if (rounds_ > 0 && !fresh_.empty()) {
    const NewResults fresh = fresh_results(replay);
    nats = test_information(fresh);
    test_predictions(fresh);
    test_ranks();
  }
  local_search_.advance(archive_, coordinates_);
  const Learning work = panel_.learning(archive_, replay, rounds_);
  side_by_side(threads, work.pieces);
  work.conclude();
  run_model_generations();
  if (has_action_net_ && local_search_.search().running()) {
    action_net_.train(panel_, local_search_.search(), archive_.code(archive_.at_rank(0)),
                      Tuning::action_seeds, rounds_, threads);
  }
  fresh_.clear();
  ++rounds_;
  return nats;
}

Restart::NewResults Restart::fresh_results(const Replay& replay) const {
  const auto N = std::ssize(fresh_);
  NewResults fresh{Matrix(encoding_.dimension(), N), Vector(N), {}};
  for (Eigen::Index i = 0; i < N; ++i) {
    const int index = fresh_[static_cast<std::size_t>(i)];
    fresh.X.col(i) = archive_.code(index);
    fresh.scores[i] = score_of(index, replay);
    fresh.levels.push_back(panel_.levels().level_of(archive_.value(index)));
  }
  return fresh;
}

// Tests the models on results that they have not been trained on, and weighs the critics by it.
Calibration::Nats Restart::test_information(const NewResults& fresh) {
  const OutcomeLevels& levels = panel_.levels();
  const Matrix P = panel_.examine(fresh.X, fresh.levels, common_.threads);
  const Calibration::Nats nats = calibration_.assess(levels, P, fresh.levels);
  calibration_.learn(levels, P, fresh.levels);
  return nats;
}

void Restart::test_ranks() {
  const GaussianActor& search = local_search_.search();
  if (!search.running()) return;
  std::vector<int> near;
  std::ranges::copy_if(fresh_, std::back_inserter(near), [&](int i) {
    return archive_.is_feasible(archive_.value(i)) &&
           search.steps_to(archive_.code(i)) < Tuning::tau_deviations;
  });
  if (near.size() < Tuning::tau_results) return;
  Vector outcomes(std::ssize(near));
  std::ranges::transform(near, outcomes.begin(), [&](int i) { return archive_.value(i); });
  const Matrix X = archive_.codes()(Eigen::all, near);
  const double tau = kendall_tau(panel_.expected(X, common_.threads), outcomes);
  const auto n = static_cast<double>(near.size());
  rank_correlation_ += n / (n + Tuning::tau_memory) * (tau - rank_correlation_);
}

double Restart::trust() const {
  return std::clamp(
      (rank_correlation_ - Tuning::least_tau) / (Tuning::most_tau - Tuning::least_tau), 0.0, 1.0);
}

void Restart::run_model_generations() {
  GaussianActor& search = local_search_.search();
  if (!search.running()) return;
  search.run_model_generations(
      [&](ConstMatrixRef X) { return panel_.expected(X, common_.threads); }, archive_,
      static_cast<int>(std::lround(trust() * static_cast<double>(options_.model_generations))),
      Tuning::model_points, rounds_);
}

// Mean squared error of the surrogate's expected outcomes for the newest results inside its window,
// in normal scores. A full batch counts more than what was known before, a single result little.
void Restart::test_predictions(const NewResults& fresh) {
  const Vector expected = panel_.expected(fresh.X, common_.threads);
  const std::vector<bool> known = panel_.knows(fresh.X);
  double n = 0.0, squares = 0.0;
  for (Eigen::Index i = 0; i < fresh.scores.size(); ++i) {
    if (!known[static_cast<std::size_t>(i)]) continue;
    n += 1.0;
    squares += std::pow(expected[i] - fresh.scores[i], 2.0);
  }
  if (n == 0.0) return;
  const double error = squares / n;
  predictive_variance_ += n / (n + Tuning::error_memory) * (error - predictive_variance_);
}

// Suggestions are chosen for their predictions, so outcomes leave these quantiles more often than
// one time in ten: one time in five on seven functions (research/information.md).
constexpr std::array<double, 3> kRange = {0.05, 0.5, 0.95};

Restart::Forecast Restart::forecast(ConstMatrixRef X) const {
  const OutcomeLevels& levels = panel_.levels();
  const Matrix P = panel_.forecast(X, common_.threads);
  Forecast forecast{calibration_.predicted(levels, P), {}};
  const double lowest = archive_.value_at_rank(archive_.size() - 1);
  // Beyond the best result as far as the highest level lies below it: nothing says how much better
  // than all before a result can be.
  const double best = archive_.value(archive_.at_rank(0));
  const double highest = levels.size() > 1 ? 2.0 * best - levels.edges()[levels.size() - 2] : best;
  for (Eigen::Index i = 0; i < P.cols(); ++i) {
    const Vector p = calibration_.corrected(levels, P.col(i));
    Vector& range = forecast.ranges.emplace_back(3);
    for (Eigen::Index k = 0; k < 3; ++k) {
      range[k] = levels.quantile(p, kRange[static_cast<std::size_t>(k)], lowest, highest);
    }
    if (!archive_.is_feasible(range[1])) range.resize(0);
  }
  return forecast;
}

// Under noise the highest observation is not the best point. Among the best observations, the one
// with the highest outcome when an observation z of variance v_n and a prediction m of variance v_m
// are put together,  (v_n m + v_m z) / (v_n + v_m)  with variance  v_n v_m / (v_n + v_m).  The
// squared error on results the surrogate was not fitted to is v_p = v_m + v_n. Where there is no
// evidence of noise the observation counts alone.
std::optional<Recommendation> Restart::recommendation() {
  int n = 0;  // best results that are feasible
  while (n < std::min(archive_.size(), Tuning::recommend_from) &&
         archive_.is_feasible(archive_.value(archive_.at_rank(n)))) {
    ++n;
  }
  if (n == 0) return std::nullopt;
  const Replay replay = replay_of(archive_);
  Matrix X(encoding_.dimension(), n);
  Vector z(n);
  for (int rank = 0; rank < n; ++rank) {
    const int index = archive_.at_rank(rank);
    X.col(rank) = archive_.code(index);
    z[rank] = score_of(index, replay);
  }
  const double v_p = predictive_variance_;
  const double v_n = std::min(panel_.noise_variance(), v_p);
  const double trust = v_p > 0.0 ? v_n / v_p : 0.0;  // in the prediction
  const Vector m = panel_.expected(X, common_.threads);
  Eigen::Index best = 0;
  const double mean = (trust * m + (1.0 - trust) * z).maxCoeff(&best);
  const double sigma = std::sqrt(trust * (v_p - v_n));
  const auto value_at = [&](double score) {
    const double value =
        archive_.value_at_rank(replay.rank_at(0.5 * std::erfc(score / std::sqrt(2.0))));
    return archive_.is_feasible(value) ? value : archive_.lowest_feasible();
  };
  return Recommendation{archive_.id(archive_.at_rank(static_cast<int>(best))), value_at(mean),
                        0.5 * (value_at(mean + sigma) - value_at(mean - sigma))};
}

bool Restart::has_converged(double spread) const {
  if (!local_search_.usable() || rounds_ == 0) return false;
  const GaussianActor& search = local_search_.search();
  return search.deviation() < Tuning::restart_narrow &&
         search.reach() < Tuning::restart_reach * spread;
}

bool Restart::action_net_works() const {
  return has_action_net_ && rounds_ >= Tuning::action_rounds && local_search_.search().running();
}

double Restart::ei_share(double of_batch) const {
  const GpMember gp = panel_.gp_member();
  if (!gp.model || options_.explore <= 0.0) return 0.0;
  const auto batch = of_batch * static_cast<double>(common_.batch);
  return std::min(Tuning::ei_share * gp.weight, static_cast<double>(options_.ei_points) / batch);
}

Replay Restart::replay_of(const Archive& archive) const {
  const auto fewest = static_cast<int>(std::clamp<std::int64_t>(
      common_.batch, Tuning::smallest_elite, Tuning::smallest_elite_limit));
  return archive.replay(options_.uniform_share, std::clamp(archive.size() / Tuning::elite_part,
                                                           fewest, Tuning::largest_elite));
}

double Restart::score_of(int index, const Replay& replay) const {
  return -normal_quantile(replay.quantile(archive_.shared_rank(index)));
}

void Restart::write(StateWriter& out) const {
  out.put(rounds_).put<std::int64_t>(archive_.size()).put<std::int64_t>(std::ssize(fresh_));
  out.put(predictive_variance_).put(rank_correlation_);
  out.put(coordinates_.neighbourhood().mean).put(coordinates_.neighbourhood().whitening);
  if (has_action_net_) action_net_.write(out);
  local_search_.write(out);
  calibration_.write(out);
  panel_.write(out);
}

void Restart::read(StateReader& in, std::int64_t design) {
  constexpr double steepest = 1e30;    // of the frame; single precision holds its products
  constexpr double most_error = 1e30;  // squared, in normal scores
  const std::int64_t results = archive_.size();
  rounds_ = in.get_count(results);
  if (in.get_count() != results) return in.fail();
  const std::int64_t fresh = in.get_count(results);
  predictive_variance_ = in.get_number(0.0, most_error);
  rank_correlation_ = in.get_number(-1.0, 1.0);
  if (rounds_ > 0 && results - fresh < std::max<std::int64_t>(1, design)) in.fail();
  if (rounds_ > 0 && encoding_.dimension() == 0) in.fail();
  if (!in.ok()) return;
  fresh_.clear();
  for (auto i = archive_.size() - static_cast<int>(fresh); i < archive_.size(); ++i) {
    fresh_.push_back(i);
  }
  const Eigen::Index n = coordinates_.numeric();
  const Vector mean = in.get_vector(n, 2.0);
  const Matrix whitening = in.get_columns(n, std::max<Eigen::Index>(1, n), steepest);
  const Eigen::Index columns = whitening.cols();
  if (n > 0 && columns != 1 && columns != n) in.fail();
  if (!in.ok()) return;
  if (n > 0) coordinates_.move({mean, whitening});
  if (has_action_net_) action_net_.read(in);
  local_search_.read(in, rounds_ > 0);
  calibration_.read(in);
  panel_.read(in);
  if (in.ok() && rounds_ > 0) refit_panel();
}

// The GP and the outcome levels, from the results that were there at the last round.
void Restart::refit_panel() {
  Archive then(encoding_);
  const int results = archive_.size() - static_cast<int>(fresh_.size());
  for (int i = 0; i < results; ++i)
    then.add(archive_.id(i), archive_.code(i), archive_.value(i), archive_.error(i));
  then.sort();
  const Replay replay = replay_of(then);
  panel_.learn(then, replay, rounds_ - 1, common_.threads);
}

}  // namespace vbo
