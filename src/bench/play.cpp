// SPDX-License-Identifier: MIT
#include "bench/play.hpp"

#include <chrono>
#include <cmath>
#include <numeric>

#include "bench/design.hpp"
#include "numerics/flops.hpp"

namespace vbo::bench {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Running best and means over finite values; a failed evaluation counts as an evaluation only.
struct Totals {
  double best = missing;
  Point best_point;
  std::optional<double> incumbent;  // what best_point gives without luck, on noisy tasks
  double sum = 0.0;
  std::int64_t finite = 0;
};

class Player {
 public:
  Player(const Job& job, const tasks::Task& task, Optimizer& optimizer, bool keep_points)
      : job_(job), task_(task), optimizer_(optimizer), keep_points_(keep_points) {
    const tasks::TaskInfo& info = task.info();
    sign_ = info.goal == Goal::minimize ? -1.0 : 1.0;
    result_.job = job;
    result_.origin = this_origin();
    result_.task.parameters = static_cast<std::int64_t>(task.space().size());
    result_.task.negated = info.goal == Goal::minimize;
    result_.task.noise = info.noise;
    if (info.optimum) {
      result_.task.optimum = sign_ * info.optimum->value;
      result_.task.optimum_proven = info.optimum->proven;
    }
    if (keep_points) {
      for (const Parameter& p : task.space().parameters()) {
        result_.parameter_names.push_back(p.name);
      }
    }
  }

  void initial_round(std::span<const Point> points) {
    RoundRecord record = begin_round();
    const TrialId first = next_id(static_cast<std::int64_t>(points.size()));
    std::vector<Trial> trials;
    for (std::size_t i = 0; i < points.size(); ++i) {
      trials.push_back(evaluated(first + static_cast<TrialId>(i), points[i], {}));
    }
    finish_round(record, trials);
  }

  Result<void> asked_round() {
    RoundRecord record = begin_round();
    std::vector<TrialId> ids(static_cast<std::size_t>(job_.batch));
    std::iota(ids.begin(), ids.end(), next_id(job_.batch));
    std::vector<Suggestion> suggestions;
    {
      const flops::Scope scope;
      const auto start = Clock::now();
      suggestions = optimizer_.ask(ids);
      record.seconds_ask = seconds_since(start);
      record.flops = scope.count();
    }
    // Fewer than asked for means that a finite space has no more points.
    if (suggestions.empty() || suggestions.size() > ids.size()) {
      return Error{ErrorKind::unsupported,
                   "round " + std::to_string(record.round) + ": the method returned " +
                       std::to_string(suggestions.size()) + " suggestions for " +
                       std::to_string(ids.size()) + " trials"};
    }
    std::vector<Trial> trials;
    for (std::size_t i = 0; i < suggestions.size(); ++i) {
      if (const auto inside = task_.space().check(suggestions[i].point); !inside) {
        return Error{ErrorKind::unsupported,
                     "round " + std::to_string(record.round) +
                         ": the method left the space: " + inside.error().message};
      }
      trials.push_back(
          evaluated(ids[i], suggestions[i].point, std::move(suggestions[i].rationale)));
    }
    finish_round(record, trials);
    return {};
  }

  // Continues after the rounds of a checkpoint.
  void adopt(const Checkpoint& from) {
    std::size_t told = 0;
    for (const RoundRecord& record : from.rounds) {
      const auto until = static_cast<std::size_t>(record.evaluations);
      RoundRecord recomputed = record;
      account(recomputed, std::span(from.trials).subspan(told, until - told));
      totals_.incumbent = record.incumbent;
      result_.rounds.push_back(record);
      told = until;
    }
    history_ = from.trials;
    next_id_ = from.next_id;
  }

  // Nothing is saved of a method without snapshots: it begins again.
  void save(const std::filesystem::path& path) const {
    Checkpoint checkpoint{.job = job_,
                          .origin = result_.origin,
                          .rounds = result_.rounds,
                          .trials = history_,
                          .next_id = next_id_,
                          .snapshot = optimizer_.snapshot()};
    if (!checkpoint.snapshot.empty()) (void)write_checkpoint(path, checkpoint);
  }

  std::int64_t rounds() const { return static_cast<std::int64_t>(result_.rounds.size()); }
  JobResult take() && { return std::move(result_); }

 private:
  RoundRecord begin_round() {
    RoundRecord record;
    record.round = static_cast<std::int64_t>(result_.rounds.size()) + 1;
    return record;
  }

  TrialId next_id(std::int64_t n) {
    const TrialId first = next_id_;
    next_id_ += n;
    return first;
  }

  Trial evaluated(TrialId id, Point point, Rationale rationale) {
    Trial trial{.id = id, .point = std::move(point), .rationale = std::move(rationale)};
    Rng rng(job_.seed, "benchmark-evaluation", static_cast<std::uint64_t>(id));
    const double value = sign_ * task_.evaluate(trial.point, rng);
    trial.attempts = 1;
    trial.asked_in = 2 * static_cast<EventId>(result_.rounds.size()) + 1;
    trial.told_in = trial.asked_in + 1;
    if (std::isfinite(value)) {
      trial.state = TrialState::completed;
      trial.value = value;
    } else {
      trial.state = TrialState::failed;
      trial.failure = Failure{FailureCause::non_finite, "the task returned a non-finite value"};
    }
    return trial;
  }

