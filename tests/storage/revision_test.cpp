// SPDX-License-Identifier: MIT
// Corrections: what every storage owes to people who change something afterwards.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/contract.hpp"
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

class StorageRevisions : public testing::StorageContract {
 protected:
  // Four trials: 1 completed and told, 2 failed and told, 3 completed and untold, 4 waiting.
  void fill() {
    ASSERT_TRUE(storage_->create_study(sample_record()));
    for (TrialId id = 1; id <= 4; ++id) asked_.push_back(sample_trial(id, 1));
    ASSERT_TRUE(storage_->add_trials(asked_, std::nullopt));
    ASSERT_TRUE(storage_->finish_trials(std::vector{completed(asked_[0], 5.0, 2)}));
    ASSERT_TRUE(storage_->finish_trials(std::vector{failed(asked_[1], 3)}));
    ASSERT_TRUE(storage_->complete(completed(asked_[2], 7.0, 0), 0));
  }
  std::vector<Trial> asked_;
};
INSTANTIATE_TEST_SUITE_P(Storages, StorageRevisions, testing::all_storages(),
                         [](const auto& info) { return info.param; });

TEST_P(StorageRevisions, ReplaceKeepsWhatWasBefore) {
  fill();
  const auto person = other();
  Trial better = completed(asked_[0], 0.5, 2);
  better.suggested = better.point;
  better.point[0] = 0.25;
  ASSERT_TRUE(person->replace(better, "decimal point"));
  ASSERT_TRUE(person->replace(better, "once more, the same"));  // changes nothing
  ASSERT_TRUE(person->replace(failed(asked_[2], 0), "broke"));
  reopen();
  const Trial now = storage_->load_trial(1).value().value();
  EXPECT_EQ(now.value(), 0.5);
  EXPECT_EQ(now.point, better.point);
  EXPECT_EQ(now.suggested, asked_[0].point);
  EXPECT_EQ(now.told_in, 2);
  EXPECT_EQ(storage_->load_trial(3).value()->state, TrialState::failed);
  EXPECT_EQ(storage_->counts().value().completed, 1);
  EXPECT_EQ(storage_->counts().value().failed, 2);
  EXPECT_EQ(storage_->best_trial(Goal::minimize).value()->value(), 0.5);

  const std::vector<Revision> log = storage_->load_revisions().value();
  ASSERT_EQ(log.size(), 2U);
  EXPECT_EQ(log[0].kind, RevisionKind::replaced);
  EXPECT_EQ(log[0].reason, "decimal point");
  EXPECT_EQ(log[0].event, 0);
  EXPECT_GT(log[0].made_at, 1e9);
  EXPECT_TRUE(same(log[0].before, completed(asked_[0], 5.0, 2)));
  EXPECT_EQ(log[0].before.suggested, std::nullopt);
  EXPECT_LT(log[0].id, log[1].id);

  ASSERT_TRUE(storage_->apply_revisions(std::vector{log[0].id}, 9));
  reopen();
  EXPECT_EQ(storage_->load_revisions(true).value().size(), 1U);
  EXPECT_EQ(storage_->load_revisions().value()[0].event, 9);
  EXPECT_EQ(storage_->apply_revisions(std::vector<std::int64_t>{99}, 9).error().kind,
            ErrorKind::not_found);
}

TEST_P(StorageRevisions, OnlyEndedTrialsCanBeReplaced) {
  fill();
  const auto open = storage_->replace(completed(asked_[3], 1.0, 0), "why");
  EXPECT_EQ(open.error().kind, ErrorKind::conflict);
  EXPECT_THAT(open.error().message, HasSubstr("trial 4 is waiting"));
  EXPECT_EQ(storage_->replace(completed(sample_trial(9, 1), 1.0, 0), "").error().kind,
            ErrorKind::not_found);
  EXPECT_TRUE(storage_->load_revisions().value().empty());
}

// Between reading the untold and telling them, somebody corrects one.
TEST_P(StorageRevisions, AStaleTellIsRefused) {
  fill();
  std::vector<Trial> untold = storage_->load_untold().value();
  ASSERT_EQ(untold.size(), 1U);
  ASSERT_TRUE(other()->replace(completed(asked_[2], 6.0, 0), "typo"));
  untold[0].told_in = 4;
  EXPECT_EQ(storage_->tell_trials(untold).error().kind, ErrorKind::conflict);
  untold = storage_->load_untold().value();
  ASSERT_EQ(untold.size(), 1U);
  EXPECT_EQ(untold[0].value(), 6.0);
  untold[0].told_in = 4;
  EXPECT_TRUE(storage_->tell_trials(untold));
  EXPECT_EQ(storage_->counts().value().completed, 2);
}

