// SPDX-License-Identifier: MIT
#include "optim/vbo/vbo.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>

#include "core/normal.hpp"
#include "optim/vbo/climb.hpp"

namespace vbo {
namespace {

constexpr double kTolerance = 1e-9;    // two codes closer than this in every coordinate repeat
constexpr int kLargestElite = 400;     // results that half or more of a minibatch come from
constexpr int kImagined = 64;          // points per imagined generation
constexpr int kCategoricalScreen = 4;  // times more proposals where no gradient-like search helps
constexpr double kErrorMemory = 8.0;   // results that what was known before counts as
// More length-scales take the process longer than the critics, and 256 results do not tell them.
constexpr std::ptrdiff_t kMostParameters = 200;
constexpr double kSinglePrecision = 1e-7;  // the same for codes that were in single precision
// Climbing: starts per suggestion, proposals screened per start, and the longest first step. From
// good results and the leader's draws the leader's deviation is long enough.
constexpr double kStarts = 1.5;
constexpr int kClimbScreen = 8;
constexpr double kFirstStep = 0.03;
constexpr std::size_t kClimbTogether = 128;  // suggestions: their distances cost the square of it
constexpr double kApart = 0.02;     // root-mean-square distance wanted between climbed suggestions
constexpr int kRecommendFrom = 64;  // best observations among which a recommendation is sought

double failed_value() { return -std::numeric_limits<double>::infinity(); }

double value_of(const Trial& trial) {
  return trial.value && std::isfinite(*trial.value) ? *trial.value : failed_value();
}

MatrixOf<float> columns(const std::vector<Vector>& codes) {
  MatrixOf<float> X(codes.front().size(), std::ssize(codes));
  for (std::size_t i = 0; i < codes.size(); ++i) {
    X.col(static_cast<Eigen::Index>(i)) = codes[i].cast<float>();
  }
  return X;
}

// Indices of `scores`, the highest first.
std::vector<int> best_first(const VectorOf<float>& scores) {
  std::vector<int> order(static_cast<std::size_t>(scores.size()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return scores[a] > scores[b]; });
  return order;
}

}  // namespace

Vbo::Vbo(const Space& space, const OptimizerOptions& common, const VboGpOptions& options)
    : encoding_(space),
      common_(common),
      options_(with_effort(options.vbo)),
      design_(encoding_, common.seed),
      archive_(encoding_.dimension()),
      seen_(kTolerance),
      frame_(encoding_),
      critics_(frame_.inputs(), options_, common.seed),
      action_net_(encoding_, options_, common.seed),
      regions_(encoding_, options_.second_share > 0.0, common.seed),
      shares_(options_) {
  const bool wanted = options_.gp_points > 0 && std::ssize(encoding_.blocks()) <= kMostParameters;
  const bool assists = options.role == GpRole::assists;
  if ((assists && !wanted) || encoding_.dimension() == 0) {
    judge_ = std::make_unique<CriticsJudge>(critics_, frame_);
  } else {
    judge_ = std::make_unique<GpJudge>(critics_, frame_, encoding_, options, common);
  }
}

Vbo::Vbo(const Space& space, const OptimizerOptions& common, const VboOptions& options)
    : Vbo(space, common, VboGpOptions{.vbo = options}) {}

// ---- the round ----------------------------------------------------------------------------------

void Vbo::tell(std::span<const Trial> finished) {
  for (const Trial& trial : finished) remember(trial);
  archive_.sort();
  if (round_is_due()) play_round();
}

bool Vbo::round_is_due() const {
  return encoding_.dimension() > 0 && archive_.size() >= design_size() &&
         static_cast<std::int64_t>(fresh_.size()) >= (round_ == 0 ? 1 : common_.batch);
}

void Vbo::play_round() {
  const int threads = common_.threads;
  const Replay replay = replay_of(archive_);

  const double held_out = critics_.held_out_information(archive_, replay, frame_, fresh_, threads);
  update_predictive_variance(replay);
  judge_->examine(archive_, replay, fresh_, threads);
  shares_.advance();
  regions_.advance(archive_, frame_);
  const auto steps = static_cast<int>(options_.critic_steps * (round_ == 0 ? 2 : 1));
  critics_.train(archive_, replay, frame_, steps, round_, threads);
  judge_->learn(archive_, replay, round_);
  const ActionNet::Gauge gauge = action_net_.train(*judge_, kImagined, round_, threads);
  regions_.imagine(*judge_, archive_, static_cast<int>(options_.imagined), kImagined, round_,
                   threads);
  ++round_;
  fresh_.clear();
  summarize(held_out, gauge);
  recommend();
}

void Vbo::remember(const Trial& trial) {
  const Vector code = encoding_.encode(trial.point);
  const double value = value_of(trial);
  const auto asked = pending_.find(trial.id);
  const auto asked_by = [&](Source source) {
    return asked != pending_.end() && asked->second.source == source;
  };
  regions_.learn(code, value,
                 asked_by(Source::local)       ? Regions::From::leader
                 : asked_by(Source::elsewhere) ? Regions::From::second
                                               : Regions::From::neither);
  if (asked == pending_.end()) {
    seen_.add(code);  // somebody else's point; ours are there since they were suggested
  } else {
    shares_.learn(asked->second.source, value);
    pending_.erase(asked);
  }
  fresh_.push_back(archive_.size());
  archive_.add(trial.id, code, value);
}

void Vbo::summarize(double held_out_information, const ActionNet::Gauge& gauge) {
  report_.round = round_;
  report_.information =
      RoundInformation{.expected = gauge.input_information + gauge.model_information,
                       .realized = held_out_information,
                       .ceiling = critics_.ceiling()};
  report_.exploitation = gauge.exploitation;
  report_.deviation = regions_.leader().deviation();
  report_.values = {kRoundInputs.of(gauge.input_information),
                    kRoundModel.of(gauge.model_information)};
}

const Ledger& Vbo::declared() {
  static const Ledger all{
      {kExpectedOutcome.weighted, kInputInformation.weighted, kModelInformation.weighted,
       kGpDeviation.weighted, *kInputInformation.plain, *kModelInformation.plain, kSqrtBeta,
       kRoundNats, kCeilingNats},
      {kRoundInputs, kRoundModel}};
  return all;
}

// Under noise the luckiest observation is not the best point. Among the best observations, the one
// with the highest outcome when an observation z of variance v_n and a prediction m of variance v_p
// are put together,  (v_n m + v_p z) / (v_n + v_p)  with variance  v_n v_p / (v_n + v_p).  v_p is
// the squared error on results the judge had not seen, which includes their noise: the observation
// counts at least as much as the prediction, and all where nothing speaks of noise.
void Vbo::recommend() {
  const double v_p = predictive_variance_;
  const Replay replay = replay_of(archive_);
  report_.recommendation.reset();
  int n = 0;  // best results that have a value
  while (n < std::min(archive_.size(), kRecommendFrom) &&
         archive_.value(archive_.at_rank(n)) > failed_value()) {
    ++n;
  }
  if (n == 0) return;
  MatrixOf<float> X(encoding_.dimension(), n);
  Vector z(n);
  for (int rank = 0; rank < n; ++rank) {
    const int index = archive_.at_rank(rank);
    X.col(rank) = archive_.code(index).cast<float>();
    z[rank] = score_of(index, replay);
  }
  const double v_n = std::min(judge_->noise_variance(), v_p);
  const double trust = v_p > 0.0 ? v_n / (v_n + v_p) : 0.0;  // in the prediction
  const Vector m = judge_->judge(X, 0.0, common_.threads).terms.row(0).cast<double>();
  Eigen::Index best = 0;
  const double mean = (trust * m + (1.0 - trust) * z).maxCoeff(&best);
  const double sigma = std::sqrt(trust * v_p);
  const auto value_at = [&](double score) {
    return archive_.value_at_rank(replay.rank_at(0.5 * std::erfc(score / std::sqrt(2.0))));
  };
  report_.recommendation =
      Recommendation{archive_.id(archive_.at_rank(static_cast<int>(best))), value_at(mean),
                     0.5 * (value_at(mean + sigma) - value_at(mean - sigma))};
}

double Vbo::score_of(int index, const Replay& replay) const {
  return -normal_quantile(replay.quantile(archive_.shared_rank(index)));
}

// Mean squared error of the judge's expected outcomes for the newest results, in normal scores. A
// full batch counts more than what was known before, a single result little.
void Vbo::update_predictive_variance(const Replay& replay) {
  if (round_ == 0 || fresh_.empty()) return;
  MatrixOf<float> X(encoding_.dimension(), std::ssize(fresh_));
  Vector z(X.cols());
  for (Eigen::Index i = 0; i < X.cols(); ++i) {
    const int index = fresh_[static_cast<std::size_t>(i)];
    X.col(i) = archive_.code(index).cast<float>();
    z[i] = score_of(index, replay);
  }
  const Judgement& said = judge_->judge(X, 0.0, common_.threads);
  const double n = static_cast<double>(z.size());
  const double error = (said.terms.row(0).cast<double>().transpose() - z).squaredNorm() / n;
  const double share = n / (n + kErrorMemory);
  predictive_variance_ += share * (error - predictive_variance_);
}

// ---- asking -------------------------------------------------------------------------------------

std::vector<Suggestion> Vbo::ask(std::span<const TrialId> ids) {
  std::map<Source, std::vector<std::size_t>> places;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    places[source_of(ids[i])].push_back(i);
  }
  std::vector<Suggestion> suggestions(ids.size());
  for (const auto& [source, indices] : places) {
    std::vector<TrialId> group;
    for (const std::size_t i : indices) group.push_back(ids[i]);
    std::vector<Suggestion> made = suggest(source, group);
    for (std::size_t j = 0; j < indices.size(); ++j) suggestions[indices[j]] = std::move(made[j]);
  }
  return suggestions;
}