  void finish_round(RoundRecord record, std::span<const Trial> trials) {
    {
      const flops::Scope scope;
      const auto start = Clock::now();
      optimizer_.tell(trials);
      record.seconds_tell = seconds_since(start);
      record.flops += scope.count();
    }
    const bool improved = account(record, trials);
    if (improved && task_.info().noise > 0.0) {
      totals_.incumbent = sign_ * expected_value(task_, totals_.best_point, job_.seed);
    }
    record.incumbent = totals_.incumbent;
    history_.insert(history_.end(), trials.begin(), trials.end());
    result_.rounds.push_back(record);
  }

  // Observations, running totals, and what the record says of them. True: there is a new best.
  bool account(RoundRecord& record, std::span<const Trial> trials) {
    double batch_sum = 0.0;
    std::int64_t batch_finite = 0;
    bool improved = false;
    for (const Trial& trial : trials) {
      result_.observations.push_back(
          {record.round, trial.value.value_or(missing), keep_points_ ? trial.point : Point{}});
      if (!trial.value) continue;
      batch_sum += *trial.value;
      ++batch_finite;
      if (!(totals_.best >= *trial.value)) {
        totals_.best = *trial.value;
        totals_.best_point = trial.point;
        improved = true;
      }
    }
    totals_.sum += batch_sum;
    totals_.finite += batch_finite;
    record.evaluations = static_cast<std::int64_t>(result_.observations.size());
    record.best = totals_.best;
    if (batch_finite > 0) record.batch_mean = batch_sum / static_cast<double>(batch_finite);
    if (totals_.finite > 0) {
      record.average_reward = totals_.sum / static_cast<double>(totals_.finite);
    }
    return improved;
  }

  const Job& job_;
  const tasks::Task& task_;
  Optimizer& optimizer_;
  bool keep_points_;
  double sign_ = 1.0;
  TrialId next_id_ = 1;
  Totals totals_;
  std::vector<Trial> history_;
  JobResult result_;
};

}  // namespace

Result<std::unique_ptr<Optimizer>> make_job_optimizer(const Space& space, const Job& job) {
  const Result<MethodSpec> spec = parse_method(job.method);
  if (!spec) return spec.error();
  return make_optimizer(space, {.method = spec->name,
                                .seed = job.seed,
                                .batch = job.batch,
                                .budget = job.batch * job.rounds,
                                .threads = 1,
                                .settings = spec->settings});
}

double expected_value(const tasks::Task& task, const Point& point, std::uint64_t seed) {
  if (const auto exact = task.noiseless(point)) return *exact;
  // Welford's mean and squared deviations, until the mean is known well enough to compare methods.
  constexpr int least = 8, most = 32;
  constexpr double relative = 1e-3;
  double mean = 0.0, squares = 0.0;
  for (int n = 1; n <= most; ++n) {
    Rng rng(seed, "benchmark-incumbent", static_cast<std::uint64_t>(n));
    const double value = task.evaluate(point, rng);
    const double change = value - mean;
    mean += change / n;
    squares += change * (value - mean);
    const double standard_error = std::sqrt(squares / ((n - 1.0) * n));
    if (n >= least && standard_error <= relative * std::abs(mean)) break;
  }
  return mean;
}

Result<JobResult> play(const Job& job, const tasks::Task& task, Optimizer& optimizer,
                       const PlayOptions& options, const Checkpoint* from) {
  Player player(job, task, optimizer, options.keep_points);
  if (from != nullptr) player.adopt(*from);
  const std::vector<Point> design =
      initial_design(task.space(), job.batch * job.initial_rounds, job.seed);
  auto saved = Clock::now();
  while (player.rounds() < job.rounds) {
    if (player.rounds() < job.initial_rounds) {
      player.initial_round(
          std::span(design).subspan(static_cast<std::size_t>(player.rounds() * job.batch),
                                    static_cast<std::size_t>(job.batch)));
    } else if (auto done = player.asked_round(); !done) {
      return done.error();
    }
    if (player.rounds() == job.rounds) break;
    const bool cancelled = options.cancelled && options.cancelled();
    if (!options.checkpoint.empty() &&
        (cancelled || seconds_since(saved) > options.checkpoint_seconds)) {
      player.save(options.checkpoint);
      saved = Clock::now();
    }
    if (cancelled) return Error{ErrorKind::busy, "cancelled"};
  }
  return std::move(player).take();
}

Result<JobResult> play(const Job& job, const PlayOptions& options) {
  const auto task = tasks::make_task(job.task);
  if (!task) return task.error();
  auto optimizer = make_job_optimizer((*task)->space(), job);
  if (!optimizer) return optimizer.error();
  std::optional<Checkpoint> from;
  if (!options.checkpoint.empty()) from = read_checkpoint(options.checkpoint, job);
  if (from && !(*optimizer)->restore(from->snapshot, from->trials)) {
    from.reset();
    optimizer = make_job_optimizer((*task)->space(), job);
  }
  return play(job, **task, **optimizer, options, from ? &*from : nullptr);
}

}  // namespace vbo::bench