TEST_P(StorageRevisions, DropTakesWaitingOnesAndNoOthers) {
  fill();
  const auto person = other();
  const auto mixed = person->drop(std::vector<TrialId>{4, 1}, "");
  EXPECT_EQ(mixed.error().kind, ErrorKind::conflict);
  EXPECT_THAT(mixed.error().message, HasSubstr("trial 1 has already ended"));
  EXPECT_TRUE(storage_->load_trial(4).value());  // all or none
  ASSERT_TRUE(person->drop(std::vector<TrialId>{4, 4}, "out of material"));
  reopen();
  EXPECT_EQ(storage_->load_trial(4).value(), std::nullopt);
  EXPECT_EQ(storage_->counts().value().waiting, 0);
  EXPECT_TRUE(storage_->claim(sample_worker("w"), 5).value().empty());
  const std::vector<Revision> log = storage_->load_revisions().value();
  ASSERT_EQ(log.size(), 1U);
  EXPECT_EQ(log[0].kind, RevisionKind::dropped);
  EXPECT_TRUE(same(log[0].before, asked_[3]));
  EXPECT_EQ(other()->drop(std::vector<TrialId>{4}, "").error().kind, ErrorKind::not_found);
}

TEST_P(StorageRevisions, ARunningOneIsNotDropped) {
  fill();
  ASSERT_EQ(storage_->claim(sample_worker("bench 3"), 1, 1e6).value().size(), 1U);
  const auto refused = storage_->drop(std::vector<TrialId>{4}, "");
  EXPECT_EQ(refused.error().kind, ErrorKind::conflict);
  EXPECT_THAT(refused.error().message, HasSubstr("bench 3"));
}

TEST_P(StorageRevisions, RetryMakesAFailedOneWaitAgain) {
  fill();
  const auto person = other();
  EXPECT_EQ(person->retry(std::vector<TrialId>{2, 1}, "").error().kind, ErrorKind::conflict);
  EXPECT_EQ(storage_->counts().value().failed, 1);
  ASSERT_TRUE(person->retry(std::vector<TrialId>{2}, "power was off"));
  reopen();
  const Trial waits = storage_->load_trial(2).value().value();
  EXPECT_EQ(waits.state, TrialState::waiting);
  EXPECT_EQ(waits.failure, std::nullopt);
  EXPECT_EQ(waits.stderr_tail, "");
  EXPECT_EQ(waits.told_in, 0);
  EXPECT_EQ(storage_->counts().value().failed, 0);
  EXPECT_EQ(storage_->counts().value().waiting, 2);
  EXPECT_EQ(other()->drop(std::vector<TrialId>{2}, "").error().kind, ErrorKind::conflict);
  const std::vector<Claim> claims = other()->claim(sample_worker("w"), 1, 1e6).value();
  ASSERT_EQ(claims.size(), 1U);
  EXPECT_EQ(claims[0].trial.id, 2);
  ASSERT_TRUE(storage_->complete(completed(claims[0].trial, 1.5, 0), claims[0].token));
  EXPECT_EQ(storage_->load_untold().value().size(), 2U);
  EXPECT_EQ(storage_->load_revisions().value().at(0).before.failure, failed(asked_[1], 3).failure);
}

TEST_P(StorageRevisions, ActualPointsComeBack) {
  fill();
  Trial done = completed(asked_[3], 1.0, 0);
  done.suggested = done.point;
  done.point[0] = 0.125;
  ASSERT_TRUE(other()->complete(done, 0));
  EXPECT_EQ(other()->complete(done, 0).value(), Completion::recorded);  // the same again
  reopen();
  const Trial stored = storage_->load_trial(4).value().value();
  EXPECT_EQ(stored.point, done.point);
  EXPECT_EQ(stored.suggested, asked_[3].point);
  EXPECT_EQ(other()->complete(completed(asked_[3], 1.0, 0), 0).error().kind, ErrorKind::conflict);
}

