// SPDX-License-Identifier: MIT
// What only a server can do: be away, hold several studies, change coordinators.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <barrier>
#include <thread>

#include "storage/samples.hpp"
#include "support/postgres_server.hpp"
#include "vbo/storage.hpp"

namespace vbo {
namespace {

using testing::completed;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::PostgresServer;
using testing::sample_record;
using testing::sample_trial;
using testing::sample_worker;

class Postgres : public ::testing::Test {
 protected:
  void SetUp() override { url_ = PostgresServer::instance().fresh_study(); }
  std::string url_;
};

TEST_F(Postgres, HoldsSeveralStudiesApart) {
  const auto one = open_storage(url_, Access::coordinate).value();
  const auto two =
      open_storage(PostgresServer::instance().fresh_study(), Access::coordinate).value();
  ASSERT_TRUE(one->create_study(sample_record()));
  EXPECT_EQ(two->load_study().value(), std::nullopt);
  ASSERT_TRUE(two->create_study(sample_record()));
  ASSERT_TRUE(one->add_trials(std::vector{sample_trial(1, 1)}, std::nullopt));
  ASSERT_TRUE(two->add_trials(std::vector{sample_trial(1, 1), sample_trial(2, 1)}, std::nullopt));
  EXPECT_EQ(one->load_trials().value().size(), 1U);
  EXPECT_EQ(two->claim(sample_worker("w"), 9).value().size(), 2U);
  EXPECT_EQ(one->queue_state().value().running, 0);
}

TEST_F(Postgres, NothingThereIsNotFound) {
  for (const Access access : {Access::read, Access::queue}) {
    const auto opened = open_storage(url_, access);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().kind, ErrorKind::not_found);
  }
}

TEST_F(Postgres, UrlsThatAreWrongAreExplainedWithoutTheirPassword) {
  const auto secret = open_storage("postgresql://me:hush@host/db?study=s", Access::read);
  ASSERT_FALSE(secret);
  EXPECT_EQ(secret.error().kind, ErrorKind::invalid_input);
  EXPECT_THAT(secret.error().message, HasSubstr("PGPASSFILE"));
  EXPECT_THAT(secret.error().message, Not(HasSubstr("hush")));
  const auto option = open_storage("postgresql://host/db?password=hush", Access::read);
  EXPECT_THAT(option.error().message, Not(HasSubstr("hush")));
  const auto key =
      open_storage("postgresql://host/db?sslmode=require&sslpassword=hush&study=s", Access::read);
  EXPECT_EQ(key.error().kind, ErrorKind::invalid_input);
  EXPECT_THAT(key.error().message, HasSubstr("found \"sslpassword\" in the URL"));
  EXPECT_THAT(key.error().message, Not(HasSubstr("hush")));
  const auto unknown = open_storage("postgresql://host/db?nonsense=hush", Access::read);
  EXPECT_EQ(unknown.error().kind, ErrorKind::invalid_input);
  EXPECT_THAT(unknown.error().message, Not(HasSubstr("hush")));
  const auto nobody = open_storage("postgresql://127.0.0.1:1/db?study=s", Access::read);
  EXPECT_EQ(nobody.error().kind, ErrorKind::io);
  EXPECT_THAT(nobody.error().message, HasSubstr("PostgreSQL at 127.0.0.1:1, database db"));
}

TEST_F(Postgres, OneCoordinatesAndTheNextFollowsAtOnceWhenItLeaves) {
  auto first = open_storage(url_, Access::coordinate).value();
  ASSERT_TRUE(first->create_study(sample_record()));
  const auto refused = open_storage(url_, Access::coordinate);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::busy);
  EXPECT_THAT(refused.error().message, HasSubstr("process " + std::to_string(getpid())));
  first.reset();
  EXPECT_TRUE(open_storage(url_, Access::coordinate));
}

