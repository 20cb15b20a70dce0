// SPDX-License-Identifier: MIT
#include "bench/play.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "bench/design.hpp"
#include "bench/metered.hpp"
#include "bench/record_json.hpp"
#include "core/elapsed.hpp"
#include "core/order.hpp"
#include "storage/copy.hpp"

namespace vbo::bench {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// The metric under which a new best of a noisy task keeps its expected value.
constexpr const char* kIncumbent = "incumbent";

// The values of a record are in the sign that is maximized.
double maximized(const tasks::TaskInfo& info, double value) {
  return info.goal == Goal::minimize ? -value : value;
}

// From the ended trials of a study, round by round, to the record of a job.
class Recorder {
 public:
  Recorder(const Job& job, const tasks::Task& task, bool keep_points)
      : task_(&task),
        order_({{.goal = task.info().goal}}, task.space().limits()),
        keep_points_(keep_points) {
    const tasks::TaskInfo& info = task.info();
    result_.job = job;
    result_.origin = this_origin();
    result_.task.parameters = static_cast<std::int64_t>(task.space().size());
    result_.task.negated = info.goal == Goal::minimize;
    result_.task.noise = info.noise;
    if (info.optimum) {
      result_.task.optimum = maximized(info, info.optimum->value);
      result_.task.optimum_proven = info.optimum->proven;
    }
    if (keep_points) {
      for (const Parameter& p : task.space().parameters()) {
        result_.parameter_names.push_back(p.name);
      }
    }
  }

  std::int64_t rounds() const { return std::ssize(result_.rounds); }

  // Whether a round with these values has a new best, and which; a failed evaluation is none.
  std::optional<std::size_t> new_best(const std::vector<Outcome>& outcomes) const {
    std::optional<std::size_t> found;
    double best = best_;
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      const Standing standing = order_.standing(outcomes[i]);
      if (!standing.is_feasible() || best >= standing.amount) continue;
      best = standing.amount;
      found = i;
    }
    return found;
  }

  // One round's trials, ended, in the order of ids. A failed or infeasible evaluation counts as an
  // evaluation only.
  void record(std::span<const Trial> trials) {
    RoundRecord record;
    record.round = rounds() + 1;
    double sum = 0.0;
    std::int64_t finite = 0;
    const Trial* best = nullptr;
    for (const Trial& trial : trials) {
      const Standing standing = order_.standing(trial);
      const bool counts = standing.is_feasible();
      const double value = counts ? standing.amount : missing;
      result_.observations.push_back({record.round, value, keep_points_ ? trial.point : Point{}});
      if (!counts) continue;
      sum += value;
      ++finite;
      if (best_ >= value) continue;
      best_ = value;
      best = &trial;
    }
    if (best && task_->info().noise > 0.0) {
      const auto kept = best->metrics.find(kIncumbent);
      incumbent_ = maximized(task_->info(),
                             kept != best->metrics.end() ? kept->second : expected(best->point));
    }
    sum_ += sum;
    finite_ += finite;
    record.evaluations = std::ssize(result_.observations);
    record.best = best_;
    record.incumbent = incumbent_;
    if (finite > 0) record.batch_mean = sum / static_cast<double>(finite);
    if (finite_ > 0) record.average_reward = sum_ / static_cast<double>(finite_);
    result_.rounds.push_back(record);
  }

  double expected(const Point& point) const {
    return expected_value(*task_, point, result_.job.seed);
  }

  // A round of the design is one tell, every other an ask and a tell.
  JobResult finished(const Meter& meter) && {
    auto cost = meter.begin();
    for (RoundRecord& round : result_.rounds) {
      if (round.round > result_.job.initial_rounds) {
        round.seconds_ask = cost->seconds;
        round.flops = cost->flops;
        ++cost;
      }
      round.seconds_tell = cost->seconds;
      round.flops += cost->flops;
      ++cost;
    }
    return std::move(result_);
  }