TEST_P(StorageRevisions, ResultsAreBroughtToTheCoordinator) {
  fill();
  const auto person = other();
  const Point point = sample_trial(5, 4).point;
  const Delivery delivery{
      .results = {{point, {.values = {2.0}, .metrics = {{"mass", 1.0}}, .standard_error = {0.5}}},
                  {point, Outcome::failed(FailureCause::timeout, "took long")}},
      .once = true};
  const std::int64_t id = person->bring(delivery, "me").value();
  EXPECT_EQ(person->load_answer(id).value(), std::nullopt);
  const std::vector<AskRequest> requests = storage_->load_requests().value();
  ASSERT_EQ(requests.size(), 1U);
  const Delivery& brought = requests[0].delivery.value();
  EXPECT_TRUE(brought.once);
  ASSERT_EQ(brought.results.size(), 2U);
  EXPECT_EQ(brought.results[0].point, point);
  EXPECT_EQ(brought.results[0].outcome.values, delivery.results[0].outcome.values);
  EXPECT_EQ(brought.results[0].outcome.metrics, delivery.results[0].outcome.metrics);
  EXPECT_EQ(brought.results[0].outcome.standard_error, delivery.results[0].outcome.standard_error);
  EXPECT_EQ(brought.results[1].outcome.failure, delivery.results[1].outcome.failure);
  Trial added = completed(sample_trial(5, 4), 2.0, 4);
  ASSERT_TRUE(storage_->add_trials(std::vector{added}, std::nullopt, id));
  const auto answer = person->load_answer(id).value();
  ASSERT_TRUE(answer);
  ASSERT_EQ(answer->size(), 1U);
  EXPECT_EQ(answer->front().value(), 2.0);
  EXPECT_TRUE(storage_->load_requests().value().empty());
}

TEST_P(StorageRevisions, WhatBelongsToAResultIsBroughtAndKept) {
  fill();
  const auto person = other();
  const std::string attributes = R"({"note":"dry","shape":[1,2]})";
  Outcome outcome{.values = {2.0}, .steps = {{1, {3.0}}, {4, {2.5}}}, .attributes = attributes};
  Delivery delivery;
  delivery.results.push_back({sample_trial(5, 4).point, outcome});
  const std::int64_t id = person->bring(delivery, "me").value();
  const Delivery brought = storage_->load_requests().value().at(0).delivery.value();
  EXPECT_EQ(brought.results[0].outcome.steps, outcome.steps);
  EXPECT_EQ(brought.results[0].outcome.attributes, attributes);
  Trial added = completed(sample_trial(5, 4), 2.0, 4);
  added.steps = outcome.steps;
  added.attributes = attributes;
  ASSERT_TRUE(storage_->add_trials(std::vector{added}, std::nullopt, id));
  reopen();
  const Trial stored = storage_->load_trial(5).value().value();
  EXPECT_EQ(stored.steps, outcome.steps);
  EXPECT_EQ(stored.attributes, attributes);
}

TEST_P(StorageRevisions, PointsToEvaluateFirstAnswerTheirRequest) {
  fill();
  const auto person = other();
  const std::vector<PartialPoint> start = {{0.5, std::nullopt, std::nullopt}};
  const std::int64_t id = person->bring(Delivery{.start = start}, "me").value();
  EXPECT_EQ(storage_->load_requests().value().at(0).delivery.value().start, start);
  EXPECT_EQ(storage_->set_start(start, id + 1).error().kind, ErrorKind::not_found);
  EXPECT_TRUE(storage_->load_study().value()->start.empty());
  ASSERT_TRUE(storage_->set_start(start, id));
  EXPECT_TRUE(person->load_answer(id).value().value().empty());
  EXPECT_TRUE(storage_->load_requests().value().empty());
  reopen();
  EXPECT_EQ(storage_->load_study().value()->start, start);
}

TEST_P(StorageRevisions, StartAndTimeAreKept) {
  EXPECT_EQ(storage_->set_start({}).error().kind, ErrorKind::not_found);
  StudyRecord record = sample_record();
  record.start = {{0.5, std::nullopt, std::nullopt}};
  ASSERT_TRUE(storage_->create_study(record));
  reopen();
  EXPECT_EQ(storage_->load_study().value()->start, record.start);
  ASSERT_TRUE(storage_->set_start({}));
  EXPECT_EQ(storage_->spend(1.5).value(), 1.5);
  reopen();
  EXPECT_TRUE(storage_->load_study().value()->start.empty());
  EXPECT_EQ(storage_->spend(0.25).value(), 1.75);
}

}  // namespace
}  // namespace vbo
