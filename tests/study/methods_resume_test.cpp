// SPDX-License-Identifier: MIT
// Every method of this build, killed and resumed in the middle of its rounds, suggests what it
// would have suggested anyway.
#include <gtest/gtest.h>

#include "study/support.hpp"

namespace vbo {
namespace {

using testing::kill_study;
using testing::points_of;

constexpr int kBatch = 4;
constexpr int kTrials = 28;

StudyOptions study_with(const std::string& method) {
  StudyOptions options;
  options.name = method;
  options.space = Space::make({Parameter::real("x", -1, 1), Parameter::integer("n", 1, 1000),
                               Parameter::categorical("c", {"a", "b"})})
                      .value();
  options.budget = kTrials;
  options.optimizer = {.method = method, .seed = 7, .batch = kBatch, .threads = 1};
  return options;
}

class ResumeMethod : public ::testing::TestWithParam<std::string> {
 protected:
  Study open(const MemoryStorage& storage) {
    return Study::open(study_with(GetParam()), {std::make_unique<MemoryStorage>(storage), nullptr})
        .value();
  }
  // A batch at first, then one by one, with a failure now and then; killed after the trials named.
  std::vector<Trial> run(const std::vector<TrialId>& kills) {
    MemoryStorage storage;
    Study study = open(storage);
    study.ask(kBatch).value();
    for (TrialId id = 1; id <= kTrials - kBatch; ++id) {
      const Trial trial = *storage.load_trial(id).value();
      if (id % 9 == 0) {
        study.tell_failure(id, {FailureCause::crash, "crashed"}).value();
      } else {
        study.tell(id, testing::objective(trial.point)).value();
      }
      study.ask(1).value();
      if (std::find(kills.begin(), kills.end(), id) == kills.end()) continue;
      kill_study(std::move(study), storage);
      study = open(storage);
      EXPECT_EQ(study.warning(), "") << "killed after trial " << id;
    }
    return storage.load_trials(1, -1).value();
  }
};

TEST_P(ResumeMethod, IsExact) { EXPECT_EQ(points_of(run({2, 11, 20, 21})), points_of(run({}))); }

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const MethodInfo& info : methods()) names.push_back(info.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Methods, ResumeMethod, ::testing::ValuesIn(all_names()),
                         [](const ::testing::TestParamInfo<std::string>& info) {
                           std::string name = info.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace vbo
