// SPDX-License-Identifier: MIT
#include "bench/runner.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <fstream>
#include <sstream>

#include "bench/design.hpp"
#include "bench/play.hpp"
#include "bench/temporary.hpp"

namespace vbo::bench {
namespace {

std::vector<Job> small_jobs() {
  std::vector<Job> jobs;
  for (const std::uint64_t seed : {1, 2, 3}) {
    jobs.push_back({.task = "branin", .method = "random", .batch = 4, .rounds = 3, .seed = seed});
  }
  return jobs;
}

std::string content(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(InitialDesign, FillsTheSpaceAndDependsOnTheSeedAlone) {
  const Space space =
      *Space::make({Parameter::real("x", -5, 10), Parameter::integer("n", 1, 4),
                    Parameter::categorical("c", {"a", "b"}), Parameter::real("k", 1e-3, 10, true)});
  const auto points = initial_design(space, 16, 7);
  EXPECT_EQ(points, initial_design(space, 16, 7));
  EXPECT_NE(points, initial_design(space, 16, 8));
  // 16 Sobol points: exactly one in each sixteenth of every coordinate, hence 4 per integer, 8 per
  // choice, 4 in each quarter of the real ones.
  std::vector<int> cells(4), integers(5), decades(4), a(1);
  for (const Point& point : points) {
    ASSERT_TRUE(space.check(point));
    ++cells[static_cast<std::size_t>((std::get<double>(point[0]) + 5.0) / 15.0 * 4.0)];
    ++integers[static_cast<std::size_t>(std::get<std::int64_t>(point[1]))];
    a[0] += std::get<std::string>(point[2]) == "a" ? 1 : 0;
    ++decades[static_cast<std::size_t>(std::log10(std::get<double>(point[3])) + 3.0)];
  }
  EXPECT_THAT(cells, ::testing::Each(4));
  EXPECT_THAT(integers, ::testing::ElementsAre(0, 4, 4, 4, 4));
  EXPECT_EQ(a[0], 8);
  EXPECT_THAT(decades, ::testing::Each(4));
}

TEST(Play, EveryMethodStartsFromTheSameObservations) {
  const Job job{
      .task = "hartmann6", .method = "random", .batch = 8, .rounds = 4, .initial_rounds = 2};
  const JobResult result = play(job, {.keep_points = true}).value();
  const auto design = initial_design(tasks::make_task("hartmann6").value()->space(), 16, job.seed);
  ASSERT_EQ(result.observations.size(), 32U);
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(result.observations[i].point, design[i]);
  EXPECT_EQ(result.rounds[0].seconds_ask, 0.0);
  EXPECT_GT(result.rounds[2].seconds_ask, 0.0);
}

TEST(Play, RecordsAreWhatTheObservationsSay) {
  const JobResult r =
      play({.task = "ackley?dim=3&noise=0.5", .method = "random", .batch = 5, .rounds = 4}).value();
  double best = -1e300, sum = 0.0;
  for (std::size_t t = 0; t < 4; ++t) {
    double batch = 0.0;
    for (std::size_t i = 5 * t; i < 5 * t + 5; ++i) {
      EXPECT_EQ(r.observations[i].round, static_cast<std::int64_t>(t) + 1);
      batch += r.observations[i].value;
      best = std::max(best, r.observations[i].value);
    }
    sum += batch;
    EXPECT_EQ(r.rounds[t].evaluations, static_cast<std::int64_t>(5 * t) + 5);
    EXPECT_EQ(r.rounds[t].best, best);
    EXPECT_NEAR(r.rounds[t].batch_mean, batch / 5, 1e-12);
    EXPECT_NEAR(r.rounds[t].average_reward, sum / (5.0 * static_cast<double>(t) + 5.0), 1e-12);
    ASSERT_TRUE(r.rounds[t].incumbent);  // the noise the task adds is taken away again
    EXPECT_NE(*r.rounds[t].incumbent, best);
    EXPECT_NEAR(*r.rounds[t].incumbent, best, 2.5);
  }
}

// Mean 2 with the given deviation, and no exact value.
class Noisy final : public tasks::Task {
 public:
  explicit Noisy(double deviation) : deviation_(deviation) {}
  const tasks::TaskInfo& info() const override { return info_; }
  const Space& space() const override { return space_; }
  double evaluate(const Point&, Rng& rng) const override {
    ++evaluations;
    return 2.0 + deviation_ * rng.normal();
  }
  std::optional<double> noiseless(const Point&) const override { return std::nullopt; }

  mutable int evaluations = 0;

 private:
  double deviation_;
  tasks::TaskInfo info_;
  Space space_;
};

TEST(ExpectedValue, IsTheExactOneOrAMeanOfEnoughEvaluations) {
  const auto exact = tasks::make_task("ackley?dim=2&noise=3").value();
  const Point point{0.5, -1.0};
  EXPECT_EQ(expected_value(*exact, point, 1), exact->noiseless(point).value());
  const Noisy calm(1e-4), loud(1.0);
  EXPECT_NEAR(expected_value(calm, {}, 1), 2.0, 4e-4 / std::sqrt(8.0));
  EXPECT_EQ(calm.evaluations, 8);
  EXPECT_NEAR(expected_value(loud, {}, 1), 2.0, 4.0 / std::sqrt(32.0));
  EXPECT_EQ(loud.evaluations, 32);
}

TEST(Play, TheBestPointOfARandomSimulatorIsJudgedByItsMean) {
  const Job job{.task = "interferometer", .method = "random", .batch = 8, .rounds = 3};
  const JobResult r = play(job, {.keep_points = true}).value();
  const auto task = tasks::make_task(job.task).value();
  for (std::size_t t = 0; t < 3; ++t) {
    const auto end = r.observations.begin() + static_cast<std::ptrdiff_t>(8 * (t + 1));
    const auto best = std::max_element(
        r.observations.begin(), end,
        [](const Observation& a, const Observation& b) { return a.value < b.value; });
    EXPECT_EQ(r.rounds[t].best, best->value);
    EXPECT_EQ(r.rounds[t].incumbent, expected_value(*task, best->point, job.seed));
    EXPECT_NE(r.rounds[t].incumbent, best->value);
  }
  // Nothing is repeated on a task without noise.
  EXPECT_FALSE(play({.task = "branin", .method = "random", .batch = 4, .rounds = 2})
                   .value()
                   .rounds[1]
                   .incumbent);
}

TEST(Runner, ContinuesWhereAKilledRunWas) {
  const TemporaryDirectory directory, whole;
  const std::vector<Job> jobs = small_jobs();
  ASSERT_TRUE(run_jobs(jobs, {.directory = whole.path(), .jobs = 1}, {}));
  // One job finished, one cut off in the middle of writing, one not begun.
  ASSERT_TRUE(run_jobs({jobs[0]}, {.directory = directory.path(), .jobs = 1}, {}));
  std::ofstream(directory.path() / (file_stem(jobs[1]) + ".csv")) << "round,value\n1,";
  std::ofstream(directory.path() / (file_stem(jobs[1]) + ".jsonl.tmp")) << "{\"kind\":";
  const auto report = run_jobs(jobs, {.directory = directory.path(), .jobs = 2}, {}).value();
  EXPECT_EQ(report.found, 1U);
  EXPECT_EQ(report.run, 2U);
  EXPECT_EQ(report.failed, 0U);
  for (const Job& job : jobs) {
    EXPECT_EQ(content(directory.path() / (file_stem(job) + ".csv")),
              content(whole.path() / (file_stem(job) + ".csv")));
  }
  EXPECT_EQ(result_files(directory.path()).value().size(), 3U);
  const auto again =
      run_jobs(jobs, {.directory = directory.path(), .jobs = 2, .redo = true}, {}).value();
  EXPECT_EQ(again.run, 3U);
}

TEST(Runner, AFailingJobDoesNotStopTheOthers) {
  const TemporaryDirectory directory;
  std::vector<Job> jobs = small_jobs();
  jobs[1].method = "no-such-method";
  std::size_t calls = 0;
  const auto report =
      run_jobs(jobs, {.directory = directory.path(), .jobs = 1}, [&](const Progress& p) {
        ++calls;
        EXPECT_EQ(p.finished, calls);
        EXPECT_EQ(p.total, 3U);
        EXPECT_EQ(p.result == nullptr, p.job->method == "no-such-method");
      }).value();
  EXPECT_EQ(calls, 3U);
  EXPECT_EQ(report.run, 2U);
  EXPECT_EQ(report.failed, 1U);
  EXPECT_THAT(report.errors, ::testing::ElementsAre(::testing::HasSubstr("no-such-method")));
}

TEST(Runner, ATimeLimitLeavesTheRestForTheNextRun) {
  const TemporaryDirectory directory;
  RunnerOptions options{.directory = directory.path(), .jobs = 1, .limit_seconds = 1e-9};
  const auto none = run_jobs(small_jobs(), options, {}).value();
  EXPECT_EQ(none.run, 0U);
  EXPECT_EQ(none.left, 3U);
  EXPECT_FALSE(none.interrupted);
  options.limit_seconds = 1e6;
  const auto all = run_jobs(small_jobs(), options, {}).value();
  EXPECT_EQ(all.run, 3U);
  EXPECT_EQ(all.left, 0U);
}

TEST(Runner, AnInterruptLeavesOnlyFinishedJobs) {
  const TemporaryDirectory directory;
  std::atomic<int> interrupts{0};
  const auto report =
      run_jobs(small_jobs(), {.directory = directory.path(), .jobs = 1, .interrupts = &interrupts},
               [&](const Progress&) { interrupts = 1; })
          .value();
  EXPECT_TRUE(report.interrupted);
  EXPECT_EQ(report.run, 1U);
  EXPECT_EQ(result_files(directory.path()).value().size(), 1U);
}

}  // namespace
}  // namespace vbo::bench
