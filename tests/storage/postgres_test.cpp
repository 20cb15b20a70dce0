// SPDX-License-Identifier: MIT
// What only a server can do: be away, hold several studies, change coordinators.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace vbo
