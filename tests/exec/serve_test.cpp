// SPDX-License-Identifier: MIT
// mode = "serve", against real little programs.
#include "exec/pool_fixture.hpp"

namespace vbo {
namespace {

using testing::HasSubstr;

// A server in Python; `body` sees the request as `q`, its number as `k`, and answer(value).
ProcessOptions server(const std::string& body, const std::string& before = "pass") {
  ProcessOptions options;
  options.mode = EvaluatorMode::serve;
  options.retries = 0;
  options.retry_delay_seconds = 0.01;
  options.command = {
      "python3", "-S", "-c",
      "import json, os, sys, time\n"
      "def answer(value): print(json.dumps({'id': q['id'], 'value': value}), flush=True)\n" +
          before + "\nfor k, line in enumerate(sys.stdin):\n q = json.loads(line)\n" + body};
  return options;
}

std::map<TrialId, Outcome> evaluate_all(const ProcessOptions& options, TrialId count) {
  auto pool = make_process_executor(test_space(), options).value();
  std::map<TrialId, Outcome> all;
  for (TrialId id = 1; id <= count; ++id) {
    pool->submit(job(id));
    if (pool->running() < pool->capacity()) continue;
    all.merge(collect(*pool));
  }
  all.merge(collect(*pool));
  return all;
}

TEST(Serve, OneProcessAnswersManyRequests) {
  const auto all = evaluate_all(server(" answer(q['params']['x'] + 100 * k)"), 3);
  EXPECT_EQ(all.at(1).value(), 1.5);
  EXPECT_EQ(all.at(2).value(), 101.5);
  EXPECT_EQ(all.at(3).value(), 201.5);
}

TEST(Serve, SendsIdTypedParametersSeedAndRepeat) {
  Job seeded = job(7);
  seeded.seed = 1234;
  seeded.repeat = 2;
  const auto outcome =
      evaluate(server(" answer(int(q == {'id': 7, 'params': {'x': 1.5, 'n': 3, 'kind': 'a b'}, "
                      "'seed': 1234, 'repeat': 2}))"),
               seeded);
  EXPECT_EQ(outcome.value(), 1.0);
}

TEST(Serve, ChatterIsIgnored) {
  const auto outcome = evaluate(server(" print('working'); print('{\"event\": 1}'); answer(4)",
                                       "print('loaded 3 models'); print(12)"));
  EXPECT_EQ(outcome.value(), 4.0);
}

TEST(Serve, ErrorsAndNonFiniteValuesAreFailures) {
  const auto reported =
      evaluate(server(" print(json.dumps({'id': q['id'], 'error': 'no mesh'}), flush=True)"));
  EXPECT_EQ(reported.failure, (Failure{FailureCause::reported, "no mesh"}));
  EXPECT_EQ(evaluate(server(" answer(float('nan'))")).failure->cause, FailureCause::non_finite);
  EXPECT_EQ(evaluate(server(" answer(None)")).failure->cause, FailureCause::no_value);
}

TEST(Serve, IsRestartedWhenItDies) {
  // Crashes at its second request; the retry reaches a fresh process.
  ProcessOptions options =
      server(" if k == 1: print('bad', file=sys.stderr); sys.exit(3)\n answer(k)");
  options.retries = 1;
  const auto all = evaluate_all(options, 3);
  EXPECT_EQ(all.at(1).value(), 0.0);
  EXPECT_EQ(all.at(2).value(), 0.0);
  EXPECT_EQ(all.at(2).attempts, 2);
  EXPECT_EQ(all.at(3).attempts, 2);
  options.retries = 0;
  const auto without = evaluate_all(options, 3);
  EXPECT_EQ(without.at(2).failure->cause, FailureCause::crash);
  EXPECT_EQ(without.at(2).stderr_tail, "bad\n");
  EXPECT_EQ(without.at(3).value(), 0.0);
}

TEST(Serve, AnEvaluatorThatLeavesAfterEachAnswerIsServedToo) {
  const auto all = evaluate_all(server(" answer(k); sys.exit(0)"), 5);
  for (const auto& [id, outcome] : all) EXPECT_EQ(outcome.value(), 0.0) << id;
}

TEST(Serve, DyingAfterAnAnswerDoesNotFailTheNextTrial) {
  // Whether its end is seen before or after the next request is sent: it never read that.
  for (const char* pause : {"0", "0.02"}) {
    for (const char* end : {"os._exit(3)", "os._exit(65)"}) {
      const auto all =
          evaluate_all(server(std::string(" answer(k); time.sleep(") + pause + "); " + end), 3);
      for (const auto& [id, outcome] : all) {
        EXPECT_EQ(outcome.value(), 0.0) << pause << " " << end << " " << id;
        EXPECT_EQ(outcome.attempts, 1);
      }
    }
  }
}

TEST(Serve, DyingOfTheRequestIsACrashAlsoInAProcessThatHasAnswered) {
  const auto all = evaluate_all(server(" if q['id'] == 2: os._exit(3)\n answer(k)"), 2);
  EXPECT_EQ(all.at(1).value(), 0.0);
  EXPECT_EQ(all.at(2).failure->cause, FailureCause::crash);
}

TEST(Serve, EndingWithoutAnAnswerIsLostAfterBoundedRetries) {
  const auto outcome = evaluate(server(" sys.exit(0)"));
  EXPECT_EQ(outcome.failure->cause, FailureCause::lost);
  EXPECT_EQ(outcome.attempts, 4);
}

TEST(Serve, ExitCodesMeanTheSame) {
  EXPECT_EQ(evaluate(server(" sys.exit(65)")).failure->cause, FailureCause::infeasible);
  const auto temporary = evaluate(server(" sys.exit(75)"));
  EXPECT_EQ(temporary.failure->cause, FailureCause::temporary);
  EXPECT_EQ(temporary.attempts, 4);
}

TEST(Serve, TimeoutKillsAndTheNextRequestGetsANewProcess) {
  ProcessOptions options = server(" if q['id'] == 1: time.sleep(1000)\n answer(k)");
  options.timeout_seconds = 3.0;
  const auto all = evaluate_all(options, 2);
  EXPECT_EQ(all.at(1).failure->cause, FailureCause::timeout);
  EXPECT_EQ(all.at(2).value(), 0.0);
}

TEST(Serve, AnotherIdOrAMalformedAnswerIsAFailure) {
  const auto other = evaluate(server(" q['id'] += 1; answer(1)"));
  EXPECT_EQ(other.failure->cause, FailureCause::crash);
  EXPECT_THAT(other.failure->message, HasSubstr("answered id 8, expected id 7"));
  EXPECT_THAT(evaluate(server(" print('{\"value\": 1}', flush=True)")).failure->message,
              HasSubstr("no whole number \"id\""));
  EXPECT_THAT(evaluate(server(" print('{\"id\": 7, value: 1}', flush=True)")).failure->message,
              HasSubstr("not valid JSON"));
}

TEST(Serve, AnEndlessLineIsCutOff) {
  const auto outcome = evaluate(server(" while True: print('x' * 100000, end='')"));
  EXPECT_EQ(outcome.failure->cause, FailureCause::crash);
  EXPECT_THAT(outcome.failure->message, HasSubstr("longer than 1048576 bytes"));
}

TEST(Serve, LotsOfChatterIsReadQuickly) {
  const auto outcome = evaluate(server(" for i in range(200000): print('epoch', i)\n answer(1)"));
  EXPECT_EQ(outcome.value(), 1.0);
}

TEST(Serve, ClosedStandardOutputIsAFailure) {
  const auto outcome = evaluate(server(" os.close(1); time.sleep(1000)"));
  EXPECT_THAT(outcome.failure->message, HasSubstr("closed its standard output"));
}

TEST(Serve, NotReadingItsInputIsHarmless) {
  ProcessOptions options = server("pass", "os.close(0); time.sleep(1000)");
  options.timeout_seconds = 0.5;
  EXPECT_EQ(evaluate(options).failure->cause, FailureCause::timeout);
}

TEST(Serve, WorkersHaveAProcessEach) {
  ProcessOptions options = server(" time.sleep(0.3); answer(os.getpid())");
  options.workers = 3;
  auto pool = make_process_executor(test_space(), options).value();
  for (TrialId id = 1; id <= 3; ++id) pool->submit(job(id));
  std::map<double, int> processes;
  for (const auto& [id, outcome] : collect(*pool)) ++processes[outcome.value().value()];
  EXPECT_EQ(processes.size(), 3U);
}

TEST(Serve, EndOfInputEndsTheEvaluatorGently) {
  const ScratchFolder folder;
  ProcessOptions options = server(" answer(1)");
  options.command[2] += "\nopen('" + folder.file("goodbye") + "', 'w').close()";
  evaluate(options);
  EXPECT_TRUE(std::filesystem::exists(folder.file("goodbye")));
}

TEST(Serve, MissingProgramIsAFailure) {
  ProcessOptions options;
  options.mode = EvaluatorMode::serve;
  options.command = {"no-such-program-anywhere"};
  EXPECT_THAT(evaluate(options).failure->message, HasSubstr("cannot start"));
}

}  // namespace
}  // namespace vbo
