// SPDX-License-Identifier: MIT
// What every storage owes as a queue: claims, leases, results by whoever has them, requests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>
#include <thread>

#include "storage/contract.hpp"
#include "storage/samples.hpp"

namespace vbo {
namespace {

using testing::completed;
using ::testing::ElementsAre;
using testing::failed;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::same;
using testing::sample_record;
using testing::sample_trial;
using testing::sample_worker;

constexpr double kLong = 1e6;   // a lease nobody sees the end of
constexpr double kOver = -1.0;  // one that is over at once

class StorageQueue : public testing::StorageContract {
 protected:
  void SetUp() override {
    StorageContract::SetUp();
    if (IsSkipped()) return;
    storage_->create_study(sample_record()).value();
    std::vector<Trial> trials;
    for (TrialId id = 1; id <= 6; ++id) trials.push_back(sample_trial(id, 1));
    storage_->add_trials(trials, std::nullopt).value();
  }
  static std::vector<TrialId> ids_of(const std::vector<Claim>& claims) {
    std::vector<TrialId> ids;
    for (const Claim& claim : claims) ids.push_back(claim.trial.id);
    return ids;
  }
  static std::vector<TrialId> ids_of(const std::vector<Trial>& trials) {
    std::vector<TrialId> ids;
    for (const Trial& trial : trials) ids.push_back(trial.id);
    return ids;
  }
};

TEST_P(StorageQueue, ClaimsGiveEachTrialOnceLowestFirst) {
  const auto one = other();
  const auto two = other();
  const auto first = one->claim(sample_worker("one"), 2, kLong).value();
  EXPECT_THAT(ids_of(first), ElementsAre(1, 2));
  EXPECT_THAT(ids_of(two->claim(sample_worker("two"), 3, kLong).value()), ElementsAre(3, 4, 5));
  EXPECT_THAT(ids_of(one->claim(sample_worker("one"), 9, kLong).value()), ElementsAre(6));
  EXPECT_THAT(two->claim(sample_worker("two"), 1, kLong).value(), IsEmpty());
  EXPECT_EQ(first[0].trial.state, TrialState::running);
  EXPECT_EQ(first[0].trial.attempts, 1);
  EXPECT_EQ(first[0].trial.worker, "one");
  EXPECT_NE(first[0].token, first[1].token);
  EXPECT_EQ(first[0].trial.point, sample_trial(1, 1).point);
  const QueueState queue = storage_->queue_state().value();
  EXPECT_EQ(queue.offered, 0);
  EXPECT_EQ(queue.running, 6);
}

TEST_P(StorageQueue, AResultIsStoredByWhoeverHasItAndToldByTheCoordinator) {
  const auto worker = other();
  const auto claims = worker->claim(sample_worker("one"), 2, kLong).value();
  const Trial late = completed(claims[1].trial, 0.5, 0);
  const Trial soon = failed(claims[0].trial, 0);
  EXPECT_EQ(worker->complete(late, claims[1].token).value(), Completion::recorded);
  EXPECT_EQ(worker->complete(soon, claims[0].token).value(), Completion::recorded);
  EXPECT_EQ(worker->complete(completed(sample_trial(4, 1), 7.0, 0), 0).value(),
            Completion::recorded);  // by hand, and not claimed at all
  // Everybody sees them at once.
  EXPECT_EQ(storage_->counts().value().completed, 2);
  EXPECT_EQ(storage_->counts().value().failed, 1);
  EXPECT_EQ(storage_->best_trial(Goal::maximize).value()->id, 4);
  EXPECT_EQ(storage_->queue_state().value().untold, 3);

  std::vector<Trial> untold = storage_->load_untold().value();
  EXPECT_THAT(ids_of(untold), ElementsAre(2, 1, 4));  // as they came
  EXPECT_TRUE(same(untold[0], late));
  EXPECT_TRUE(same(untold[1], soon));
  EXPECT_EQ(worker->complete(late, claims[1].token).value(), Completion::recorded);  // once more

  for (Trial& trial : untold) trial.told_in = 2;
  ASSERT_TRUE(storage_->tell_trials(untold));
  reopen();
  EXPECT_THAT(storage_->load_untold().value(), IsEmpty());
  EXPECT_EQ(storage_->load_trial(2).value()->told_in, 2);
  EXPECT_TRUE(same(*storage_->load_trial(2).value(), untold[0]));
  EXPECT_EQ(storage_->counts().value().completed, 2);
  EXPECT_EQ(storage_->counts().value().failed, 1);
  EXPECT_EQ(storage_->tell_trials(untold).error().kind, ErrorKind::conflict);
  EXPECT_EQ(storage_->tell_trials(std::vector{sample_trial(5, 1)}).error().kind,
            ErrorKind::conflict);
}

TEST_P(StorageQueue, ASecondResultIsKeptBesideAndChangesNothing) {
  const auto worker = other();
  const auto claims = worker->claim(sample_worker("one"), 1, kLong).value();
  ASSERT_TRUE(worker->complete(completed(claims[0].trial, 0.5, 0), claims[0].token));
  EXPECT_EQ(worker->complete(completed(claims[0].trial, 9.0, 0), claims[0].token + 1).value(),
            Completion::second);
  EXPECT_EQ(storage_->load_trial(1).value()->value(), 0.5);
  const auto by_hand = worker->complete(completed(claims[0].trial, 9.0, 0), 0);
  EXPECT_EQ(by_hand.error().kind, ErrorKind::conflict);
  EXPECT_THAT(by_hand.error().message,
              HasSubstr("trial 1 has already ended: completed, value 0.5"));
  EXPECT_TRUE(worker->complete(completed(claims[0].trial, 0.5, 0), 0));  // the same: fine
  EXPECT_EQ(worker->complete(completed(sample_trial(77, 1), 0.5, 0), 0).error().kind,
            ErrorKind::not_found);
  // Claimed, and lost by a server that crashed: nothing a worker could mend.
  EXPECT_EQ(worker->complete(completed(sample_trial(77, 1), 0.5, 0), 5).value(),
            Completion::unknown);
  EXPECT_EQ(storage_->load_untold().value().size(), 1U);
}

TEST_P(StorageQueue, ALostLeasePutsTheTrialBackAndALateResultCounts) {
  const auto worker = other();
  const auto claims = worker->claim(sample_worker("slow"), 1, kOver).value();
  EXPECT_EQ(storage_->return_lost().value(), 1);
  EXPECT_EQ(storage_->return_lost().value(), 0);
  EXPECT_EQ(storage_->load_trial(1).value()->state, TrialState::waiting);
  EXPECT_THAT(worker->renew(sample_worker("slow"), std::vector{claims[0].token}, kLong).value(),
              IsEmpty());
  const auto again = worker->claim(sample_worker("fast"), 1, kLong).value();
  EXPECT_THAT(ids_of(again), ElementsAre(1));
  EXPECT_EQ(again[0].trial.attempts, 2);
  EXPECT_EQ(worker->complete(completed(claims[0].trial, 1.5, 0), claims[0].token).value(),
            Completion::recorded);
  EXPECT_EQ(worker->complete(completed(again[0].trial, 1.6, 0), again[0].token).value(),
            Completion::second);
  EXPECT_EQ(storage_->load_trial(1).value()->value(), 1.5);
}

TEST_P(StorageQueue, ARenewedLeaseHolds) {
  const auto worker = other();
  const auto claims = worker->claim(sample_worker("one"), 2, kOver).value();
  EXPECT_THAT(worker->renew(sample_worker("one"), std::vector{claims[0].token}, kLong).value(),
              ElementsAre(claims[0].token));
  EXPECT_EQ(storage_->return_lost().value(), 1);
  EXPECT_EQ(storage_->load_trial(1).value()->state, TrialState::running);
  EXPECT_EQ(storage_->load_trial(2).value()->state, TrialState::waiting);
}

TEST_P(StorageQueue, ATrialThatLosesItsWorkersHasFailed) {
  const auto worker = other();
  for (int loss = 1; loss <= kMostLosses; ++loss) {
    EXPECT_EQ(storage_->load_trial(1).value()->state, TrialState::waiting);
    EXPECT_THAT(ids_of(worker->claim(sample_worker("doomed"), 1, kOver).value()), ElementsAre(1));
    EXPECT_EQ(storage_->return_lost().value(), 1);
  }
  const Trial lost = *storage_->load_trial(1).value();
  EXPECT_EQ(lost.state, TrialState::failed);
  EXPECT_EQ(lost.failure->cause, FailureCause::lost);
  EXPECT_THAT(lost.failure->message, HasSubstr("lost 3 times"));
  EXPECT_THAT(ids_of(storage_->load_untold().value()), ElementsAre(1));
  // Without blame it is never the trial's fault.
  for (int loss = 1; loss <= kMostLosses + 1; ++loss) {
    EXPECT_THAT(ids_of(worker->claim(sample_worker("unlucky"), 1, kOver).value()), ElementsAre(2));
    EXPECT_EQ(storage_->return_lost(false).value(), 1);
  }
}

TEST_P(StorageQueue, WorkersOfThisMachineAreMissedAtOnce) {
  const auto worker = other();
  {
    const ProcessName here;
    ASSERT_TRUE(worker->renew(sample_worker("here", here.text()), {}, kLong));
    ASSERT_EQ(worker->claim(sample_worker("here", here.text()), 1, kLong).value().size(), 1U);
    EXPECT_EQ(storage_->return_lost().value(), 0);
    EXPECT_EQ(storage_->queue_state().value().slots, 4);
  }
  EXPECT_EQ(storage_->return_lost().value(), 1);
  EXPECT_EQ(storage_->queue_state().value().slots, 0);
  EXPECT_THAT(storage_->load_workers().value(), IsEmpty());
}

TEST_P(StorageQueue, WhatIsGivenBackWasNeverClaimed) {
  const auto worker = other();
  const auto claims = worker->claim(sample_worker("one"), 2, kLong).value();
  ASSERT_TRUE(worker->give_back(std::vector{claims[0].token}));
  const Trial back = *storage_->load_trial(1).value();
  EXPECT_EQ(back.state, TrialState::waiting);
  EXPECT_EQ(back.attempts, 0);
  EXPECT_THAT(ids_of(worker->claim(sample_worker("two"), 1, kLong).value()), ElementsAre(1));
  ASSERT_TRUE(worker->give_back(std::vector{claims[0].token}));  // no longer ours
  EXPECT_EQ(storage_->load_trial(1).value()->state, TrialState::running);
}

TEST_P(StorageQueue, OnlyWhatIsOfferedCanBeClaimed) {
  const auto worker = other();
  const auto running = worker->claim(sample_worker("one"), 1, kLong).value();
  ASSERT_TRUE(storage_->offer(std::vector<TrialId>{3, 5, 99}));
  EXPECT_EQ(storage_->queue_state().value().offered, 2);
  EXPECT_THAT(ids_of(worker->claim(sample_worker("one"), 9, kLong).value()), ElementsAre(3, 5));
  ASSERT_TRUE(worker->give_back(std::vector{running[0].token}));
  EXPECT_THAT(worker->claim(sample_worker("one"), 9, kLong).value(), IsEmpty());
  ASSERT_TRUE(storage_->offer({}));
  EXPECT_EQ(storage_->queue_state().value().offered, 0);
}

TEST_P(StorageQueue, RequestsAreAnsweredAndNotOfferedToWorkers) {
  const auto person = other();
  const std::int64_t first = person->request(2, "ann").value();
  const std::int64_t second = person->request(1, "bob").value();
  const std::int64_t third = person->request(1, "cid").value();
  EXPECT_EQ(storage_->queue_state().value().requests, 3);
  const auto open = storage_->load_requests().value();
  ASSERT_EQ(open.size(), 3U);
  EXPECT_EQ(open[0].id, first);
  EXPECT_EQ(open[0].count, 2);
  EXPECT_EQ(open[0].who, "ann");
  EXPECT_EQ(person->load_answer(first).value(), std::nullopt);
  ASSERT_TRUE(storage_->add_trials(std::vector{sample_trial(7, 2), sample_trial(8, 2)},
                                   std::nullopt, first));
  ASSERT_TRUE(storage_->refuse_request(second, "no more points"));
  ASSERT_TRUE(person->withdraw_request(third));
  EXPECT_THAT(ids_of(*person->load_answer(first).value()), ElementsAre(7, 8));
  EXPECT_EQ(person->load_answer(second).error().message, "no more points");
  EXPECT_EQ(person->load_answer(third).error().kind, ErrorKind::not_found);
  EXPECT_THAT(storage_->load_requests().value(), IsEmpty());
  EXPECT_EQ(storage_->queue_state().value().offered, 6);
  EXPECT_EQ(storage_->add_trials(std::vector{sample_trial(9, 3)}, std::nullopt, third).error().kind,
            ErrorKind::not_found);
  EXPECT_EQ(storage_->load_trial(9).value(), std::nullopt);
}

// A coordinator that has workers to feed answers a long request in pieces.
TEST_P(StorageQueue, ARequestIsAnsweredInPieces) {
  const auto person = other();
  const std::int64_t whole = person->request(3, "ann").value();
  const std::int64_t part = person->request(3, "bob").value();
  const std::int64_t given_up = person->request(3, "cid").value();
  ASSERT_TRUE(storage_->add_trials(std::vector{sample_trial(7, 2), sample_trial(8, 2)},
                                   std::nullopt, whole));
  EXPECT_EQ(person->load_answer(whole).value(), std::nullopt);
  EXPECT_EQ(storage_->load_requests().value().front().count, 1);
  EXPECT_EQ(storage_->queue_state().value().requests, 3);
  ASSERT_TRUE(storage_->add_trials(std::vector{sample_trial(9, 3)}, std::nullopt, whole));
  EXPECT_THAT(ids_of(*person->load_answer(whole).value()), ElementsAre(7, 8, 9));
  // What there is is the answer, when there is no more and when nobody waits any longer.
  ASSERT_TRUE(storage_->add_trials(std::vector{sample_trial(10, 4)}, std::nullopt, part));
  ASSERT_TRUE(storage_->refuse_request(part, "no more points"));
  EXPECT_THAT(ids_of(*person->load_answer(part).value()), ElementsAre(10));
  ASSERT_TRUE(storage_->add_trials(std::vector{sample_trial(11, 5)}, std::nullopt, given_up));
  ASSERT_TRUE(person->withdraw_request(given_up));
  EXPECT_THAT(ids_of(*person->load_answer(given_up).value()), ElementsAre(11));
  EXPECT_THAT(storage_->load_requests().value(), IsEmpty());
  EXPECT_EQ(
      storage_->add_trials(std::vector{sample_trial(12, 6)}, std::nullopt, given_up).error().kind,
      ErrorKind::not_found);
}

TEST_P(StorageQueue, WorkersAreListedUntilTheyLeave) {
  const auto worker = other();
  WorkerInfo one = sample_worker("one");
  one.completed = 3;
  ASSERT_TRUE(worker->renew(one, {}, kLong));
  ASSERT_TRUE(worker->renew(sample_worker("two"), {}, kLong));
  const auto workers = storage_->load_workers().value();
  ASSERT_EQ(workers.size(), 2U);
  EXPECT_EQ(storage_->queue_state().value().slots, 8);  // two workers of four
  EXPECT_EQ(workers[0].name, "one");
  EXPECT_EQ(workers[0].completed, 3);
  EXPECT_EQ(workers[0].slots, 4);
  EXPECT_TRUE(workers[0].alive);
  EXPECT_GT(workers[0].seen_at, 1e9);
  ASSERT_TRUE(worker->leave(one));
  EXPECT_EQ(storage_->load_workers().value().size(), 1U);
  EXPECT_EQ(storage_->queue_state().value().slots, 4);
}

TEST_P(StorageQueue, ResultsThatCameTogetherAreStoredTogether) {
  const auto worker = other();
  std::vector<Claim> claims = worker->claim(sample_worker("one"), 3, kLong).value();
  for (Claim& claim : claims) {
    claim.trial = completed(claim.trial, 0.5 * static_cast<double>(claim.trial.id), 0);
  }
  // Somebody was faster with the second.
  storage_->complete(completed(claims[1].trial, -1.0, 0), 0).value();
  EXPECT_THAT(worker->complete_all(claims).value(),
              ElementsAre(Completion::recorded, Completion::second, Completion::recorded));
  EXPECT_THAT(ids_of(storage_->load_untold().value()), ElementsAre(2, 1, 3));
  EXPECT_EQ(storage_->load_trial(2).value()->value(), -1.0);
  // Once more, for the answer may have got lost.
  EXPECT_TRUE(worker->complete_all(claims));
  EXPECT_EQ(storage_->load_trial(3).value()->value(), 1.5);
}

// Results of a batch come in any order while the coordinator takes offers back and leases are
// renewed: nobody may end up waiting for somebody who waits for him.
TEST_P(StorageQueue, ThoseWhoChangeManyTrialsAtOnceDoNotBlockEachOther) {
  constexpr TrialId kTrials = 240;
  std::vector<Trial> trials;
  for (TrialId id = 7; id <= kTrials; ++id) trials.push_back(sample_trial(id, 2));
  storage_->add_trials(trials, std::nullopt).value();
  const auto worker = other();
  const auto sign_of_life = other();
  std::atomic<bool> done = false;
  std::vector<std::int64_t> tokens(8);
  std::mutex mutex;
  std::thread renewing([&] {
    while (!done) {
      std::vector<std::int64_t> held;
      {
        const std::scoped_lock lock(mutex);
        held = tokens;
      }
      EXPECT_TRUE(sign_of_life->renew(sample_worker("one"), held, kLong));
    }
  });
  std::thread working([&] {
    for (std::ptrdiff_t ended = 0;;) {
      std::vector<Claim> claims = worker->claim(sample_worker("one"), 8, kLong).value();
      {
        const std::scoped_lock lock(mutex);
        tokens.clear();
        for (const Claim& claim : claims) tokens.push_back(claim.token);
      }
      std::reverse(claims.begin(), claims.end());
      for (Claim& claim : claims) claim.trial = completed(claim.trial, 1.0, 0);
      const auto stored = worker->complete_all(claims);
      EXPECT_TRUE(stored) << stored.error().message;
      ended += std::ssize(claims);
      if (ended == kTrials) break;
    }
    done = true;
  });
  std::vector<TrialId> all(kTrials);
  std::iota(all.begin(), all.end(), TrialId{1});
  while (!done) {
    const auto withdrawn = storage_->offer({});
    EXPECT_TRUE(withdrawn) << withdrawn.error().message;
    const auto offered = storage_->offer(all);
    EXPECT_TRUE(offered) << offered.error().message;
  }
  working.join();
  renewing.join();
}

TEST_P(StorageQueue, OfResultsThatCannotAllBeStoredNoneIs) {
  const Claim good{completed(sample_trial(1, 1), 0.5, 0), 0};
  const Claim unknown{completed(sample_trial(99, 1), 0.5, 0), 0};
  const std::vector<Claim> claims = {good, unknown};
  EXPECT_EQ(storage_->complete_all(claims).error().kind, ErrorKind::not_found);
  EXPECT_THAT(storage_->load_untold().value(), IsEmpty());
}

TEST_P(StorageQueue, TheEndIsAnnounced) {
  const auto worker = other();
  EXPECT_FALSE(worker->queue_state().value().ended);
  ASSERT_TRUE(storage_->set_ended(true));
  EXPECT_TRUE(worker->queue_state().value().ended);
  ASSERT_TRUE(storage_->set_ended(false));
  EXPECT_FALSE(worker->queue_state().value().ended);
}

TEST_P(StorageQueue, WaitingEndsWhenSomebodyWrites) {
  (void)storage_->wait(std::chrono::milliseconds(0));
  std::thread writer([storage = other()] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    (void)storage->renew(sample_worker("one"), {}, kLong);
    (void)storage->complete(completed(sample_trial(1, 1), 0.5, 0), 0);
  });
  // A minute would be noticed.
  for (int i = 0; i < 100 && storage_->queue_state().value().untold == 0; ++i) {
    ASSERT_TRUE(storage_->wait(std::chrono::milliseconds(60000)));
  }
  writer.join();
  EXPECT_EQ(storage_->queue_state().value().untold, 1);
}

TEST_P(StorageQueue, ManyClaimAtOnceAndNoneGetsTheSame) {
  std::vector<Trial> trials;
  for (TrialId id = 7; id <= 200; ++id) trials.push_back(sample_trial(id, 2));
  storage_->add_trials(trials, std::nullopt).value();
  std::vector<std::vector<TrialId>> taken(8);
  std::vector<std::thread> threads;
  for (auto& mine : taken) {
    threads.emplace_back([&mine, storage = other()] {
      for (;;) {
        const auto claims = storage->claim(sample_worker("many"), 3, kLong).value();
        if (claims.empty()) return;
        for (const Claim& claim : claims) {
          mine.push_back(claim.trial.id);
          storage->complete(completed(claim.trial, 1.0, 0), claim.token).value();
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<TrialId> all;
  for (const auto& mine : taken) all.insert(all.end(), mine.begin(), mine.end());
  std::sort(all.begin(), all.end());
  ASSERT_EQ(all.size(), 200U);
  EXPECT_EQ(std::unique(all.begin(), all.end()), all.end());
  EXPECT_EQ(storage_->counts().value().completed, 200);
  EXPECT_EQ(storage_->load_untold().value().size(), 200U);
}

INSTANTIATE_TEST_SUITE_P(Storages, StorageQueue, testing::all_storages());

}  // namespace
}  // namespace vbo
