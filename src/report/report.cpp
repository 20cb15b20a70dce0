// SPDX-License-Identifier: MIT
#include "vbo/report.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/one_line.hpp"
#include "core/order.hpp"
#include "report/outlook.hpp"
#include "report/state.hpp"

namespace vbo {
namespace {

constexpr std::size_t kExamples = 3;            // per group of failures
constexpr std::size_t kMostFailureGroups = 50;  // further ones are counted with their cause alone
constexpr std::size_t kPaceResults = 200;       // the latest so many tell the rate
constexpr std::size_t kMostLastLines = 10;      // groups whose standard error is looked at
constexpr std::size_t kLongestLine = 300;
// Nobody evaluates for so long: the study paused, between two runs of it.
constexpr double kShortestPause = 30.0;      // seconds
constexpr double kPauseInEvaluations = 5.0;  // and so many evaluations of mean length

void improve(const Order& order, std::optional<double>& best, double value) {
  if (!best || order.better(value, *best)) best = value;
}

Order order_of(const StudyReport& report) {
  return {report.record.objectives, report.record.space.limits()};
}

// Ended trials by told_in, within one tell by id; those not yet told to the method come
// last, as they ended. Events count 1, 2, 3, ... over asks and tells, so counting sorts in O(n).
std::vector<std::size_t> told_order(const std::vector<Trial>& trials) {
  EventId last = 0;
  for (const Trial& trial : trials) last = std::max(last, trial.told_in);
  const auto key = [&](const Trial& trial) {
    return static_cast<std::size_t>(trial.told_in > 0 ? trial.told_in : last + 1);
  };
  std::vector<std::size_t> order;
  if (last > static_cast<EventId>(4 * trials.size() + 64)) {  // gaps: counting would not be O(n)
    for (std::size_t i = 0; i < trials.size(); ++i) {
      if (trials[i].has_ended()) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return key(trials[a]) < key(trials[b]); });
  } else {
    std::vector<std::size_t> start(static_cast<std::size_t>(last) + 3, 0);
    for (const Trial& trial : trials) {
      if (trial.has_ended()) ++start[key(trial) + 1];
    }
    std::partial_sum(start.begin(), start.end(), start.begin());
    order.resize(start.back());
    for (std::size_t i = 0; i < trials.size(); ++i) {
      if (trials[i].has_ended()) order[start[key(trials[i])]++] = i;
    }
  }
  const auto untold = std::find_if(order.begin(), order.end(),
                                   [&](std::size_t i) { return trials[i].told_in == 0; });
  std::stable_sort(untold, order.end(), [&](std::size_t a, std::size_t b) {
    return trials[a].finished_at < trials[b].finished_at;
  });
  return order;
}

void count(TrialCounts& counts, TrialState state) {
  switch (state) {
    case TrialState::waiting:
      ++counts.waiting;
      break;
    case TrialState::running:
      ++counts.running;
      break;
    case TrialState::completed:
      ++counts.completed;
      break;
    case TrialState::failed:
      ++counts.failed;
      break;
    case TrialState::stopped:
      ++counts.stopped;
      break;
  }
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// "took 3.25 s" and "took 4 s" read alike: runs of digits, with what belongs to them, become '#'.
// The numbers of exit codes and signals stay: another one is another failure.
std::string without_numbers(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool folded = !out.empty() && out.back() == '#';
    if (!is_digit(text[i]) && !(text[i] == '.' && folded)) {
      out += text[i];
    } else if (out.ends_with("exit code ") || out.ends_with("signal ")) {
      while (i < text.size() && is_digit(text[i])) out += text[i++];
      --i;
    } else if (!folded) {
      out += '#';
    }
  }
  return out;
}

class Failures {
 public:
  void add(const Trial& trial) {
    if (!trial.failure) return;
    const Failure& failure = *trial.failure;
    std::string key =
        std::string(to_string(failure.cause)) + "\n" + without_numbers(failure.message);
    if (groups_.size() >= kMostFailureGroups && !index_.contains(key)) {
      key = std::string(to_string(failure.cause));
    }
    const auto [it, fresh] = index_.emplace(std::move(key), groups_.size());
    if (fresh) groups_.push_back({failure.cause, failure.message, 0, {}});
    FailureGroup& group = groups_[it->second];
    ++group.count;
    if (group.examples.size() < kExamples) group.examples.push_back(trial.id);
  }
  std::vector<FailureGroup> take() {
    std::stable_sort(groups_.begin(), groups_.end(),
                     [](const auto& a, const auto& b) { return a.count > b.count; });
    return std::move(groups_);
  }