// The golden ratio's multiples spread any run of trials over the sources in their shares.
Source Vbo::source_of(TrialId id) const {
  if (round_ == 0) return Source::design;
  const double turn = static_cast<double>(id) * 0.6180339887498949;
  const double u = turn - std::floor(turn);
  const Shares::Race race{regions_.second().running(), regions_.has_decided()};
  double sum = 0.0;
  for (const Source source : {Source::action_net, Source::jump, Source::climb, Source::elsewhere}) {
    sum += shares_.of(source, race);
    if (u < sum) return source;
  }
  return Source::local;
}

std::vector<Suggestion> Vbo::suggest(Source source, std::span<const TrialId> ids) {
  std::vector<Suggestion> chosen;
  if (source == Source::design) {
    for (const TrialId id : ids) chosen.push_back(take(id, source, unseen_design_point(), {}));
    return chosen;
  }
  if (source == Source::climb && ids.size() > kClimbTogether) {
    chosen = suggest(source, ids.first(kClimbTogether));
    std::ranges::move(suggest(source, ids.subspan(kClimbTogether)), std::back_inserter(chosen));
    return chosen;
  }
  Rng rng(common_.seed, to_string(source), static_cast<std::uint64_t>(ids.front()));
  const auto count = static_cast<int>(ids.size());
  const std::vector<Vector> codes = source == Source::climb
                                        ? climbed(count, rng)
                                        : proposals(source, screening_of(source) * count, rng);
  const double weight = std::sqrt(options_.beta);
  const Judgement& said = judge_->judge(columns(codes), weight, common_.threads);
  const std::vector<int> order = best_first(said.score);
  // Climbers meet on the same tops: the next one keeps its distance, if there are enough.
  const bool climbs = source == Source::climb;
  std::vector<Vector> taken = climbs ? climbers_out() : std::vector<Vector>();
  const auto crowded = [&](const Vector& code, double apart) {
    const double least = apart * std::sqrt(static_cast<double>(code.size()));
    return std::any_of(taken.begin(), taken.end(),
                       [&](const Vector& other) { return (other - code).norm() < least; });
  };
  const double tolerance = climbs ? kSinglePrecision : kTolerance;
  for (double apart = climbs ? kApart : 0.0;; apart *= 0.3) {
    if (apart < tolerance) apart = 0.0;
    for (const int i : order) {
      if (chosen.size() == ids.size()) break;
      const Vector& code = codes[static_cast<std::size_t>(i)];
      if (seen_.contains(code, tolerance) || (apart > 0.0 && crowded(code, apart))) continue;
      if (climbs) taken.push_back(code);
      chosen.push_back(take(ids[chosen.size()], source, code, reasons_for(i, said, weight)));
    }
    if (chosen.size() == ids.size() || apart == 0.0) break;
  }
  if (chosen.size() == ids.size()) return chosen;
  // The other proposals repeat something: the local search may know more places, then the design.
  const Source next = source == Source::local ? Source::design : Source::local;
  std::ranges::move(suggest(next, ids.subspan(chosen.size())), std::back_inserter(chosen));
  return chosen;
}