// As a process that was stopped for a while, and not a dead one: it holds its connection all along.
TEST_F(Postgres, WhoWasReplacedCanWriteNothingAnyMore) {
  auto first = open_storage(url_, Access::coordinate).value();
  ASSERT_TRUE(first->create_study(sample_record()));
  const auto by_hand = [&](const std::string& sql) {
    const std::string folder = url_.substr(url_.find("host=") + 5);
    const std::string host = folder.substr(0, folder.find('&'));
    ASSERT_EQ(std::system(("psql -q -h " + host + " -U vbo studies -c \"" + sql + "\"").c_str()),
              0);
  };
  by_hand("UPDATE vbo.studies SET epoch = epoch + 1, coordinator_until = 0, coordinator = ''");
  auto second = open_storage(url_, Access::coordinate).value();
  const std::vector trials{sample_trial(1, 1)};
  for (const Result<void>& late :
       {first->add_trials(trials, std::nullopt), first->save_snapshot({1, "old"}),
        first->finish_trials(trials), first->offer({}), first->set_ended(true)}) {
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().kind, ErrorKind::busy);
    EXPECT_THAT(late.error().message, HasSubstr("taken over"));
  }
  first.reset();  // and takes nothing away when it goes
  EXPECT_TRUE(second->add_trials(trials, std::nullopt));
  EXPECT_EQ(open_storage(url_, Access::coordinate).error().kind, ErrorKind::busy);
}

TEST_F(Postgres, AServerThatRestartsIsFoundAgain) {
  auto storage = open_storage(url_, Access::coordinate).value();
  ASSERT_TRUE(storage->create_study(sample_record()));
  ASSERT_TRUE(storage->add_trials(std::vector{sample_trial(1, 1)}, std::nullopt));
  auto worker = storage->connect(Access::queue).value();
  const auto claims = worker->claim(sample_worker("w"), 1, 1e6).value();
  for (const std::string mode : {"fast", "immediate"}) {
    PostgresServer::instance().call("stop", mode);
    const auto away = worker->counts();
    ASSERT_FALSE(away);
    EXPECT_EQ(away.error().kind, ErrorKind::io);
    EXPECT_THAT(away.error().message, HasSubstr("cannot be reached"));
    EXPECT_EQ(storage->set_ended(true).error().kind, ErrorKind::io);
    PostgresServer::instance().call("again");
    EXPECT_EQ(worker->counts().value().running, 1);
    EXPECT_TRUE(storage->set_ended(false));
  }
  EXPECT_EQ(worker->complete(completed(claims[0].trial, 0.5, 0), claims[0].token).value(),
            Completion::recorded);
  // Notifications come on the new connection too.
  std::thread writer([other = storage->connect(Access::queue).value()] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    (void)other->request(1, "ann");
  });
  while (storage->queue_state().value().requests == 0) {
    ASSERT_TRUE(storage->wait(std::chrono::milliseconds(60000)));
  }
  writer.join();
}

// Suggestions are not waited for on the disk: the server may crash after a worker claimed one, and
// the coordinator may suggest something else under the same number.
TEST_F(Postgres, AResultOfALostSuggestionIsNotTakenForThatOfAnother) {
  const auto storage = open_storage(url_, Access::coordinate).value();
  ASSERT_TRUE(storage->create_study(sample_record()));
  ASSERT_TRUE(storage->add_trials(std::vector{sample_trial(1, 1), sample_trial(2, 1)}, {}));
  const auto worker = storage->connect(Access::queue).value();
  const auto claims = worker->claim(sample_worker("w"), 2, 1e6).value();
  const auto& server = PostgresServer::instance();
  const std::string newest = "(SELECT max(id) FROM vbo.studies)";
  server.sql("DELETE FROM vbo.trials WHERE id = 2 AND study = " + newest);
  server.sql("UPDATE vbo.trials SET state = 'waiting', token = 0 WHERE id = 1 AND study = " +
             newest);
  const auto complete = [&](const Claim& claim) {
    return worker->complete(completed(claim.trial, 0.5, 0), claim.token).value();
  };
  EXPECT_EQ(complete(claims[1]), Completion::unknown);
  Claim other = claims[0];
  other.trial.point = sample_trial(2, 1).point;
  EXPECT_EQ(complete(other), Completion::unknown);
  EXPECT_EQ(complete(claims[0]), Completion::recorded);  // the same point again
}

TEST_F(Postgres, SeveralMayOpenAFreshDatabaseAtTheSameMoment) {
  const auto& server = PostgresServer::instance();
  for (int round = 0; round < 4; ++round) {
    server.sql("DROP SCHEMA IF EXISTS vbo CASCADE");
    std::vector<std::string> errors(12);
    std::vector<std::jthread> openers;
    std::barrier all(std::ssize(errors));
    for (std::size_t i = 0; i < errors.size(); ++i) {
      openers.emplace_back([&, i, url = PostgresServer::instance().fresh_study()] {
        all.arrive_and_wait();
        const auto opened = open_storage(url, Access::coordinate);
        if (!opened) errors[i] = opened.error().message;
      });
    }
    openers.clear();
    EXPECT_THAT(errors, ::testing::Each("")) << "round " << round;
  }
}