 private:
  std::vector<FailureGroup> groups_;
  std::unordered_map<std::string, std::size_t> index_;
};

class Sources {
 public:
  SourceSummary& at(const std::string& name) {
    const auto [it, fresh] = index_.emplace(name, all_.size());
    if (fresh) all_.push_back({.name = name});
    return all_[it->second];
  }
  std::vector<SourceSummary> take() {
    std::stable_sort(all_.begin(), all_.end(),
                     [](const auto& a, const auto& b) { return a.suggested > b.suggested; });
    return std::move(all_);
  }

 private:
  std::vector<SourceSummary> all_;
  std::unordered_map<std::string, std::size_t> index_;
};

std::vector<RoundSummary> rounds_of(const std::vector<RoundReport>& reports) {
  std::vector<RoundSummary> rounds;
  rounds.reserve(reports.size());
  for (const RoundReport& entry : reports) {
    RoundSummary round;
    round.round = entry.report.round;
    round.event = entry.event;
    if (const auto& information = entry.report.information) {
      round.predicted = information->predicted;
      // Its observed information is that of the results of the round before.
      if (!rounds.empty()) rounds.back().observed = information->observed;
      round.ceiling = information->ceiling;
    }
    round.message = entry.report.message;
    rounds.push_back(std::move(round));
  }
  return rounds;
}

// The round in which a trial was suggested: the last that began at or before its ask.
RoundSummary* round_at(std::vector<RoundSummary>& rounds, EventId asked_in, std::size_t& hint) {
  while (hint + 1 < rounds.size() && rounds[hint + 1].event <= asked_in) ++hint;
  while (hint > 0 && rounds[hint].event > asked_in) --hint;
  if (rounds.empty() || rounds[hint].event > asked_in) return nullptr;
  return &rounds[hint];
}

void add_to_round(RoundSummary& round, const Trial& trial, const Order& order) {
  ++round.suggested;
  if (round.first_trial == 0) round.first_trial = trial.id;
  round.last_trial = trial.id;
  if (trial.state == TrialState::failed) ++round.failed;
  if (trial.values.empty()) return;
  ++round.completed;
  if (trial.values.size() == 1 && order.feasible(trial)) {
    improve(order, round.best, trial.values.front());
  }
}

struct Stretch {
  double begin = 0.0, end = 0.0;  // seconds since 1970
};

// When nobody evaluated anything: between two runs of a study.
std::vector<Stretch> pauses_of(const std::vector<Trial>& trials) {
  std::vector<Stretch> busy;
  double total = 0.0;
  for (const Trial& trial : trials) {
    if (trial.started_at <= 0.0 || trial.finished_at < trial.started_at) continue;
    busy.push_back({trial.started_at, trial.finished_at});
    total += trial.finished_at - trial.started_at;
  }
  std::ranges::sort(busy, {}, &Stretch::begin);
  const double least = busy.empty()
                           ? 0.0
                           : std::max(kShortestPause, kPauseInEvaluations * total /
                                                          static_cast<double>(busy.size()));
  std::vector<Stretch> pauses;
  double until = busy.empty() ? 0.0 : busy.front().end;
  for (const Stretch& stretch : busy) {
    if (stretch.begin - until >= least) pauses.push_back({until, stretch.begin});
    until = std::max(until, stretch.end);
  }
  return pauses;
}

// How much of a stretch is pause.
double paused_in(const std::vector<Stretch>& pauses, const Stretch& stretch) {
  double seconds = 0.0;
  for (const Stretch& pause : pauses) {
    seconds +=
        std::max(0.0, std::min(pause.end, stretch.end) - std::max(pause.begin, stretch.begin));
  }
  return seconds;
}

// The most evaluations at the same time; one that begins when another ends is not beside it.
std::int64_t lanes_of(const std::vector<Stretch>& evaluations) {
  std::vector<std::pair<double, int>> changes;
  for (const Stretch& evaluation : evaluations) {
    changes.emplace_back(evaluation.begin, 1);
    changes.emplace_back(evaluation.end, -1);
  }
  std::ranges::sort(changes);  // of the same moment, ends come first
  std::int64_t now = 0, most = 0;
  for (const auto& [moment, change] : changes) most = std::max(most, now += change);
  return most;
}

// Evaluations of a worker may overlap: it has as many lanes as it ever evaluated at the same time.
// Idle time is what its lanes hold from its first start to its last end beyond its evaluations and
// pauses of the study.
std::vector<WorkerSummary> workers_of(const std::vector<Trial>& trials) {
  std::map<std::string, WorkerSummary> workers;
  std::map<std::string, std::vector<Stretch>> evaluations;
  bool known = false;
  for (const Trial& trial : trials) {
    if (trial.attempts == 0 && trial.worker.empty()) continue;
    known = known || !trial.worker.empty();
    WorkerSummary& worker = workers[trial.worker];
    if (trial.state == TrialState::running) ++worker.running;
    if (!trial.has_ended()) continue;
    ++worker.evaluations;
    if (trial.failure) ++worker.failed;
    if (trial.failure && trial.failure->cause == FailureCause::lost) ++worker.lost;
    worker.busy_seconds += trial.seconds;
    if (trial.started_at > 0.0 &&
        (worker.first_start == 0.0 || trial.started_at < worker.first_start)) {
      worker.first_start = trial.started_at;
    }
    worker.last_end = std::max(worker.last_end, trial.finished_at);
    if (trial.started_at > 0.0 && trial.finished_at > trial.started_at) {
      evaluations[trial.worker].push_back({trial.started_at, trial.finished_at});
    }
  }
  std::vector<WorkerSummary> all;
  if (!known) return all;
  const std::vector<Stretch> pauses = pauses_of(trials);
  for (auto& [name, worker] : workers) {
    worker.name = name;
    if (worker.first_start > 0.0 && !name.empty()) {
      const Stretch presence{worker.first_start, worker.last_end};
      const double present = presence.end - presence.begin - paused_in(pauses, presence);
      const auto lanes = static_cast<double>(lanes_of(evaluations[name]));
      worker.idle_seconds = std::max(0.0, lanes * present - worker.busy_seconds);
    }
    all.push_back(std::move(worker));
  }
  return all;
}

Pace pace_of(const StudyReport& report) {
  Pace pace;
  for (const Trial& trial : report.trials) {
    if (trial.asked_at > 0.0 && (pace.first_asked == 0.0 || trial.asked_at < pace.first_asked)) {
      pace.first_asked = trial.asked_at;
    }
    pace.last_finished = std::max(pace.last_finished, trial.finished_at);
  }
  const std::size_t many = std::min(report.results.size(), kPaceResults);
  if (many < 2) return pace;
  const Trial& first = report.trials[report.results[report.results.size() - many]];
  const Trial& last = report.trials[report.results.back()];
  if (first.finished_at <= 0.0 || last.finished_at <= first.finished_at) return pace;
  const Stretch latest{first.finished_at, last.finished_at};
  const double seconds = latest.end - latest.begin - paused_in(pauses_of(report.trials), latest);
  pace.seconds_per_result = std::max(0.0, seconds) / static_cast<double>(many - 1);
  const auto left = report.record.budget - static_cast<std::int64_t>(report.results.size());
  pace.seconds_left =
      pace.seconds_per_result * static_cast<double>(std::max<std::int64_t>(left, 0));
  return pace;
}

struct Threshold {
  double value = 0.0;
  std::string reason;
};

// Within the noise of the best point's estimate, or hardly worse than the best. Under noise the
// best is the estimate of the recommended point: what was observed there is one draw.
Threshold as_good_threshold(const StudyReport& report) {
  const bool lower = report.record.goal() == Goal::minimize;
  const double step = kNegligibleShare * spread_of(report);
  const double best = report.estimate.best ? report.estimate.best->mean : *report.best->value();
  const double near = lower ? best + step : best - step;
  if (const auto& point = report.estimate.best) {
    const double wide = lower ? point->high : point->low;
    if (std::isfinite(wide) && order_of(report).better(near, wide)) {
      return {wide, "within the 90% interval of the recommended point"};
    }
  }
  return {near, "within 1% of the spread of the results"};
}

Neighbourhood neighbourhood_of(const StudyReport& report) {
  const Space& space = report.record.space;
  const Order order = order_of(report);
  Threshold threshold = as_good_threshold(report);
  Neighbourhood found{threshold.value, std::move(threshold.reason), 0, {}};
  found.ranges.resize(space.size());
  std::vector<std::map<std::string, std::int64_t>> seen(space.size());
  for (const Trial& trial : report.trials) {
    if (!order.feasible(trial)) continue;
    const bool recommended = trial.id == report.best->id;  // whatever was observed there
    if (!recommended && order.better(found.threshold, trial.values.front())) continue;
    for (std::size_t i = 0; i < space.size(); ++i) {
      const Value& value = trial.point[i];
      if (space[i].has_choices()) {
        ++seen[i][to_string(value)];
        continue;
      }
      const auto* real = std::get_if<double>(&value);
      const double number = real ? *real : static_cast<double>(std::get<std::int64_t>(value));
      Neighbourhood::Range& range = found.ranges[i];
      range.low = found.count == 0 ? number : std::min(range.low, number);
      range.high = found.count == 0 ? number : std::max(range.high, number);
    }
    ++found.count;
  }
  for (std::size_t i = 0; i < space.size(); ++i) {
    std::vector<std::pair<std::string, std::int64_t>> order(seen[i].begin(), seen[i].end());
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    for (auto& [choice, times] : order) found.ranges[i].choices.push_back(choice);
  }
  return found;
}

// From the best single result to the trial whose estimate is best.
void follow_estimate(Recommended& found, const std::vector<Trial>& trials) {
  if (!found.estimate.best) return;
  const auto trial = std::ranges::find(trials, found.estimate.best->id, &Trial::id);
  if (trial == trials.end() || (found.best && trial->id == found.best->id)) return;
  found.luckiest = std::exchange(found.best, *trial);
}

void follow_front(StudyReport& report, Sources& sources) {
  report.front = make_front(report.record, report.trials);
  report.front_steps = front_steps(report.record, report.trials, report.results);
  for (const FrontStep& step : report.front_steps) {
    const auto trial = std::ranges::lower_bound(report.trials, step.id, {}, &Trial::id);
    ++sources.at(trial->rationale.source).improvements;
  }
}

void follow_curve(StudyReport& report, Sources& sources) {
  const Order order = order_of(report);
  std::int64_t evaluation = 0;
  for (const std::size_t position : report.results) {
    ++evaluation;
    const Trial& trial = report.trials[position];
    if (!order.feasible(trial)) continue;
    const double value = trial.values.front();
    if (!report.curve.empty() && !order.better(value, report.curve.back().value)) continue;
    report.curve.push_back({evaluation, trial.id, value});
    ++sources.at(trial.rationale.source).improvements;
  }
}

}  // namespace