// `count` snapped codes.
std::vector<Vector> Vbo::proposals(Source source, int count, Rng& rng) {
  std::vector<Vector> codes(static_cast<std::size_t>(count));
  MatrixOf<float> actions;
  if (source == Source::action_net) actions = action_net_.act(count, rng);
  for (int i = 0; i < count; ++i) {
    Vector& code = codes[static_cast<std::size_t>(i)];
    if (source == Source::action_net) {
      code = actions.col(i).cast<double>();
    } else if (source == Source::jump) {
      code = jump(encoding_, archive_, rng);
    } else {
      code = archive_.code(archive_.at_rank(0));
      borrow_categories(encoding_, archive_, code, rng);
      if (regions_.usable()) {
        (source == Source::elsewhere ? regions_.second() : regions_.leader()).sample(code, rng);
      }
    }
    encoding_.snap(code);
  }
  return codes;
}

// Proposals of the action-net, jumps and the leader, in shares that follow their success, after
// they have climbed the judge's opinion: more than `count` of them, snapped.
std::vector<Vector> Vbo::climbed(int count, Rng& rng) {
  constexpr Source kinds[] = {Source::action_net, Source::jump, Source::local};
  const int starts = std::max(3, static_cast<int>(std::ceil(kStarts * count)));
  const double weight = std::sqrt(options_.beta);
  const double near = regions_.leader().running() ? regions_.leader().deviation() : kFirstStep;
  MatrixOf<float> from(encoding_.dimension(), starts);
  VectorOf<float> length(starts);
  int filled = 0;
  const auto success = [&](Source kind) {  // of what is not switched off
    return shares_.of(kind, {}) > 0.0 ? shares_.win_rate(kind) : 0.0;
  };
  double left = 0.0;  // success of the kinds still to come
  for (const Source kind : kinds) left += success(kind);
  for (const Source kind : kinds) {
    const double share = left > 0.0 ? success(kind) / left : 0.0;
    left -= success(kind);
    const int wanted = kind == kinds[2] ? starts - filled
                                        : static_cast<int>(std::lround(share * (starts - filled)));
    if (wanted == 0) continue;
    const MatrixOf<float> X = columns(proposals(kind, kClimbScreen * wanted, rng));
    const std::vector<int> order = best_first(judge_->judge(X, weight, common_.threads).score);
    for (int i = 0; i < wanted; ++i, ++filled) {
      from.col(filled) = X.col(order[static_cast<std::size_t>(i)]);
      length[filled] =
          static_cast<float>(kind == Source::action_net ? kFirstStep : std::min(kFirstStep, near));
    }
  }
  const MatrixOf<float> X =
      climb(*judge_, encoding_, from,
            {.weight = weight, .length = std::move(length), .threads = common_.threads});
  std::vector<Vector> codes;
  for (Eigen::Index i = 0; i < X.cols(); ++i) {
    codes.emplace_back(X.col(i).cast<double>());
    encoding_.snap(codes.back());
  }
  return codes;
}