// What a server's clock that is set back by a day leaves behind: ends a day too far away.
TEST_F(Postgres, AClockSetBackKeepsNoLeaseOfTheDead) {
  const auto& server = PostgresServer::instance();
  auto storage = open_storage(url_, Access::coordinate).value();
  ASSERT_TRUE(storage->create_study(sample_record()));
  ASSERT_TRUE(
      storage->add_trials(std::vector{sample_trial(1, 1), sample_trial(2, 1)}, std::nullopt));
  const auto worker = storage->connect(Access::queue).value();
  const auto dead = worker->claim(sample_worker("dead", "elsewhere"), 1, 0.3).value();
  const auto living = worker->claim(sample_worker("living", "there"), 1, 100.0).value();
  for (const auto* name : {"dead", "living"}) {
    ASSERT_TRUE(worker->renew(sample_worker(name, name), {}, 1.0));
  }
  const std::string study = "(SELECT max(id) FROM vbo.studies)";
  server.sql("UPDATE vbo.trials SET lease_until = lease_until + 86400 WHERE study = " + study);
  server.sql("UPDATE vbo.workers SET seen_at = seen_at + 86400 WHERE study = " + study);
  EXPECT_EQ(storage->return_lost().value(), 0);  // nobody loses a lease by it
  EXPECT_EQ(storage->queue_state().value().running, 2);
  for (const WorkerInfo& listed : storage->load_workers().value()) {
    EXPECT_LE(listed.seen_at, storage->now().value());
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(350));
  EXPECT_EQ(storage->return_lost().value(), 1);
  EXPECT_EQ(worker->renew(sample_worker("living"), std::vector{living[0].token}).value().size(),
            1U);
  EXPECT_TRUE(worker->renew(sample_worker("dead"), std::vector{dead[0].token}).value().empty());
  storage.reset();
  server.sql(
      "UPDATE vbo.studies SET coordinator = 'dead', coordinator_until = vbo.clock() + 86400 "
      "WHERE id = " +
      study);
  EXPECT_EQ(open_storage(url_, Access::coordinate).error().kind, ErrorKind::busy);
  EXPECT_EQ(
      server.sql("SELECT coordinator_until - vbo.clock() < 7 FROM vbo.studies WHERE id = " + study)
              .find('t') != std::string::npos,
      true);
}

// A server, a database or a role may be set to say "committed" before it is on the disk.
TEST_F(Postgres, AcknowledgedResultsSurviveACrashWhateverTheDefaultsAre) {
  const auto& server = PostgresServer::instance();
  server.sql("ALTER SYSTEM SET synchronous_commit = off");
  server.sql("ALTER SYSTEM SET wal_writer_delay = '10s'");  // nobody else writes it out meanwhile
  server.sql("ALTER DATABASE studies SET synchronous_commit = off");
  server.sql("ALTER ROLE vbo SET synchronous_commit = off");
  server.sql("SELECT pg_reload_conf()");
  const auto storage = open_storage(url_, Access::coordinate).value();
  ASSERT_TRUE(storage->create_study(sample_record()));
  std::vector<Trial> asked;
  for (TrialId id = 1; id <= 8; ++id) asked.push_back(sample_trial(id, 1));
  ASSERT_TRUE(storage->add_trials(asked, std::nullopt));
  const auto worker = storage->connect(Access::queue).value();
  for (int i = 0; i < 8; ++i) {
    const auto claims = worker->claim(sample_worker("w"), 1, 1e6).value();
    ASSERT_EQ(claims.size(), 1U);
    const Trial done = completed(claims[0].trial, 0.5, 0);
    ASSERT_EQ(worker->complete(done, claims[0].token).value(), Completion::recorded);
  }
  server.call("stop", "immediate");
  server.call("again");
  EXPECT_EQ(open_storage(url_, Access::read).value()->load_untold().value().size(), 8U);
  server.sql("ALTER ROLE vbo RESET ALL");
  server.sql("ALTER DATABASE studies RESET ALL");
  server.sql("ALTER SYSTEM RESET ALL");
  server.sql("SELECT pg_reload_conf()");
}

}  // namespace
}  // namespace vbo