const RoundSummary* last_tested(const std::vector<RoundSummary>& rounds) {
  const auto found = std::find_if(rounds.rbegin(), rounds.rend(), [](const RoundSummary& round) {
    return round.observed.has_value();
  });
  return found == rounds.rend() ? nullptr : &*found;
}

StudyReport make_report(StudyRecord record, std::vector<Trial> trials,
                        const std::vector<RoundReport>& reports) {
  StudyReport report;
  report.record = std::move(record);
  report.trials = std::move(trials);
  report.rounds = rounds_of(reports);
  const Order order = order_of(report);
  if (!reports.empty()) {
    report.message = reports.back().report.message;
  }
  Sources sources;
  Failures failures;
  std::map<std::string, bool> metrics;
  std::size_t round_hint = 0;
  std::int64_t feasible = 0;
  for (const Trial& trial : report.trials) {
    count(report.counts, trial.state);
    failures.add(trial);
    for (const auto& [name, value] : trial.metrics) metrics.emplace(name, true);
    SourceSummary& source = sources.at(trial.rationale.source);
    ++source.suggested;
    if (trial.state == TrialState::failed) ++source.failed;
    if (!trial.values.empty()) {
      ++source.completed;
      if (order.feasible(trial)) {
        ++feasible;
        if (trial.values.size() == 1) improve(order, source.best, trial.values.front());
      }
    }
    if (RoundSummary* round = round_at(report.rounds, trial.asked_in, round_hint)) {
      add_to_round(*round, trial, order);
    }
  }
  if (!report.record.space.limits().empty()) report.feasible = feasible;
  report.results = told_order(report.trials);
  const bool has_front = report.record.objectives.size() > 1;
  if (has_front) {
    follow_front(report, sources);
  } else {
    if (const auto best = order.best(report.trials)) report.best = report.trials[*best];
    follow_curve(report, sources);
  }
  report.sources = sources.take();
  report.failures = failures.take();
  report.workers = workers_of(report.trials);
  for (const auto& [name, seen] : metrics) report.metrics.push_back(name);
  report.pace = pace_of(report);
  if (feasible > 0 && !has_front) report.as_good = neighbourhood_of(report);
  report.state = state_of(report);
  report.outlook = report::outlook_of(report);
  return report;
}