 private:
  const tasks::Task* task_;
  Order order_;
  bool keep_points_;
  double best_ = missing;  // not >= anything
  std::optional<double> incumbent_;
  double sum_ = 0.0;
  std::int64_t finite_ = 0;
  JobResult result_;
};

class Player {
 public:
  Player(const Job& job, const tasks::Task& task, const PlayOptions& options)
      : job_(job), task_(task), options_(options), recorder_(job, task, options.keep_points) {}

  Result<JobResult> play() {
    if (const auto begun = begin(); !begun) return begun.error();
    const std::vector<Point> design =
        initial_design(task_.space(), job_.batch * job_.initial_rounds, job_.seed);
    auto saved = Clock::now();
    while (recorder_.rounds() < job_.rounds) {
      const std::int64_t done = recorder_.rounds();
      const auto played =
          done < job_.initial_rounds
              ? design_round(std::span(design).subspan(static_cast<std::size_t>(done * job_.batch),
                                                       static_cast<std::size_t>(job_.batch)))
              : asked_round();
      if (!played) return played.error();
      if (recorder_.rounds() == job_.rounds) break;
      const bool cancelled = options_.cancelled && options_.cancelled();
      if (!options_.checkpoint.empty() &&
          (cancelled || seconds_since(saved) > options_.checkpoint_seconds)) {
        if (const auto kept = save(); !kept) return kept.error();
        saved = Clock::now();
      }
      if (cancelled) return Error{ErrorKind::busy, "cancelled"};
    }
    return std::move(recorder_).finished(*played_->meter);
  }

 private:
  // Opens the study, with what the checkpoint holds when it is of this very job and build.
  Result<void> begin() {
    if (const auto opened = open(checkpoint_storage()); !opened) return opened.error();
    if (played_->study.warning().empty()) return {};
    return open(nullptr);  // a state that cannot be restored: begin again
  }

  Result<void> open(std::unique_ptr<Storage> storage) {
    Result<StudyOptions> study = study_of(job_, task_);
    if (!study) return study.error();
    if (!storage) storage = std::move(open_storage("memory:", Access::coordinate)).value();
    storage_ = storage.get();
    Result<MeteredStudy> opened = open_metered(std::move(*study), {std::move(storage), {}});
    if (!opened) return opened.error();
    played_.emplace(std::move(*opened));
    const auto trials = played_->study.trials();
    if (!trials) return trials.error();
    recorder_ = Recorder(job_, task_, options_.keep_points);
    for (auto from = trials->begin(); from != trials->end();) {
      const auto until = std::find_if(
          from, trials->end(), [&](const Trial& trial) { return trial.told_in != from->told_in; });
      recorder_.record({from, until});
      from = until;
    }
    return {};
  }

  // The checkpoint's study in memory; null when there is none that can be continued.
  std::unique_ptr<Storage> checkpoint_storage() const {
    std::error_code absent;
    if (options_.checkpoint.empty() || !fs::exists(options_.checkpoint, absent)) return nullptr;
    const auto file = open_storage(options_.checkpoint.string(), Access::read);
    if (!file) return nullptr;
    const auto stored = (*file)->load_study();
    const auto wanted = study_of(job_, task_);
    if (!stored || !*stored || !wanted || (*stored)->name != wanted->name ||
        (*stored)->evaluate_json != wanted->evaluate_json) {
      return nullptr;
    }
    auto memory = open_storage("memory:", Access::coordinate);
    if (!memory || !copy_study(**file, **memory)) return nullptr;
    return std::move(*memory);
  }

