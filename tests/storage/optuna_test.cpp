// SPDX-License-Identifier: MIT
// Cells of an Optuna storage that are not what Optuna writes. Real storages are read end to end in
// tests/e2e/test_corrections.py.
#include "storage/optuna/optuna.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <string>

#include "storage/optuna_sample.hpp"

namespace vbo {
namespace {

using ::testing::HasSubstr;

class Optuna : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = ::testing::TempDir() + "optuna-" + std::to_string(getpid()) + ".db";
    change(testing::kOptunaTables);
    change(testing::kOptunaParams);
  }
  void TearDown() override { unlink(path_.c_str()); }

  void change(const std::string& sql) const {
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open(path_.c_str(), &handle), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(handle);
  }
  OptunaStudy read() const { return read_optuna(path_).value(); }

  std::string path_;
};

TEST_F(Optuna, ReadsTrials) {
  const OptunaStudy study = read();
  EXPECT_EQ(study.name, "tuning");
  EXPECT_EQ(study.objectives, std::vector<Objective>{Objective{}});
  EXPECT_EQ(study.pruned, 1);
  ASSERT_EQ(study.trials.size(), 3U);
  EXPECT_EQ(dump(study.trials[0].params), R"({"x":0.25,"n":3,"kind":3})");
  EXPECT_EQ(study.trials[0].outcome.value(), 75.5);
  EXPECT_NEAR(study.trials[0].outcome.seconds, 0.3052, 1e-3);
  EXPECT_EQ(study.trials[1].outcome.failure->cause, FailureCause::reported);
  EXPECT_EQ(study.trials[2].outcome.failure->cause, FailureCause::non_finite);
}

TEST_F(Optuna, ReadsSeveralObjectives) {
  change("INSERT INTO study_directions VALUES (2, 'MAXIMIZE', 1, 1)");
  change("INSERT INTO trial_values VALUES (3, 1, 1, -2.5, 'FINITE'), (4, 4, 1, 1, 'FINITE')");
  const OptunaStudy study = read();
  EXPECT_EQ(study.objectives,
            (std::vector<Objective>{{"value_0", Goal::minimize}, {"value_1", Goal::maximize}}));
  EXPECT_EQ(study.trials[0].outcome.values, (std::vector<double>{75.5, -2.5}));
  EXPECT_NEAR(study.trials[0].outcome.seconds, 0.3052, 1e-3);
  EXPECT_EQ(study.trials[2].outcome.failure->cause, FailureCause::non_finite);
  change("DELETE FROM trial_values WHERE trial_value_id = 3");  // not Optuna's doing
  EXPECT_EQ(read().trials[0].outcome.failure->cause, FailureCause::non_finite);
}

TEST_F(Optuna, ObjectivesHaveTheMetricNamesOfTheStudy) {
  change("INSERT INTO study_directions VALUES (2, 'MAXIMIZE', 1, 1)");
  change(
      "CREATE TABLE study_system_attributes (study_system_attribute_id INTEGER PRIMARY KEY, "
      "study_id INTEGER, key VARCHAR(512), value_json TEXT)");
  EXPECT_EQ(read().objectives[1].name, "value_1");
  change(
      "INSERT INTO study_system_attributes VALUES (1, 1, 'study:metric_names', "
      "'[\"error\", \"speed\"]')");
  EXPECT_EQ(read().objectives[0].name, "error");
  EXPECT_EQ(read().objectives[1].name, "speed");
  for (const char* json : {"[\"error\"]", "[1, 2]", "7", "["}) {
    change("UPDATE study_system_attributes SET value_json = '" + std::string(json) + "'");
    EXPECT_EQ(read().objectives[1].name, "value_1") << json;
  }
}

TEST_F(Optuna, MoreObjectivesThanWeTakeAreRefused) {
  for (int m = 1; m <= 8; ++m) {
    change("INSERT INTO study_directions VALUES (" + std::to_string(m + 1) + ", 'MINIMIZE', 1, " +
           std::to_string(m) + ")");
  }
  EXPECT_THAT(read_optuna(path_).error().message, HasSubstr("has 9 objectives, expected 1 to 8"));
}

TEST_F(Optuna, DistributionsOfAnyShapeGiveNoValue) {
  for (const char* json :
       {R"({"name": "CategoricalDistribution", "attributes": 7})",
        R"({"name": "CategoricalDistribution"})",
        R"({"name": "CategoricalDistribution", "attributes": {}})",
        R"({"name": "CategoricalDistribution", "attributes": {"choices": 3}})",
        R"({"name": "CategoricalDistribution", "attributes": {"choices": []}})"}) {
    change("UPDATE trial_params SET distribution_json = '" + std::string(json) +
           "' WHERE param_id = 3");
    EXPECT_TRUE(read().trials[0].params["kind"].is_null()) << json;
  }
  change("UPDATE trial_params SET distribution_json = '{\"name\": 5}' WHERE param_id = 3");
  EXPECT_EQ(read().trials[0].params["kind"], 1.0);
  change("UPDATE trial_params SET distribution_json = '[' WHERE param_id = 3");
  EXPECT_THAT(read_optuna(path_).error().message,
              HasSubstr("the distribution of parameter \"kind\" is not readable"));
}

TEST_F(Optuna, NumbersOutsideOfTheirKindStayOutside) {
  change("UPDATE trial_params SET param_value = -1 WHERE param_id = 3");
  EXPECT_TRUE(read().trials[0].params["kind"].is_null());
  change("UPDATE trial_params SET param_value = 1e300 WHERE param_id IN (2, 3)");
  EXPECT_TRUE(read().trials[0].params["kind"].is_null());
  EXPECT_EQ(read().trials[0].params["n"], 1e300);
}

TEST_F(Optuna, CellsWithoutANumberAreNotZero) {
  change("UPDATE trial_params SET param_value = 'abc' WHERE param_id = 1");
  change("UPDATE trial_params SET param_value = NULL WHERE param_id = 2");
  EXPECT_EQ(dump(read().trials[0].params), R"({"x":null,"n":null,"kind":3})");
  for (const char* cell : {"NULL", "'abc'", "x'00'"}) {
    change("UPDATE trial_values SET value = " + std::string(cell) + " WHERE trial_id = 1");
    EXPECT_EQ(read().trials[0].outcome.failure->cause, FailureCause::non_finite) << cell;
  }
}

}  // namespace
}  // namespace vbo