void add_estimate(StudyReport& report, Estimate estimate) {
  report.estimate = std::move(estimate);
  Recommended found{.best = std::move(report.luckiest ? report.luckiest : report.best),
                    .luckiest = {},
                    .estimate = report.estimate};
  follow_estimate(found, report.trials);
  report.best = std::move(found.best);
  report.luckiest = std::move(found.luckiest);
  if (report.as_good) report.as_good = neighbourhood_of(report);
  report.state = state_of(report);
  if (report.estimate.noise.verdict == Noise::present) report.outlook.reset();
}

void add_last_lines(StudyReport& report, Storage& storage) {
  for (std::size_t i = 0; i < std::min(report.failures.size(), kMostLastLines); ++i) {
    FailureGroup& group = report.failures[i];
    if (group.examples.empty()) continue;
    // The example that `message` is of.
    const Result<std::optional<Trial>> trial = storage.load_trial(group.examples.front());
    if (!trial || !*trial) continue;
    std::string tail = std::move((*trial)->stderr_tail);
    tail.erase(tail.find_last_not_of(" \t\r\n") + 1);  // npos + 1 == 0
    group.last_line = one_line(tail.substr(tail.rfind('\n') + 1)).substr(0, kLongestLine);
  }
}

Recommended recommend(const StudyRecord& record, const std::vector<Trial>& trials) {
  Recommended found{.best = {}, .luckiest = {}, .estimate = estimate(record, trials)};
  const Order order(record.objectives, record.space.limits());
  if (const auto best = order.best(trials)) found.best = trials[*best];
  follow_estimate(found, trials);
  return found;
}

void add_estimate(StudyReport& report) {
  add_estimate(report, estimate(report.record, report.trials));
}

Result<StudyReport> make_report(Storage& storage) {
  Result<std::optional<StudyRecord>> record = storage.load_study();
  if (!record) return record.error();
  if (!*record) return Error{ErrorKind::not_found, "the storage holds no study yet"};
  // Reports first: a round that begins in between is then simply not described yet.
  Result<std::vector<RoundReport>> reports = storage.load_reports();
  if (!reports) return reports.error();
  Result<std::vector<Trial>> trials = storage.load_history();
  if (!trials) return trials.error();
  StudyReport report = make_report(std::move(**record), std::move(*trials), *reports);
  add_last_lines(report, storage);
  return report;
}

}  // namespace vbo
