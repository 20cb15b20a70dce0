// SPDX-License-Identifier: MIT
// What every storage owes, whichever it is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/contract.hpp"
#include "storage/copy.hpp"
#include "storage/samples.hpp"

namespace vbo {
namespace {

using testing::completed;
using testing::failed;
using ::testing::HasSubstr;
using testing::same;
using testing::sample_record;
using testing::sample_trial;
using testing::sample_worker;
using testing::StorageContract;

TEST_P(StorageContract, StudyComesBackAsItWas) {
  EXPECT_EQ(storage_->load_study().value(), std::nullopt);
  ASSERT_TRUE(storage_->create_study(sample_record()));
  reopen();
  ASSERT_TRUE(storage_->load_study().value());
  EXPECT_TRUE(same(*storage_->load_study().value(), sample_record()));
  EXPECT_EQ(storage_->create_study(sample_record()).error().kind, ErrorKind::conflict);

  ASSERT_TRUE(storage_->update_study(99, "{}"));
  reopen();
  EXPECT_EQ(storage_->load_study().value()->budget, 99);
  EXPECT_EQ(storage_->load_study().value()->evaluate_json, "{}");
}

TEST_P(StorageContract, SeveralObjectivesComeBackAsTheyWere) {
  StudyRecord record = sample_record();
  record.objectives = {{"error", Goal::minimize, 0.1 + 0.2},
                       {"speed \xc3\xa9", Goal::maximize, std::nullopt},
                       {"mass", Goal::minimize, -1e-300}};
  ASSERT_TRUE(storage_->create_study(record));
  const std::vector asked{sample_trial(1, 1), sample_trial(2, 1), sample_trial(3, 1)};
  ASSERT_TRUE(storage_->add_trials(asked, std::nullopt));
  Trial one = completed(asked[0], 0.5, 2);
  one.values = {0.5, 0.1 + 0.2, -7.0};
  one.standard_error = {0.0, 0.25, 1e-300};
  one.steps = {{1, {1.0, 2.0, 3.0}}};
  ASSERT_TRUE(storage_->finish_trials(std::vector{one}));
  // By a worker, and then corrected.
  const std::vector<Claim> claims = other()->claim(sample_worker("w"), 1, 1e6).value();
  ASSERT_EQ(claims.size(), 1U);
  Trial two = completed(claims[0].trial, 1.0, 0);
  two.values = {1.0, 2.0, 3.0};
  two.standard_error.clear();
  two.steps.clear();
  ASSERT_TRUE(other()->complete(two, claims[0].token));
  two.values = {1.0, 2.0, 4.0};
  ASSERT_TRUE(storage_->replace(two, "a typing error"));
  reopen();

  EXPECT_TRUE(same(*storage_->load_study().value(), record));
  EXPECT_TRUE(same(*storage_->load_trial(1).value(), one));
  EXPECT_EQ(storage_->load_trial(2).value()->values, two.values);
  const std::vector<Revision> revisions = storage_->load_revisions().value();
  ASSERT_EQ(revisions.size(), 1U);
  EXPECT_EQ(revisions[0].before.values, (std::vector{1.0, 2.0, 3.0}));
  EXPECT_TRUE(storage_->verify());
}

TEST_P(StorageContract, NothingCanBeAddedBeforeTheStudy) {
  EXPECT_EQ(storage_->add_trials(std::vector{sample_trial(1, 1)}, std::nullopt).error().kind,
            ErrorKind::not_found);
  EXPECT_EQ(storage_->update_study(1, "").error().kind, ErrorKind::not_found);
}

TEST_P(StorageContract, TrialsLiveThroughTheirStates) {
  ASSERT_TRUE(storage_->create_study(sample_record()));
  const std::vector asked{sample_trial(1, 1), sample_trial(2, 1), sample_trial(3, 1),
                          sample_trial(4, 1)};
  ASSERT_TRUE(storage_->add_trials(asked, std::nullopt));
  ASSERT_EQ(storage_->claim(sample_worker("w"), 2, 1e6).value().size(), 2U);
  const std::vector told{completed(asked[0], -0.25, 2), failed(asked[2], 2)};
  ASSERT_TRUE(storage_->finish_trials(told));
  reopen();

  const TrialCounts counts = storage_->counts().value();
  EXPECT_EQ(counts.waiting, 1);
  EXPECT_EQ(counts.running, 1);
  EXPECT_EQ(counts.completed, 1);
  EXPECT_EQ(counts.failed, 1);
  EXPECT_TRUE(same(*storage_->load_trial(1).value(), told[0]));
  EXPECT_EQ(storage_->load_trial(2).value()->attempts, 1);
  EXPECT_TRUE(same(*storage_->load_trial(3).value(), told[1]));
  EXPECT_TRUE(same(*storage_->load_trial(4).value(), asked[3]));
  EXPECT_GT(storage_->load_trial(4).value()->asked_at, 1e9);
  EXPECT_GE(storage_->load_trial(2).value()->started_at, storage_->load_trial(2).value()->asked_at);
  EXPECT_GE(storage_->load_trial(1).value()->finished_at,
            storage_->load_trial(1).value()->started_at);
  EXPECT_EQ(storage_->load_trial(2).value()->worker, "w");
  EXPECT_EQ(storage_->load_trial(5).value(), std::nullopt);
}

TEST_P(StorageContract, TrialsAreReadInPagesOrWithoutTheirOutput) {
  ASSERT_TRUE(storage_->create_study(sample_record()));
  std::vector<Trial> asked;
  for (TrialId id = 1; id <= 5; ++id) asked.push_back(sample_trial(id, 1));
  ASSERT_TRUE(storage_->add_trials(asked, std::nullopt));
  ASSERT_TRUE(storage_->finish_trials(std::vector{failed(asked[1], 2)}));
  EXPECT_EQ(storage_->load_trials().value().size(), 5U);
  const std::vector<Trial> page = storage_->load_trials(2, 2).value();
  ASSERT_EQ(page.size(), 2U);
  EXPECT_TRUE(same(page[0], failed(asked[1], 2)));
  EXPECT_TRUE(same(page[1], asked[2]));
  Trial without = failed(asked[1], 2);
  without.stderr_tail.clear();
  EXPECT_TRUE(same(storage_->load_history().value()[1], without));
}

TEST_P(StorageContract, ResultsFromOutsideArriveEnded) {
  ASSERT_TRUE(storage_->create_study(sample_record()));
  ASSERT_TRUE(storage_->add_trials(std::vector{sample_trial(1, 1)}, std::nullopt));
  const std::vector added{completed(sample_trial(2, 2), 0.5, 2), failed(sample_trial(3, 2), 2)};
  ASSERT_TRUE(storage_->add_trials(added, std::nullopt));
  reopen();
  EXPECT_TRUE(same(*storage_->load_trial(2).value(), added[0]));
  EXPECT_TRUE(same(*storage_->load_trial(3).value(), added[1]));
  EXPECT_EQ(storage_->counts().value().waiting, 1);
  EXPECT_EQ(storage_->best_trial(Goal::minimize).value()->id, 2);
  EXPECT_EQ(storage_->finish_trials(added).error().kind, ErrorKind::conflict);
}

TEST_P(StorageContract, ACopyIsTheSameStudy) {
  ASSERT_TRUE(storage_->create_study(sample_record()));
  const std::vector asked{sample_trial(1, 1), sample_trial(2, 1), sample_trial(3, 1)};
  AskReport said;
  said.round = 3;
  said.information = RoundInformation{.predicted = 0.5};
  said.message = "first";
  said.recommendation = Recommendation{1, 2.5, 0.5};
  ASSERT_TRUE(storage_->add_trials(asked, said));
  ASSERT_TRUE(storage_->finish_trials(std::vector{completed(asked[2], 1.5, 2)}));
  const Trial added = completed(sample_trial(4, 3), 0.5, 3);
  ASSERT_TRUE(storage_->add_trials(std::vector{added}, std::nullopt));
  ASSERT_TRUE(storage_->finish_trials(std::vector{failed(asked[0], 4)}));
  ASSERT_TRUE(storage_->save_snapshot({3, std::string("bytes\0\xff", 7)}));

  for (const std::string& url : {std::string("memory:"), std::string(folder_ / "copy.db")}) {
    const auto copy = open_storage(url, Access::coordinate).value();
    ASSERT_TRUE(copy_study(*storage_, *copy)) << url;
    EXPECT_TRUE(same(*copy->load_study().value(), sample_record()));
    const auto trials = copy->load_trials().value();
    const auto original = storage_->load_trials().value();
    ASSERT_EQ(trials.size(), original.size());
    for (std::size_t i = 0; i < trials.size(); ++i) EXPECT_TRUE(same(trials[i], original[i])) << i;
    ASSERT_EQ(copy->load_reports().value().size(), 1U);
    EXPECT_EQ(copy->load_reports().value()[0].event, 1);
    EXPECT_TRUE(same(copy->load_reports().value()[0].report, said));
    EXPECT_EQ(copy->load_snapshot().value()->after, 3);
    EXPECT_EQ(copy->load_snapshot().value()->bytes, std::string("bytes\0\xff", 7));
    EXPECT_EQ(copy_study(*storage_, *copy).error().kind, ErrorKind::conflict);
  }
}

TEST_P(StorageContract, WritesAreAllOrNothing) {
  ASSERT_TRUE(storage_->create_study(sample_record()));
  ASSERT_TRUE(storage_->add_trials(std::vector{sample_trial(2, 1)}, std::nullopt));

  const auto again =
      storage_->add_trials(std::vector{sample_trial(1, 2), sample_trial(2, 2)}, std::nullopt);
  EXPECT_EQ(again.error().kind, ErrorKind::conflict);
  EXPECT_THAT(again.error().message, HasSubstr("trial 2 is already stored"));
  EXPECT_EQ(storage_->load_trials().value().size(), 1U);

  const auto unknown = storage_->finish_trials(
      std::vector{completed(sample_trial(2, 1), 1.0, 2), completed(sample_trial(7, 1), 1.0, 2)});
  EXPECT_EQ(unknown.error().kind, ErrorKind::not_found);
  EXPECT_THAT(unknown.error().message, HasSubstr("no trial 7"));
  EXPECT_EQ(storage_->load_trial(2).value()->state, TrialState::waiting);

  ASSERT_TRUE(storage_->finish_trials(std::vector{completed(sample_trial(2, 1), 1.0, 2)}));
  const auto twice = storage_->finish_trials(std::vector{completed(sample_trial(2, 1), 2.0, 3)});
  EXPECT_EQ(twice.error().kind, ErrorKind::conflict);
  EXPECT_EQ(storage_->load_trial(2).value()->value(), 1.0);
  EXPECT_TRUE(storage_->claim(sample_worker("w"), 9).value().empty());
}

TEST_P(StorageContract, BestIsTheFirstAmongEquals) {
  ASSERT_TRUE(storage_->create_study(sample_record()));
  EXPECT_EQ(storage_->best_trial(Goal::minimize).value(), std::nullopt);
  const std::vector values{3.0, -2.0, 5.0, -2.0, 5.0};
  for (TrialId id = 1; id <= 5; ++id) {
    ASSERT_TRUE(storage_->add_trials(std::vector{sample_trial(id, 2 * id - 1)}, std::nullopt));
    ASSERT_TRUE(storage_->finish_trials(
        std::vector{completed(sample_trial(id, 2 * id - 1), values[id - 1], 2 * id)}));
  }
  ASSERT_TRUE(storage_->add_trials(std::vector{sample_trial(6, 11)}, std::nullopt));
  ASSERT_TRUE(storage_->finish_trials(std::vector{failed(sample_trial(6, 11), 12)}));
  EXPECT_EQ(storage_->best_trial(Goal::minimize).value()->id, 2);
  EXPECT_EQ(storage_->best_trial(Goal::maximize).value()->id, 3);
}

TEST_P(StorageContract, ReportsAndSnapshots) {
  ASSERT_TRUE(storage_->create_study(sample_record()));
  EXPECT_EQ(storage_->load_snapshot().value(), std::nullopt);
  const std::string bytes("weights \0\xff", 10);
  ASSERT_TRUE(storage_->save_snapshot({3, "old"}));
  ASSERT_TRUE(storage_->save_snapshot({7, bytes}));
  std::vector<AskReport> reports;
  for (TrialId id = 1; id <= 3; ++id) {
    AskReport& report = reports.emplace_back();
    report.round = id;
    report.information = RoundInformation{
        .predicted = 0.1 * static_cast<double>(id), .observed = {}, .ceiling = 3.5};
    report.exploitation = -0.25;
    report.values = {{"points", 12.0}};
    report.message = "note";
    if (id == 2) reports.back().recommendation = Recommendation{1, -0.5, 0.125};
    ASSERT_TRUE(storage_->add_trials(std::vector{sample_trial(id, id)}, reports.back()));
  }
  reopen();
  ASSERT_TRUE(storage_->load_snapshot().value());
  EXPECT_EQ(storage_->load_snapshot().value()->after, 7);
  EXPECT_EQ(storage_->load_snapshot().value()->bytes, bytes);
  const auto all = storage_->load_reports().value();
  ASSERT_EQ(all.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(all[i].event, static_cast<EventId>(i + 1));
    EXPECT_TRUE(same(all[i].report, reports[i]));
  }
  const auto last = storage_->load_reports(2).value();
  ASSERT_EQ(last.size(), 2U);
  EXPECT_EQ(last[0].event, 2);
}

INSTANTIATE_TEST_SUITE_P(Storages, StorageContract, testing::all_storages());

TEST(OpenStorage, UnknownKindsAreNamed) {
  EXPECT_EQ(open_storage("", Access::coordinate).error().kind, ErrorKind::invalid_input);
  const auto other = open_storage("mysql://user:secret@host/db", Access::coordinate);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().kind, ErrorKind::unsupported);
  EXPECT_THAT(other.error().message, HasSubstr("mysql://..."));
  EXPECT_THAT(other.error().message, ::testing::Not(HasSubstr("secret")));
}

}  // namespace
}  // namespace vbo