// The terms of proposal i, and beside them its information in nats, without the weight, and that of
// the round.
Rationale Vbo::reasons_for(int i, const Judgement& said, double weight) const {
  Rationale why = rationale_of(said, i, weight);
  why.add(kSqrtBeta, weight);
  if (report_.information) {
    why.add(kRoundNats, report_.information->expected);
    why.add(kCeilingNats, critics_.ceiling());
  }
  return why;
}

// Keeping the best of S draws in few dimensions leaves a clump, from which the local search would
// learn that its steps are too long: in two dimensions the best 1/24 fill a fifth of the width, in
// ten three quarters. Hence at most 2^Dn draws per suggestion.
int Vbo::screening_of(Source source) const {
  const auto screening = static_cast<int>(options_.screening);
  if (!regions_.usable() || source == Source::jump) return kCategoricalScreen * screening;
  if (source == Source::action_net || frame_.numeric() >= 10) return screening;
  return std::min(screening, 1 << frame_.numeric());
}

// The next point of the design that nobody has tried. A finite space can run out of them: then a
// repeat is all there is to suggest.
Vector Vbo::unseen_design_point() {
  const int tries = encoding_.dimension() > 0 ? 1'000 : 1;
  Vector code;
  for (int i = 0; i < tries; ++i) {
    code = design_.code(designed_++);
    encoding_.snap(code);
    if (!seen_.contains(code)) break;
  }
  return code;
}

Suggestion Vbo::take(TrialId id, Source source, ConstVectorRef code, Rationale rationale) {
  rationale.source = to_string(source);
  Point point = encoding_.decode(code);
  const Vector known = encoding_.encode(point);  // as it will be read back on resuming
  seen_.add(known);
  pending_[id] = {source, known};
  return {std::move(point), std::move(rationale)};
}

// The newest climbed suggestions that have no result yet.
std::vector<Vector> Vbo::climbers_out() const {
  std::vector<Vector> codes;
  for (auto asked = pending_.rbegin(); asked != pending_.rend(); ++asked) {
    if (codes.size() == kClimbTogether) break;
    if (asked->second.source == Source::climb) codes.push_back(asked->second.code);
  }
  return codes;
}

Replay Vbo::replay_of(const Archive& archive) const {
  const auto fewest = static_cast<int>(std::clamp<std::int64_t>(common_.batch, 16, 256));
  return archive.replay(options_.uniform_share,
                        std::clamp(archive.size() / 5, fewest, kLargestElite));
}

std::int64_t Vbo::design_size() const {
  if (options_.design > 0) return options_.design;
  const std::int64_t wanted = std::max<std::int64_t>(8, std::ssize(encoding_.blocks()));
  const std::int64_t affordable =
      common_.budget > 0 ? std::max<std::int64_t>(4, common_.budget / 4) : wanted;
  return std::min({wanted, affordable, std::int64_t{256}});
}

}  // namespace vbo