  // Under another name first: the checkpoint is always a whole one.
  Result<void> save() const {
    const fs::path fresh = options_.checkpoint.string() + ".new";
    std::error_code error;
    fs::remove(fresh, error);
    {
      const auto file = open_storage(fresh.string(), Access::coordinate);
      if (!file) return file.error().kind == ErrorKind::unsupported ? Result<void>() : file.error();
      if (const auto copied = copy_study(*storage_, **file); !copied) return copied.error();
    }
    fs::rename(fresh, options_.checkpoint, error);
    if (!error) return {};
    return Error{ErrorKind::io,
                 "cannot write " + options_.checkpoint.string() + ": " + error.message()};
  }

  Result<void> design_round(std::span<const Point> points) {
    const TrialId first = next_id();
    std::vector<Outcome> outcomes;
    for (const Point& point : points) {
      outcomes.push_back(evaluate(first + std::ssize(outcomes), point));
    }
    keep_incumbent(outcomes, [&](std::size_t i) { return points[i]; });
    std::vector<Evaluated> results;
    for (std::size_t i = 0; i < points.size(); ++i) {
      results.push_back({points[i], std::move(outcomes[i])});
    }
    const auto added = played_->study.add(std::move(results));
    if (!added) return added.error();
    recorder_.record(*added);
    return {};
  }

  Result<void> asked_round() {
    auto trials = played_->study.ask(job_.batch);
    if (!trials) return in_round(trials.error());
    if (trials->empty()) {
      return in_round({ErrorKind::unsupported, "the space has no more points to suggest"});
    }
    std::vector<Outcome> outcomes;
    for (const Trial& trial : *trials) outcomes.push_back(evaluate(trial.id, trial.point));
    keep_incumbent(outcomes, [&](std::size_t i) { return (*trials)[i].point; });
    for (std::size_t i = 0; i < trials->size(); ++i) {
      Trial& trial = (*trials)[i];
      if (std::isfinite(outcomes[i].values.front())) trial.values = outcomes[i].values;
      trial.metrics = outcomes[i].metrics;
    }
    if (const auto told = played_->study.tell(std::move(outcomes)); !told) return told.error();
    recorder_.record(*trials);
    return {};
  }

  Error in_round(Error error) const {
    error.message =
        "round " + std::to_string(recorder_.rounds() + 1) + ": " + std::move(error.message);
    return error;
  }

  Outcome evaluate(TrialId id, const Point& point) const {
    Rng rng(job_.seed, "benchmark-evaluation", static_cast<std::uint64_t>(id));
    return {.id = id, .values = {task_.evaluate(point, rng)}, .metrics = task_.metrics(point)};
  }

  template <class PointOf>
  void keep_incumbent(std::vector<Outcome>& outcomes, const PointOf& point_of) const {
    if (task_.info().noise <= 0.0) return;
    if (const auto best = recorder_.new_best(outcomes)) {
      outcomes[*best].metrics[kIncumbent] = recorder_.expected(point_of(*best));
    }
  }

  TrialId next_id() const { return recorder_.rounds() * job_.batch + 1; }

  const Job& job_;
  const tasks::Task& task_;
  const PlayOptions& options_;
  Recorder recorder_;
  std::optional<MeteredStudy> played_;
  Storage* storage_ = nullptr;  // of played_
};

}  // namespace

Result<StudyOptions> study_of(const Job& job, const tasks::Task& task) {
  const Result<MethodSpec> spec = parse_method(job.method);
  if (!spec) return spec.error();
  StudyOptions study;
  study.name = file_stem(job);
  study.space = task.space();
  study.objectives = {{.goal = task.info().goal}};
  study.budget = job.batch * job.rounds;
  study.optimizer = {.method = spec->name,
                     .seed = job.seed,
                     .batch = job.batch,
                     .budget = job.batch * job.rounds,
                     .threads = 1,
                     .settings = spec->settings};
  study.evaluate_json = header_json({.job = job, .origin = this_origin()}).dump();
  return study;
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

Result<JobResult> play(const Job& job, const PlayOptions& options) {
  const auto task = tasks::make_task(job.task);
  if (!task) return task.error();
  return Player(job, **task, options).play();
}

}  // namespace vbo::bench
