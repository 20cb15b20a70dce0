// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/memory/memory.hpp"
#include "vbo/study.hpp"
#include "vbo/verify.hpp"

namespace vbo {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Verify : public ::testing::Test {
 protected:
  static StudyOptions options() {
    StudyOptions options;
    options.space =
        Space::make({Parameter::real("x", 0.0, 1.0), Parameter::real("y", -1.0, 1.0)}).value();
    options.budget = 40;
    options.optimizer.method = "cmaes";
    options.optimizer.batch = 6;
    return options;
  }
  // A study of so many rounds, closed with its state stored.
  static void play(const MemoryStorage& storage, int rounds, std::uint64_t seed = 1) {
    StudyOptions wanted = options();
    wanted.optimizer.seed = seed;
    Study study = Study::open(wanted, {std::make_unique<MemoryStorage>(storage), {}}).value();
    for (int round = 0; round < rounds; ++round) {
      for (const Trial& trial : study.ask(6).value()) {
        const double x = std::get<double>(trial.point[0]), y = std::get<double>(trial.point[1]);
        study.tell(trial.id, x * x + y * y).value();
      }
    }
    study.close().value();
  }
  MemoryStorage storage_;
};

TEST_F(Verify, AStudyAgreesWithItself) {
  EXPECT_EQ(verify_study(storage_).error().kind, ErrorKind::not_found);
  play(storage_, 4);
  const Verification found = verify_study(storage_).value();
  EXPECT_THAT(found.problems, IsEmpty());
  EXPECT_THAT(found.notes, IsEmpty());
  EXPECT_EQ(found.trials, 24);
  EXPECT_EQ(found.results, 24);
  EXPECT_TRUE(found.replayed);
  EXPECT_FALSE(verify_study(storage_, false).value().replayed);
}

// Whole, of the same method and space, and yet another study's.
TEST_F(Verify, AnotherStateIsFoundByReplaying) {
  play(storage_, 4);
  const Snapshot own = storage_.load_snapshot().value().value();
  MemoryStorage elsewhere;
  play(elsewhere, 4, 2);
  const Snapshot foreign = elsewhere.load_snapshot().value().value();
  storage_.save_snapshot({own.after, foreign.bytes}).value();
  EXPECT_THAT(verify_study(storage_).value().problems,
              ElementsAre(HasSubstr("not the one its log leads to")));
  EXPECT_THAT(verify_study(storage_, false).value().problems, IsEmpty());
  // One that cannot be used does no harm.
  storage_.save_snapshot({own.after, own.bytes + "x"}).value();
  EXPECT_THAT(verify_study(storage_).value().problems, IsEmpty());
  EXPECT_THAT(verify_study(storage_).value().notes,
              ElementsAre(HasSubstr("everything was replayed")));
  storage_.save_snapshot({own.after + 100, own.bytes}).value();
  EXPECT_THAT(verify_study(storage_).value().notes, ElementsAre(HasSubstr("does not have")));
}

}  // namespace
}  // namespace vbo
