// SPDX-License-Identifier: MIT
// A short study on a disk that lies, with every kind of fault at every operation. Afterwards the
// file either gives all results that were told before, or is refused as damaged: never less, and
// never a fresh start.
#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdio>
#include <set>
#include <utility>

#include "storage/samples.hpp"
#include "support/lying_disk.hpp"
#include "support/temporary_folder.hpp"
#include "vbo/storage.hpp"

namespace vbo::testing {
namespace {

namespace fs = std::filesystem;

double value_of(TrialId id) { return static_cast<double>(id) / 7.0; }

// What the storage said it had done.
struct Done {
  bool created = false;
  std::set<TrialId> told;
};

Done create(const std::string& path) {
  Done done;
  Result<std::unique_ptr<Storage>> opened = open_storage(path, Access::coordinate, 0.0);
  if (opened) done.created = (*opened)->create_study(sample_record()).has_value();
  return done;
}

// Asks, claims, completes, tells by hand, saves snapshots, closes and opens again in between.
Done play(const std::string& path) {
  Done done{.created = true};
  EventId event = 0;
  TrialId next = 1;
  for (int session = 0; session < 2; ++session) {
    Result<std::unique_ptr<Storage>> opened = open_storage(path, Access::coordinate, 0.0);
    if (!opened) continue;
    Storage& storage = **opened;
    for (int round = 0; round < 2; ++round) {
      const std::vector<Trial> asked = {sample_trial(next, event + 1),
                                        sample_trial(next + 1, event + 1)};
      const Durability durability = round == 0 ? Durability::at_once : Durability::with_the_next;
      if (!storage.add_trials(asked, AskReport{}, 0, durability)) continue;
      ++event;
      next += 2;
      // One by a worker, told afterwards; one by the coordinator itself.
      const auto claims = storage.claim(sample_worker("w"), 1);
      Trial ended = completed(asked[0], value_of(asked[0].id), 0);
      const std::int64_t token = claims && !claims->empty() ? claims->front().token : 0;
      if (storage.complete(ended, token)) {
        done.told.insert(ended.id);
        ended.told_in = event + 1;
        if (storage.tell_trials(std::vector<Trial>{ended})) ++event;
      }
      const Trial second = completed(asked[1], value_of(asked[1].id), event + 1);
      if (storage.finish_trials(std::vector<Trial>{second})) {
        ++event;
        done.told.insert(second.id);
      }
      (void)storage.save_snapshot({event, std::string(9000, static_cast<char>('a' + round))});
    }
    if (session == 0) (void)storage.settle();
  }
  return done;
}

// The same by writes that become durable soon: of a worker, and of the coordinator itself.
Done play_soon(const std::string& path) {
  Done done{.created = true};
  const Result<std::unique_ptr<Storage>> opened = open_storage(path, Access::coordinate, 0.0);
  if (!opened) return done;
  const Result<std::unique_ptr<Storage>> connected = (*opened)->connect(Access::queue);
  if (!connected) return done;
  Storage& coordinator = **opened;
  Storage& worker = **connected;
  std::vector<Claim> claims;
  const auto take = [&](Claim claim) { claims.push_back(std::move(claim)); };
  // By number of the write, from 1; what is told is known to be durable.
  std::vector<TrialId> by_worker, by_coordinator;
  const auto confirm = [&](Storage& storage, const std::vector<TrialId>& written, bool all) {
    const auto durable = storage.durable(all ? std::ssize(written) : 0);
    if (!durable) return;
    for (std::int64_t i = 0; i < std::min(*durable, std::int64_t{std::ssize(written)}); ++i) {
      done.told.insert(written[static_cast<std::size_t>(i)]);
    }
  };
  EventId event = 0;
  for (TrialId next = 1; next <= 12; next += 2) {
    const std::vector<Trial> asked = {sample_trial(next, event + 1),
                                      sample_trial(next + 1, event + 1)};
    if (!coordinator.add_trials(asked, AskReport{}, 0, Durability::with_the_next)) continue;
    ++event;
    std::vector<Claim> ended = std::exchange(claims, {});
    for (Claim& claim : ended) claim.trial = completed(claim.trial, value_of(claim.trial.id), 0);
    if (worker.exchange(ended, sample_worker("w"), 1, kLeaseSeconds, take) && !ended.empty()) {
      by_worker.push_back(ended.front().trial.id);
    }
    const Trial second = completed(asked[1], value_of(asked[1].id), event + 1);
    if (coordinator.finish_trials(std::vector<Trial>{second}, Durability::soon)) {
      ++event;
      by_coordinator.push_back(second.id);
    }
    const bool all = next == 5;
    confirm(worker, by_worker, all);
    confirm(coordinator, by_coordinator, all);
  }
  confirm(worker, by_worker, true);
  confirm(coordinator, by_coordinator, true);
  return done;
}

void expect_kept(const std::string& path, const Done& done, const std::string& what) {
  for (const Access access : {Access::read, Access::coordinate}) {
    Result<std::unique_ptr<Storage>> opened = open_storage(path, access, 0.0);
    if (!opened) {
      // Nothing there is right only when nothing was promised.
      const ErrorKind kind = opened.error().kind;
      EXPECT_TRUE(kind == ErrorKind::damaged || kind == ErrorKind::io ||
                  (kind == ErrorKind::not_found && !done.created))
          << what << ": " << opened.error().message;
      continue;
    }
    const auto study = (*opened)->load_study();
    if (!study) {
      EXPECT_EQ(study.error().kind, ErrorKind::damaged) << what;
      continue;
    }
    EXPECT_TRUE(study->has_value() || !done.created) << what << ": a fresh start";
    if (!study->has_value()) continue;
    const auto trials = (*opened)->load_trials(1, -1);
    if (!trials) {
      EXPECT_EQ(trials.error().kind, ErrorKind::damaged) << what << trials.error().message;
      continue;
    }
    std::set<TrialId> found;
    for (const Trial& trial : *trials) {
      if (!trial.value()) continue;
      EXPECT_EQ(*trial.value(), value_of(trial.id)) << what;
      found.insert(trial.id);
    }
    for (const TrialId id : done.told) EXPECT_TRUE(found.contains(id)) << what << ": lost " << id;
    if (const auto snapshot = (*opened)->load_snapshot(); snapshot && *snapshot) {
      EXPECT_EQ((*snapshot)->bytes, std::string(9000, (*snapshot)->bytes[0])) << what;
    }
  }
}

// Where files are quick, for there are thousands.
class Disk : public ::testing::Test {
 protected:
  Disk() {
    std::string pattern =
        std::string(access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp") + "/vbo-disk-XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  ~Disk() override { fs::remove_all(folder_); }

  std::string fresh(const std::string& name) {
    const fs::path folder = folder_ / name;
    fs::remove_all(folder);
    fs::create_directories(folder);
    return (folder / "study.db").string();
  }

  // A study that was created without faults.
  std::string created(const std::string& name) {
    if (created_.empty()) {
      created_ = fresh("created");
      EXPECT_TRUE(create(created_).created);
    }
    const std::string path = fresh(name);
    fs::copy(created_, path);
    return path;
  }

  // Operations of `work` without faults.
  template <class Work>
  int count(const std::string& path, Work work) {
    disk_.plan(DiskFault::none, 0);
    (void)work(path);
    return disk_.operations();
  }

  // What the power failure left, in every way, is kept.
  void check_pictures(const Done& done, const std::string& what) {
    using Unsynced = LyingDisk::Unsynced;
    for (const Unsynced unsynced :
         {Unsynced::nothing, Unsynced::everything, Unsynced::some, Unsynced::some_torn}) {
      const bool random = unsynced == Unsynced::some || unsynced == Unsynced::some_torn;
      for (std::uint64_t seed = 1; seed <= (random ? 2U : 1U); ++seed) {
        const std::string picture = fresh("picture");
        disk_.write_picture(unsynced, seed, fs::path(picture).parent_path());
        ++pictures_;
        expect_kept(picture, done,
                    what + ", unsynced " + std::to_string(static_cast<int>(unsynced)) + ", seed " +
                        std::to_string(seed));
        if (!done.created) continue;
        if (const auto opened = open_storage(picture, Access::read); !opened) {
          ++refused_;
          reasons_.insert(opened.error().message);
        }
      }
    }
  }

  fs::path folder_;
  std::string created_;
  LyingDisk disk_;
  int pictures_ = 0, refused_ = 0;
  std::set<std::string> reasons_;  // of refusals
};

constexpr DiskFault kFaults[] = {DiskFault::fails_once, DiskFault::fails_forever,
                                 DiskFault::is_full, DiskFault::half_written};

std::string named(DiskFault fault, int n) {
  return "fault " + std::to_string(static_cast<int>(fault)) + " at operation " + std::to_string(n);
}

TEST_F(Disk, WithoutFaultsAllIsKept) {
  const std::string path = created("clean");
  disk_.plan(DiskFault::none, 0);
  const Done done = play(path);
  EXPECT_EQ(done.told.size(), 8U);
  expect_kept(path, done, "clean");
}

TEST_F(Disk, FailuresFullDisksAndHalfWrites) {
  const int operations = count(created("count"), play);
  ASSERT_GT(operations, 50);
  int faults = 0, refused = 0;
  for (const DiskFault fault : kFaults) {
    for (int n = 1; n <= operations && !HasFailure(); ++n) {
      const std::string path = created("fault");
      disk_.plan(fault, n);
      const Done done = play(path);
      if (!disk_.happened()) continue;
      ++faults;
      disk_.plan(DiskFault::none, 0);
      expect_kept(path, done, named(fault, n));
      refused += !open_storage(path, Access::read);
    }
  }
  std::printf("%d operations, %d faults, %d files refused\n", operations, faults, refused);
}

// How many operations there are depends on which syncs cover how many writes.
TEST_F(Disk, WhatIsDurableSoonIsKept) {
  const Done clean = play_soon(created("soon"));
  EXPECT_EQ(clean.told.size(), 11U);  // the worker's last one is still running
  const int operations = count(created("count"), play_soon);
  int faults = 0, told = 0;
  for (int n = 1; n <= operations && !HasFailure(); ++n) {
    for (const DiskFault fault : kFaults) {
      const std::string path = created("fault");
      disk_.plan(fault, n);
      const Done done = play_soon(path);
      faults += disk_.happened();
      told += static_cast<int>(done.told.size());
      disk_.plan(DiskFault::none, 0);
      expect_kept(path, done, named(fault, n));
    }
    const std::string path = created("power");
    disk_.plan(DiskFault::power_fails, n);
    const Done done = play_soon(path);
    disk_.plan_nothing();
    if (disk_.happened()) check_pictures(done, "power at operation " + std::to_string(n));
  }
  std::printf("%d operations, %d faults, %d results kept, %d pictures, %d refused\n", operations,
              faults, told, pictures_, refused_);
  EXPECT_EQ(refused_, 0);
  EXPECT_GT(faults, operations);
}

TEST_F(Disk, PowerFailures) {
  const int operations = count(created("count"), play);
  for (int n = 1; n <= operations && !HasFailure(); ++n) {
    const std::string path = created("power");
    disk_.plan(DiskFault::power_fails, n);
    const Done done = play(path);
    ASSERT_TRUE(disk_.happened());
    disk_.plan_nothing();
    check_pictures(done, "power at operation " + std::to_string(n));
  }
  std::printf("%d operations, %d pictures, %d refused\n", operations, pictures_, refused_);
  // After a power failure the file is there again: refusing it would be safe, and useless.
  EXPECT_EQ(refused_, 0);
  for (const std::string& reason : reasons_) std::printf("%s\n", reason.c_str());
}

// What an evaluation costs, coordinator and worker together, wherever time goes on this machine.
TEST_F(Disk, AnEvaluationIsOneSync) {
  const std::string path = created("syncs");
  const auto coordinator = open_storage(path, Access::coordinate, 0.0).value();
  const auto worker = coordinator->connect(Access::queue).value();
  EventId event = 0;
  const auto evaluate = [&](TrialId first, TrialId last) {
    std::vector<Trial> trials;
    ++event;
    for (TrialId id = first; id <= last; ++id) trials.push_back(sample_trial(id, event));
    coordinator->add_trials(trials, AskReport{}, 0, Durability::with_the_next).value();
    std::vector<Claim> ended = worker->claim(sample_worker("w"), last - first + 1).value();
    EXPECT_EQ(std::ssize(ended), last - first + 1);
    for (Claim& claim : ended) claim.trial = completed(claim.trial, value_of(claim.trial.id), 0);
    worker->complete_all(ended).value();
    std::vector<Trial> told = coordinator->load_untold().value();
    ++event;
    for (Trial& trial : told) trial.told_in = event;
    coordinator->tell_trials(told).value();
  };
  evaluate(1, 1);  // the first write marks the file as being written
  disk_.plan(DiskFault::none, 0);
  for (TrialId id = 2; id <= 11; ++id) evaluate(id, id);
  EXPECT_EQ(disk_.syncs(), 10);
  disk_.plan(DiskFault::none, 0);
  evaluate(12, 31);  // those that end together share one
  EXPECT_EQ(disk_.syncs(), 1);
}

TEST_F(Disk, WritesShareSyncsInTheBackground) {
  const auto storage = open_storage(created("group"), Access::coordinate, 0.0).value();
  constexpr TrialId kMany = 200;
  std::vector<Trial> trials;
  for (TrialId id = 1; id <= kMany; ++id) trials.push_back(sample_trial(id, 1));
  storage->add_trials(trials, AskReport{}, 0, Durability::at_once).value();
  disk_.plan(DiskFault::none, 0);
  for (const Trial& trial : trials) {
    const std::vector<Trial> one = {completed(trial, 0.5, trial.id + 1)};
    storage->finish_trials(one, Durability::soon).value();
  }
  EXPECT_EQ(storage->durable(kMany).value(), kMany);
  EXPECT_GE(disk_.syncs(), 1);
  EXPECT_LE(disk_.syncs(), kMany);
  // One that failed is made up for by a checkpoint.
  const Trial late = sample_trial(kMany + 1, kMany + 2);
  storage->add_trials(std::vector{late}, AskReport{}, 0, Durability::with_the_next).value();
  disk_.fail_next_sync();
  storage->finish_trials(std::vector{completed(late, 0.5, kMany + 3)}, Durability::soon).value();
  EXPECT_EQ(storage->durable(kMany + 1).value(), kMany + 1);
  EXPECT_TRUE(disk_.happened());
}

TEST_F(Disk, Creation) {
  const int operations = count(fresh("count"), create);
  int faults = 0;
  for (int n = 1; n <= operations && !HasFailure(); ++n) {
    const DiskFault fault = kFaults[n % 4];
    const std::string path = fresh("fault");
    disk_.plan(fault, n);
    const Done done = create(path);
    faults += disk_.happened();
    disk_.plan(DiskFault::none, 0);
    expect_kept(path, done, named(fault, n));
    if (n % 8 != 0) continue;  // these take long, and a file under another name is nobody's
    disk_.plan(DiskFault::power_fails, n);
    const Done before = create(fresh("power"));
    disk_.plan_nothing();
    check_pictures(before, "power at operation " + std::to_string(n));
  }
  std::printf("%d operations, %d faults, %d pictures\n", operations, faults, pictures_);
}

}  // namespace
}  // namespace vbo::testing
