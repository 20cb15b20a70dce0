// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "report/json.hpp"
#include "report/state.hpp"
#include "report/why.hpp"
#include "storage/memory/memory.hpp"
#include "vbo/report.hpp"

namespace vbo {
namespace {

using ::testing::ElementsAre;

StudyRecord record(Goal goal = Goal::minimize) {
  StudyRecord record;
  record.name = "r";
  record.objectives = {{.goal = goal}};
  record.budget = 20;
  record.space =
      Space::make({Parameter::real("x", -9, 9), Parameter::categorical("c", {"p", "q"})}).value();
  record.optimizer = {.method = "random", .seed = 3, .batch = 2};
  return record;
}

Trial trial(TrialId id, EventId asked_in, const std::string& source = "design") {
  Trial trial;
  trial.id = id;
  trial.point = {static_cast<double>(id), std::string(id % 2 ? "p" : "q")};
  trial.rationale.source = source;
  trial.asked_in = asked_in;
  return trial;
}

Trial done(Trial t, double value, EventId told_in) {
  t.state = TrialState::completed;
  t.values = {value};
  t.attempts = 1;
  t.told_in = told_in;
  return t;
}

Trial broken(Trial t, FailureCause cause, std::string message, EventId told_in) {
  t.state = TrialState::failed;
  t.failure = Failure{cause, std::move(message)};
  t.attempts = 1;
  t.told_in = told_in;
  return t;
}

// Asked in events 1 and 4; told out of the order of ids.
std::vector<Trial> sample_trials() {
  std::vector<Trial> trials = {done(trial(1, 1), 5.0, 3),
                               done(trial(2, 1), 4.0, 2),
                               broken(trial(3, 4, "local"), FailureCause::timeout, "took 3.5 s", 5),
                               done(trial(4, 4, "local"), 1.0, 6),
                               broken(trial(5, 4, "local"), FailureCause::timeout, "took 12 s", 7),
                               broken(trial(6, 4, "local"), FailureCause::crash, "exit code 1", 8),
                               trial(7, 9)};
  trials[6].state = TrialState::running;
  return trials;
}

std::vector<RoundReport> sample_reports() {
  AskReport first, second;
  first.round = 1;
  first.information = RoundInformation{.predicted = 0.75, .observed = {}, .ceiling = 3.0};
  second.round = 2;
  second.message = "goes on";
  second.information = RoundInformation{.predicted = 0.5, .observed = 0.25, .ceiling = 3.5};
  return {{1, first}, {4, second}};
}

TEST(Report, CurveFollowsTheOrderOfTelling) {
  const StudyReport report = make_report(record(), sample_trials(), sample_reports());
  EXPECT_THAT(report.results, ElementsAre(1, 0, 2, 3, 4, 5));
  ASSERT_EQ(report.curve.size(), 2U);
  EXPECT_EQ(report.curve[0].id, 2);
  EXPECT_EQ(report.curve[0].evaluation, 1);
  EXPECT_EQ(report.curve[1].id, 4);
  EXPECT_EQ(report.curve[1].evaluation, 4);
  EXPECT_EQ(report.best->id, 4);
}

// A report has the promise of its own round and what the results of the round before told.
TEST(Report, RoundsKeepWhatWasExpectedAndWhatWasFound) {
  const StudyReport report = make_report(record(), sample_trials(), sample_reports());
  ASSERT_EQ(report.rounds.size(), 2U);
  EXPECT_EQ(report.rounds[0].predicted, 0.75);
  EXPECT_EQ(report.rounds[0].observed, 0.25);
  EXPECT_EQ(report.rounds[1].predicted, 0.5);
  EXPECT_FALSE(report.rounds[1].observed);
  EXPECT_EQ(report.rounds[1].ceiling, 3.5);
  EXPECT_EQ(last_tested(report.rounds), &report.rounds[0]);
  EXPECT_EQ(last_tested({}), nullptr);
}

// A run has ended: its last results have told something, its successor's design promises nothing.
TEST(Report, ARoundWithoutAPromiseStillSaysWhatTheOneBeforeTold) {
  std::vector<RoundReport> reports = sample_reports();
  AskReport third;
  third.round = 3;
  third.information = RoundInformation{.predicted = {}, .observed = 0.4, .ceiling = 3.5};
  reports.push_back({9, third});
  const StudyReport report = make_report(record(), sample_trials(), reports);
  ASSERT_EQ(report.rounds.size(), 3U);
  EXPECT_EQ(report.rounds[1].observed, 0.4);
  EXPECT_FALSE(report.rounds[2].predicted);
  EXPECT_EQ(last_tested(report.rounds), &report.rounds[1]);
}

TEST(Report, MaximizingTurnsTheCurve) {
  const StudyReport report = make_report(record(Goal::maximize), sample_trials(), {});
  EXPECT_EQ(report.best->id, 1);
  ASSERT_EQ(report.curve.size(), 2U);
  EXPECT_EQ(report.curve[1].id, 1);
}

TEST(Report, EndedButUntoldTrialsComeLastAsTheyEnded) {
  std::vector<Trial> trials = sample_trials();
  trials[6] = done(trials[6], 0.5, 0);
  trials[6].finished_at = 20.0;
  trials.push_back(done(trial(8, 9), 0.25, 0));
  trials.back().finished_at = 10.0;
  const StudyReport report = make_report(record(), trials, {});
  EXPECT_THAT(report.results, ElementsAre(1, 0, 2, 3, 4, 5, 7, 6));
  EXPECT_EQ(report.curve.back().id, 8);
}

TEST(Report, LargeGapsBetweenEvents) {
  std::vector<Trial> trials = sample_trials();
  for (Trial& t : trials) t.told_in *= 1000000;
  EXPECT_THAT(make_report(record(), trials, {}).results, ElementsAre(1, 0, 2, 3, 4, 5));
}

TEST(Report, CountsSourcesAndRounds) {
  const StudyReport report = make_report(record(), sample_trials(), sample_reports());
  EXPECT_EQ(report.counts.completed, 3);
  EXPECT_EQ(report.counts.failed, 3);
  EXPECT_EQ(report.counts.running, 1);
  ASSERT_EQ(report.sources.size(), 2U);
  EXPECT_EQ(report.sources[0].name, "local");
  EXPECT_EQ(report.sources[0].suggested, 4);
  EXPECT_EQ(report.sources[0].improvements, 1);
  EXPECT_EQ(*report.sources[0].best, 1.0);
  EXPECT_EQ(report.sources[1].suggested, 3);
  EXPECT_EQ(report.sources[1].improvements, 1);
  ASSERT_EQ(report.rounds.size(), 2U);
  EXPECT_EQ(report.rounds[0].suggested, 2);
  EXPECT_EQ(*report.rounds[0].best, 4.0);
  EXPECT_EQ(report.rounds[1].suggested, 5);
  EXPECT_EQ(report.rounds[1].failed, 3);
  EXPECT_EQ(report.rounds[1].first_trial, 3);
  EXPECT_EQ(report.rounds[1].last_trial, 7);
  EXPECT_EQ(report.message, "goes on");
  EXPECT_FALSE(report.luckiest);
}

TEST(Report, TheRecommendedPointFollowsTheEstimate) {
  StudyReport report = make_report(record(), sample_trials(), sample_reports());
  EXPECT_EQ(report.best->id, 4);  // as long as nothing is known of noise
  Estimate noisy;
  noisy.noise.verdict = Noise::present;
  noisy.best = PointEstimate{.id = 2, .evaluations = 1, .mean = 2.0, .low = 1.5, .high = 6.5};
  add_estimate(report, noisy);
  EXPECT_EQ(report.best->id, 2);
  EXPECT_EQ(report.luckiest->id, 4);
  EXPECT_EQ(report.as_good->threshold, 6.5);  // worse than 1% of the spread
  EXPECT_NE(report.as_good->reason.find("90% interval"), std::string::npos);
  noisy.best->high = 1.01;
  add_estimate(report, noisy);
  EXPECT_EQ(report.as_good->threshold, 2.03);  // near the estimate, not near the observed 4
  EXPECT_EQ(report.as_good->count, 2);         // trial 4, and the recommended one itself
  noisy.best->id = 4;
  add_estimate(report, noisy);
  EXPECT_EQ(report.best->id, 4);
  EXPECT_FALSE(report.luckiest);  // it is the best by its estimate as well
  add_estimate(report, Estimate{});
  EXPECT_EQ(report.best->id, 4);
}

TEST(Report, FailuresThatReadAlikeAreOneGroup) {
  const StudyReport report = make_report(record(), sample_trials(), {});
  ASSERT_EQ(report.failures.size(), 2U);
  EXPECT_EQ(report.failures[0].cause, FailureCause::timeout);
  EXPECT_EQ(report.failures[0].count, 2);
  EXPECT_EQ(report.failures[0].message, "took 3.5 s");
  EXPECT_THAT(report.failures[0].examples, ElementsAre(3, 5));
  EXPECT_EQ(report.failures[1].count, 1);
}

TEST(Report, AnotherExitCodeOrSignalIsAnotherFailure) {
  const auto groups = [](const std::vector<std::string>& messages) {
    std::vector<Trial> trials;
    for (const std::string& message : messages) {
      const auto id = static_cast<TrialId>(trials.size()) + 1;
      trials.push_back(broken(trial(id, id), FailureCause::crash, message, id + 1));
    }
    return make_report(record(), trials, {}).failures.size();
  };
  EXPECT_EQ(groups({"it ended with exit code 1", "it ended with exit code 12"}), 2U);
  EXPECT_EQ(groups({"it ended with signal 9 (Killed)", "it ended with signal 11 (Fault)"}), 2U);
  EXPECT_EQ(groups({"exit code 1 after 3.5 s", "exit code 1 after 12 s"}), 1U);
  EXPECT_EQ(groups({"line 1.5.2", "line 7"}), 1U);
}

TEST(Report, ThousandsOfDifferentMessagesStayAFewGroups) {
  std::vector<Trial> trials;
  for (TrialId id = 1; id <= 2000; ++id) {
    std::string word;
    for (TrialId rest = id; rest > 0; rest /= 26) word += static_cast<char>('a' + rest % 26);
    trials.push_back(broken(trial(id, 1), FailureCause::crash, word, id));
  }
  const StudyReport report = make_report(record(), trials, {});
  EXPECT_LE(report.failures.size(), 51U);
  std::int64_t total = 0;
  for (const FailureGroup& group : report.failures) total += group.count;
  EXPECT_EQ(total, 2000);
}

TEST(Report, NeighbourhoodThatIsAsGood) {
  const StudyReport report = make_report(record(), sample_trials(), sample_reports());
  EXPECT_EQ(report.as_good->threshold, 1.03);  // 1% of the way from 1 to 4
  EXPECT_EQ(report.as_good->count, 1);
  EXPECT_EQ(report.as_good->reason, "within 1% of the spread of the results");
  std::vector<Trial> trials = sample_trials();
  trials[1].values = {1.02};
  trials.push_back(done(trial(8, 9), 1e9, 10));  // a penalty does not widen it
  const StudyReport close = make_report(record(), trials, sample_reports());
  EXPECT_EQ(close.as_good->count, 2);
  EXPECT_EQ(close.as_good->ranges[0].low, 2.0);
  EXPECT_EQ(close.as_good->ranges[0].high, 4.0);
  EXPECT_THAT(close.as_good->ranges[1].choices, ElementsAre("q"));
}

std::vector<Trial> falling(std::int64_t count, const std::function<double(std::int64_t)>& value) {
  std::vector<Trial> trials;
  for (TrialId id = 1; id <= count; ++id) {
    trials.push_back(done(trial(id, id), value(id), id + 1));
    trials.back().point[0] = 1.0 / static_cast<double>(id);
  }
  return trials;
}

TEST(Report, StatesOfAStudy) {
  const auto state = [](const std::vector<Trial>& trials) {
    return make_report(record(), trials, {}).state;
  };
  EXPECT_EQ(state({}), StudyState::too_early);
  EXPECT_EQ(state(falling(19, [](auto id) { return -id; })), StudyState::too_early);
  EXPECT_EQ(state(falling(30, [](auto id) { return -id; })), StudyState::still_improving);
  // The last third brings 0.3% of the spread.
  const auto settled = falling(30, [](auto id) { return id < 18 ? -id : -18 - 0.001 * id; });
  EXPECT_EQ(state(settled), StudyState::converged);
  EXPECT_EQ(state({broken(trial(1, 1), FailureCause::crash, "exit code 1", 2)}),
            StudyState::every_evaluation_fails);
  StudyReport noisy = make_report(record(), settled, {});
  Estimate estimate;
  estimate.noise = {Noise::present, 1.0, 0.7};
  add_estimate(noisy, estimate);
  EXPECT_EQ(noisy.state, StudyState::noise_dominates);
  StudyRecord limited = record();
  limited.space =
      Space::make({Parameter::real("x", -9, 9), Parameter::categorical("c", {"p", "q"})}, {},
                  {{"heat", 1.0, {}}})
          .value();
  EXPECT_EQ(make_report(limited, settled, {}).state, StudyState::nothing_feasible);
  EXPECT_EQ(to_string(StudyState::nothing_feasible), "no feasible point yet");
}

// Failures say nothing about improvement.
TEST(Report, FailuresAreNoConvergence) {
  const auto with_failures = [](std::int64_t results, std::int64_t failures, FailureCause cause) {
    std::vector<Trial> trials = falling(results, [](auto id) { return id < 9 ? -id : -9; });
    for (TrialId id = results + 1; id <= results + failures; ++id) {
      trials.push_back(broken(trial(id, id), cause, "exit code 1", id + 1));
    }
    return make_report(record(), trials, {}).state;
  };
  EXPECT_EQ(with_failures(10, 20, FailureCause::crash), StudyState::too_early);
  EXPECT_EQ(with_failures(30, 0, FailureCause::crash), StudyState::converged);
  EXPECT_EQ(with_failures(30, 3, FailureCause::crash), StudyState::converged);
  EXPECT_EQ(with_failures(30, 30, FailureCause::crash), StudyState::too_early);
  EXPECT_EQ(with_failures(30, 30, FailureCause::infeasible), StudyState::converged);
  // The last third of the results, not of the evaluations, is still improving.
  std::vector<Trial> improving = falling(30, [](auto id) { return -id; });
  for (TrialId id = 31; id <= 60; ++id) {
    improving.push_back(broken(trial(id, id), FailureCause::crash, "exit code 1", id + 1));
  }
  EXPECT_EQ(make_report(record(), improving, {}).state, StudyState::still_improving);
}

TEST(Report, ConvergedSaysWhatItMeans) {
  EXPECT_EQ(explained(StudyState::still_improving, false), "still improving");
  EXPECT_EQ(explained(StudyState::converged, false),
            "converged: the last third of the results brought less than 1% of the spread");
  EXPECT_EQ(explained(StudyState::converged, true),
            "converged: the last third of the results brought less than 1% of the hypervolume");
}

// Two evaluations at a time, one of which takes 1 s and the other 4 s.
TEST(Report, IdleTimeIsThatOfAllLanesOfAWorker) {
  std::vector<Trial> trials;
  for (TrialId id = 1; id <= 8; ++id) {
    Trial t = done(trial(id, 1), 1.0, id + 1);
    const bool fast = id % 2 == 0;
    t.worker = "one";
    t.seconds = fast ? 1.0 : 4.0;
    t.started_at = 1000.0 + 4.0 * static_cast<double>((id - 1) / 2);
    t.finished_at = t.started_at + t.seconds;
    trials.push_back(t);
  }
  const WorkerSummary worker = make_report(record(), trials, {}).workers.at(0);
  EXPECT_DOUBLE_EQ(worker.busy_seconds, 20.0);
  EXPECT_NEAR(worker.idle_seconds, 12.0, 1e-6);  // 16 s of two lanes
}

TEST(Report, PausesBetweenRunsAreNotIdle) {
  std::vector<Trial> trials;
  for (TrialId id = 1; id <= 10; ++id) {
    Trial t = done(trial(id, 1), 1.0, id + 1);
    t.worker = "one";
    t.seconds = 1.0;
    // Two seconds apart, and a day between the fifth and the sixth.
    t.started_at = 1000.0 + 2.0 * static_cast<double>(id) + (id > 5 ? 86400.0 : 0.0);
    t.finished_at = t.started_at + 1.0;
    trials.push_back(t);
  }
  const StudyReport report = make_report(record(), trials, {});
  EXPECT_NEAR(report.workers.at(0).idle_seconds, 8.0, 1e-6);
  // Nor do they count in the time left: nine results in 18 s, less the second before the pause
  // ends.
  EXPECT_NEAR(report.pace.seconds_per_result, 17.0 / 9.0, 1e-6);
  EXPECT_NEAR(report.pace.seconds_left, 10.0 * 17.0 / 9.0, 1e-5);  // ten more of 20
}

TEST(Report, AGroupOfFailuresHasTheLastLineOfAnExample) {
  MemoryStorage storage;
  ASSERT_TRUE(storage.create_study(record()));
  Trial open = trial(1, 1);
  ASSERT_TRUE(storage.add_trials(std::vector{open}, std::nullopt, 0, Durability::at_once));
  Trial failed = broken(open, FailureCause::crash, "exit code 1", 2);
  failed.stderr_tail = "first\nout of memory\n\n";
  ASSERT_TRUE(storage.finish_trials(std::vector{failed}, Durability::at_once));
  const StudyReport report = make_report(storage).value();
  EXPECT_EQ(report.failures.at(0).last_line, "out of memory");
  EXPECT_EQ(status_json(report, "")["failures"][0]["last_line"], "out of memory");
  EXPECT_EQ(status_json(report, "")["state"], "every evaluation fails");
}

TEST(Report, MessageAndLastLineOfAGroupAreOfOneTrial) {
  MemoryStorage storage;
  ASSERT_TRUE(storage.create_study(record()));
  const std::vector<Trial> open = {trial(1, 1), trial(2, 1)};
  ASSERT_TRUE(storage.add_trials(open, std::nullopt, 0, Durability::at_once));
  std::vector<Trial> failed = {broken(open[0], FailureCause::crash, "after 1 s", 2),
                               broken(open[1], FailureCause::crash, "after 2 s", 2)};
  failed[0].stderr_tail = "first\n";
  failed[1].stderr_tail = "second\n";
  ASSERT_TRUE(storage.finish_trials(failed, Durability::at_once));
  const StudyReport report = make_report(storage).value();
  ASSERT_EQ(report.failures.size(), 1U);
  EXPECT_EQ(report.failures[0].message, "after 1 s");
  EXPECT_EQ(report.failures[0].last_line, "first");
}

TEST(Why, OnlyTheMethodSaysHowLikelyABetterResultIs) {
  Trial asked = trial(8, 9, "acquisition");
  asked.rationale.notes = {{"mean", 0.5}, {"deviation", 0.1}};
  const std::string without = why_text(record(), sample_trials(), asked);
  EXPECT_THAT(without, ::testing::HasSubstr("predicted 0.5 +- 0.1 (best so far 1)."));
  asked.rationale.notes.push_back({"improves", 0.25});
  const std::string with = why_text(record(), sample_trials(), asked);
  EXPECT_THAT(with, ::testing::HasSubstr("25% likely better than the best"));
}

TEST(Report, WorkersAndPace) {
  std::vector<Trial> trials;
  for (TrialId id = 1; id <= 10; ++id) {
    Trial t = done(trial(id, 1), 1.0, id + 1);
    t.worker = id % 2 ? "north" : "south";
    t.seconds = 1.0;
    t.asked_at = 100.0;
    t.started_at = 100.0 + 2.0 * static_cast<double>(id);
    t.finished_at = t.started_at + 1.0;
    trials.push_back(std::move(t));
  }
  trials.push_back(broken(trial(11, 1), FailureCause::lost, "its worker disappeared", 12));
  trials.back().worker = "south";
  const StudyReport report = make_report(record(), trials, {});
  ASSERT_EQ(report.workers.size(), 2U);
  EXPECT_EQ(report.workers[0].name, "north");
  EXPECT_EQ(report.workers[0].evaluations, 5);
  EXPECT_DOUBLE_EQ(report.workers[0].busy_seconds, 5.0);
  EXPECT_DOUBLE_EQ(report.workers[0].idle_seconds, 12.0);  // 102 to 119, 5 of them busy
  EXPECT_EQ(report.workers[1].lost, 1);
  EXPECT_EQ(report.pace.first_asked, 100.0);
  trials.pop_back();
  const StudyReport steady = make_report(record(), trials, {});
  EXPECT_DOUBLE_EQ(steady.pace.seconds_per_result, 2.0);
  EXPECT_DOUBLE_EQ(steady.pace.seconds_left, 20.0);  // ten more of 20
}

TEST(Report, FromAStorageAlone) {
  MemoryStorage storage;
  EXPECT_EQ(make_report(storage).error().kind, ErrorKind::not_found);
  ASSERT_TRUE(storage.create_study(record()));
  EXPECT_FALSE(make_report(storage).value().best);
  ASSERT_TRUE(storage.add_trials(std::vector<Trial>{trial(1, 1), trial(2, 1)}, AskReport{}, 0,
                                 Durability::at_once));
  ASSERT_TRUE(
      storage.finish_trials(std::vector<Trial>{done(trial(2, 1), 2.5, 2)}, Durability::at_once));
  const StudyReport report = make_report(storage).value();
  EXPECT_EQ(report.best->id, 2);
  EXPECT_EQ(report.counts.waiting, 1);
}

TEST(Report, JsonHasWhatStatusHadAndMore) {
  StudyReport sample = make_report(record(), sample_trials(), sample_reports());
  Estimate noisy;
  noisy.noise = {Noise::present, 0.25, 0.5};
  noisy.best = PointEstimate{
      .id = 4, .evaluations = 1, .observed = 1.0, .mean = 1.5, .low = 1.25, .high = 2.0};
  add_estimate(sample, noisy);
  const Json json = status_json(sample, "r.db");
  EXPECT_EQ(dump(json["noise"]), R"({"verdict":"present","deviation":0.25,"share":0.5})");
  EXPECT_EQ(json["study"], "r");
  EXPECT_EQ(json["best"]["value"], 1.0);
  EXPECT_EQ(json["recommendation"]["mean"], 1.5);
  EXPECT_EQ(json["recommendation"]["params"]["c"], "q");
  EXPECT_EQ(json["curve"][1]["evaluation"], 4);
  EXPECT_EQ(json["failures"][0]["examples"], Json::array({3, 5}));
  EXPECT_EQ(json["as_good"]["ranges"]["x"], Json::array({4.0, 4.0}));
  EXPECT_EQ(dump(json["information"]),
            R"({"nats":0.5,"observed":0.25,"ceiling":3.5,"trend":[0.75,0.5]})");
  EXPECT_EQ(json["rounds"][1]["suggested"], 5);
  Importance found;
  found.parameters = {{"x", 0.5, 0.25, 0.75}, {"c", 0.0, 0.0, 0.1}};
  found.pairs = {{"x", "c", 0.2, 0.1, 0.3}};
  EXPECT_EQ(
      dump(json_of(found)),
      R"([{"parameter":"x","nats":0.5,"low":0.25,"high":0.75,"together":[{"with":"c",)"
      R"("nats":0.2,"low":0.1,"high":0.3}]},{"parameter":"c","nats":0.0,"low":0.0,"high":0.1,)"
      R"("together":[{"with":"x","nats":0.2,"low":0.1,"high":0.3}]}])");
}

}  // namespace
}  // namespace vbo
