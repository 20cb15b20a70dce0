// SPDX-License-Identifier: MIT
// kill -9 at random moments of a study's life, from the creation of its file to its end. Afterwards
// every result that was told is there, and the study equals one that was left in peace.
// VBO_LONG_TESTS=1 kills fifty times and more.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>
#include <thread>

#include "storage/samples.hpp"
#include "support/child_process.hpp"
#include "support/temporary_folder.hpp"
#include "vbo/random.hpp"
#include "vbo/study.hpp"

namespace vbo {
namespace {

using testing::ChildProcess;

constexpr const char* kBudget = "60";

std::map<TrialId, double> logged(const std::string& path) {
  std::map<TrialId, double> results;
  std::ifstream file(path);
  TrialId id = 0;
  double value = 0.0;
  while (file >> id >> value) results[id] = value;
  return results;
}

std::vector<Trial> trials_in(const std::string& path) {
  std::vector<Trial> trials = open_storage(path, Access::read).value()->load_trials().value();
  for (Trial& trial : trials) {
    trial.seconds = 0.0;
    trial.attempts = 0;  // a trial that was running when the process died starts again
  }
  return trials;
}

class Kill : public ::testing::TestWithParam<std::string> {
 protected:
  // Starts the victim and kills it after a while; true when it came to its end first.
  bool live(const std::string& db, std::chrono::microseconds lifetime) {
    ChildProcess victim({VBO_STUDY_VICTIM, db, db + ".log", GetParam(), kBudget});
    std::this_thread::sleep_for(lifetime);
    const int end = victim.kill_and_wait();
    EXPECT_TRUE(end == -SIGKILL || end == 0) << end;
    return end == 0;
  }
};

TEST_P(Kill, LosesNothingAndChangesNothing) {
  const testing::TemporaryFolder folder;
  const std::string whole = folder / "whole.db";
  ChildProcess peaceful({VBO_STUDY_VICTIM, whole, whole + ".log", GetParam(), kBudget});
  ASSERT_EQ(peaceful.wait(), 0);
  const std::vector<Trial> expected = trials_in(whole);
  ASSERT_EQ(expected.size(), 60U);

  const char* long_tests = std::getenv("VBO_LONG_TESTS");
  const int wanted = long_tests && *long_tests == '1' ? 60 : 6;
  Rng rng(1, "kill");
  int kills = 0;
  for (int study = 0; kills < wanted; ++study) {
    const std::string db = folder / ("study" + std::to_string(study) + ".db");
    // The longer it takes, the more patience, so that every study comes to its end.
    for (int life = 1;; ++life) {
      const auto most = 3000 + 3000 * static_cast<std::uint64_t>(life);
      if (live(db, std::chrono::microseconds(rng.below(most)))) break;
      ++kills;
      if (!std::filesystem::exists(db)) continue;  // killed before the file was there
      const auto results = logged(db + ".log");
      const auto storage = open_storage(db, Access::read).value();
      for (const auto& [id, value] : results) {
        const auto trial = storage->load_trial(id).value();
        ASSERT_TRUE(trial) << id;
        EXPECT_EQ(trial->value(), value) << id;
      }
    }
    const std::vector<Trial> found = trials_in(db);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_TRUE(testing::same(found[i], expected[i])) << "trial " << i + 1;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, Kill, ::testing::Values("run", "batch"));

}  // namespace
}  // namespace vbo
