// SPDX-License-Identifier: MIT
// A wall clock that somebody sets while trials run: by hours forwards and backwards.
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <ctime>

#include "storage/contract.hpp"
#include "storage/process.hpp"
#include "storage/samples.hpp"

namespace {
std::atomic<std::time_t> set_forward{0};  // seconds, of the wall clock alone
}

// Stands before that of the C library for everything in this program.
extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  const long result = syscall(SYS_clock_gettime, clock, time);
  if (result == 0 && clock == CLOCK_REALTIME) time->tv_sec += set_forward;
  return static_cast<int>(result);
}

namespace vbo {
namespace {

using testing::sample_record;
using testing::sample_trial;
using testing::sample_worker;
using testing::StorageContract;

class ClockSteps : public StorageContract {
 protected:
  void TearDown() override { set_forward = 0; }
};
INSTANTIATE_TEST_SUITE_P(Storages, ClockSteps, ::testing::Values("memory", "sqlite"),
                         [](const auto& info) { return info.param; });

TEST_P(ClockSteps, ChangeNothingAboutLeases) {
  const double before = system_seconds();
  set_forward = 3600;
  ASSERT_GT(system_seconds(), before + 3000.0);  // the clock is the one that is set
  set_forward = 0;
  ASSERT_TRUE(storage_->create_study(sample_record()));
  ASSERT_TRUE(storage_->add_trials(std::vector{sample_trial(1, 1)}, std::nullopt));
  auto worker = other();
  const ProcessName me;  // alive
  const auto claims = worker->claim(sample_worker("w", me.text()), 1, 20.0).value();
  ASSERT_EQ(claims.size(), 1U);
  for (const std::time_t step : {7200, -7200, 86400, 0}) {
    set_forward = step;
    EXPECT_EQ(storage_->return_lost().value(), 0) << "set by " << step << " s";
    EXPECT_EQ(worker->renew(sample_worker("w", me.text()), std::vector{claims[0].token}, 20.0)
                  .value()
                  .size(),
              1U);
  }
  // A lease taken while the clock was ahead ends as soon as any other.
  set_forward = 86400;
  ASSERT_TRUE(worker->renew(sample_worker("w", me.text()), std::vector{claims[0].token}, 0.05));
  set_forward = 0;
  usleep(100'000);
  EXPECT_EQ(storage_->return_lost().value(), 1);
}

TEST(Leases, OfAnotherStartOfTheMachineAreOver) {
  const ProcessName me;
  const double soon = machine_seconds() + 20.0;
  EXPECT_FALSE(lease_is_over(soon, me.text()));
  EXPECT_FALSE(lease_is_over(soon, "elsewhere"));
  EXPECT_TRUE(lease_is_over(machine_seconds() - 1.0, me.text()));
  EXPECT_TRUE(lease_is_over(machine_seconds() + 1e9, me.text()));  // of the wall clock
  EXPECT_TRUE(lease_is_over(soon, "00000000-0000-0000-0000-000000000000/4026531836/1/2+1"));
}

}  // namespace
}  // namespace vbo
