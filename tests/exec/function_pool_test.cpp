// SPDX-License-Identifier: MIT
#include "exec/function_pool.hpp"

#include <atomic>
#include <cmath>
#include <stdexcept>
#include <thread>

#include "exec/pool_fixture.hpp"

namespace vbo {
namespace {

double first(const Job& what) { return std::get<double>(what.point[0]); }

TEST(FunctionPool, EvaluatesOnThreads) {
  auto pool = make_function_pool(first, 4);
  EXPECT_EQ(pool->capacity(), 4U);
  for (TrialId id = 1; id <= 4; ++id) pool->submit(job(id, 0.5 * static_cast<double>(id)));
  const auto all = collect(*pool);
  for (TrialId id = 1; id <= 4; ++id) EXPECT_EQ(all.at(id).value(), 0.5 * static_cast<double>(id));
}

TEST(FunctionPool, ExceptionsAndNonFiniteValuesAreFailures) {
  auto pool = make_function_pool(
      [](const Job& what) -> double {
        if (what.id == 1) throw std::runtime_error("broken");
        return std::nan("");
      },
      2);
  pool->submit(job(1));
  pool->submit(job(2));
  const auto all = collect(*pool);
  EXPECT_EQ(all.at(1).failure, (Failure{FailureCause::crash, "broken"}));
  EXPECT_EQ(all.at(2).failure->cause, FailureCause::non_finite);
}

TEST(FunctionPool, CancelForgetsWhatRuns) {
  std::atomic<bool> go = false;
  auto pool = make_function_pool(
      [&](const Job& what) {
        while (what.id == 1 && !go) std::this_thread::yield();
        return first(what);
      },
      1);
  pool->submit(job(1));
  pool->cancel();
  EXPECT_EQ(pool->running(), 0U);
  go = true;
  pool->submit(job(2));
  const auto all = collect(*pool);
  EXPECT_EQ(all.size(), 1U);
  EXPECT_EQ(all.at(2).value(), 1.5);
}

}  // namespace
}  // namespace vbo
