// SPDX-License-Identifier: MIT
// What only a file can do wrong: locks, strangers' files, damage, full and read-only disks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "storage/samples.hpp"
#include "storage/sqlite/open.hpp"
#include "storage/sqlite/schema.hpp"
#include "storage/sqlite/storage.hpp"
#include "support/child_process.hpp"
#include "support/temporary_folder.hpp"

namespace vbo {
namespace {

namespace fs = std::filesystem;
using testing::ChildProcess;
using testing::completed;
using ::testing::HasSubstr;
using testing::sample_record;
using testing::sample_trial;
using ::testing::StartsWith;

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void write_file(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

std::string kind(ErrorKind kind) { return std::to_string(static_cast<int>(kind)) + " "; }

class SqliteFile : public ::testing::Test {
 protected:
  // A closed study with `count` trials, the first completed.
  void make_study(TrialId count = 3) {
    auto storage = open_storage(path_, Access::coordinate).value();
    storage->create_study(sample_record()).value();
    std::vector<Trial> trials;
    for (TrialId id = 1; id <= count; ++id) trials.push_back(sample_trial(id, 1));
    storage->add_trials(trials, std::nullopt).value();
    storage->finish_trials(std::vector{completed(trials[0], 0.5, 2)}).value();
  }
  // Opening fails in both ways with this kind and text, and leaves the file and the folder alone.
  void expect_refused(ErrorKind expected, const std::string& text) {
    const std::string before = content_of(path_);
    for (const Access access : {Access::read, Access::coordinate}) {
      const auto opened = open_storage(path_, access);
      ASSERT_FALSE(opened);
      EXPECT_EQ(opened.error().kind, expected) << opened.error().message;
      EXPECT_THAT(opened.error().message, HasSubstr(text));
      EXPECT_THAT(opened.error().message, HasSubstr("study.db"));
    }
    EXPECT_EQ(content_of(path_), before);
  }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  testing::TemporaryFolder folder_;
  std::string path_ = folder_ / "study.db";
};

TEST_F(SqliteFile, IsOneFileOnceClosed) {
  make_study();
  EXPECT_EQ(files(), std::vector<std::string>{"study.db"});
  EXPECT_EQ(open_storage(path_, Access::read).value()->load_trials().value().size(), 3U);
  EXPECT_EQ(files(), std::vector<std::string>{"study.db"});
}

TEST_F(SqliteFile, NothingToReadIsNotFoundAndCreatesNothing) {
  const auto opened = open_storage(path_, Access::read);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind, ErrorKind::not_found);
  EXPECT_TRUE(files().empty());
}

TEST_F(SqliteFile, AnEmptyFileIsFilledByAWriterAndNotFoundForAReader) {
  write_file(path_, "");
  const auto opened = open_storage(path_, Access::read);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind, ErrorKind::not_found);
  EXPECT_EQ(fs::file_size(path_), 0U);
  make_study();
  EXPECT_EQ(open_storage(path_, Access::read).value()->load_trials().value().size(), 3U);
}

TEST_F(SqliteFile, ForeignFilesAreLeftAlone) {
  write_file(path_, "x1,x2,y\n1,2,3\n");
  expect_refused(ErrorKind::damaged, "not an SQLite database");
  write_file(path_, "SQLite format 3");  // too short to be one
  expect_refused(ErrorKind::damaged, "not an SQLite database");
  fs::remove(path_);
  {
    sqlite::Database other(path_, sqlite::Database::Mode::create);
    other.execute("CREATE TABLE recipes (name TEXT)");
  }
  expect_refused(ErrorKind::damaged, "another program");
  fs::remove(path_);
  fs::create_directory(path_);
  EXPECT_EQ(open_storage(path_, Access::coordinate).error().kind, ErrorKind::damaged);
  EXPECT_EQ(files(), std::vector<std::string>{"study.db"});
}

TEST_F(SqliteFile, ANewerSchemaIsLeftAlone) {
  make_study();
  sqlite::Database(path_, sqlite::Database::Mode::write).execute("PRAGMA user_version = 99");
  expect_refused(ErrorKind::damaged, "schema 99");
}

TEST_F(SqliteFile, ASchemaBeforeTheFirstReleaseIsLeftAlone) {
  make_study();
  sqlite::Database(path_, sqlite::Database::Mode::write).execute("PRAGMA user_version = 3");
  expect_refused(ErrorKind::damaged, "schema 3, this build knows 4 to 5");
}

TEST_F(SqliteFile, DamageIsReported) {
  make_study(2000);
  std::string content = content_of(path_);
  ASSERT_GT(content.size(), 100000U);

  write_file(path_, content.substr(0, content.size() / 2));
  const std::string before = content_of(path_);
  auto opened = open_storage(path_, Access::coordinate);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind, ErrorKind::damaged) << opened.error().message;
  EXPECT_EQ(content_of(path_), before);

  std::string scrambled = content;
  for (std::size_t i = 4096; i < scrambled.size(); i += 7) scrambled[i] ^= 0x5a;
  write_file(path_, scrambled);
  opened = open_storage(path_, Access::coordinate);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind, ErrorKind::damaged) << opened.error().message;
  EXPECT_EQ(content_of(path_), scrambled);
  const auto reader = open_storage(path_, Access::read);  // looks at what it needs only
  if (reader) {
    EXPECT_EQ((*reader)->load_trials().error().kind, ErrorKind::damaged);
  }
}

// A view could be a query without end; a trigger would run with our writes.
TEST_F(SqliteFile, OnlyTheTablesOfVboAreAccepted) {
  const std::pair<std::string, std::string> changes[] = {
      {"ALTER TABLE trials RENAME TO rows; CREATE VIEW trials AS WITH RECURSIVE c(x) AS (SELECT 1 "
       "UNION ALL SELECT x + 1 FROM c) SELECT x AS id, 'completed' AS state FROM c",
       "no vbo defines so the index \"trials_by_request\""},
      {"CREATE VIEW more AS SELECT 1", "no vbo makes the view \"more\""},
      {"CREATE TRIGGER t AFTER UPDATE ON trials BEGIN DELETE FROM reports; END",
       "no vbo makes the trigger \"t\""},
      {"ALTER TABLE outputs ADD COLUMN big TEXT AS (hex(zeroblob(1000000000)))",
       "no vbo defines so the table \"outputs\""},
      {"DROP INDEX trials_by_value", "it lacks the index \"trials_by_value\""},
      {"CREATE TABLE \"a\x1b[2J\" (x TEXT)", "no vbo makes the table \"a\\x1b[2J\""},
  };
  for (const auto& [change, message] : changes) {
    fs::remove(path_);
    make_study();
    {
      sqlite::Database database(path_, sqlite::Database::Mode::write);
      sqlite3_db_config(database.handle(), SQLITE_DBCONFIG_DEFENSIVE, 0, nullptr);
      ASSERT_EQ(sqlite3_exec(database.handle(), change.c_str(), nullptr, nullptr, nullptr),
                SQLITE_OK)
          << sqlite3_errmsg(database.handle());
      database.checkpoint();
    }
    expect_refused(ErrorKind::damaged, message);
  }
  fs::remove(path_);
  make_study();
  {
    sqlite::Database database(path_, sqlite::Database::Mode::write);
    database.execute("ANALYZE");
    database.checkpoint();
  }
  EXPECT_TRUE(open_storage(path_, Access::read));
}

// The best of a value index with one bit changed is another trial, or none.
TEST_F(SqliteFile, WhatIndexesSayIsNotBelievedWithoutTheRows) {
  {
    auto storage = open_storage(path_, Access::coordinate).value();
    storage->create_study(sample_record()).value();
    std::vector<Trial> asked, told;
    for (TrialId id = 1; id <= 30; ++id) asked.push_back(sample_trial(id, 1));
    storage->add_trials(asked, std::nullopt).value();
    for (const Trial& trial : asked) {
      told.push_back(completed(trial, 1000.0 + static_cast<double>(trial.id % 7), 2));
    }
    storage->finish_trials(told).value();
    storage->settle().value();
  }
  const std::string whole = content_of(path_);
  std::size_t first_of_index = 0, page_size = 4096;
  {
    sqlite::Database database(path_, sqlite::Database::Mode::read);
    auto page =
        database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'trials_by_value'");
    ASSERT_TRUE(page.step());
    first_of_index = static_cast<std::size_t>(page.integer(0) - 1) * page_size;
  }
  int noticed = 0;
  for (std::size_t byte = 8; byte < page_size; byte += 5) {
    for (const int bit : {0, 4, 7}) {
      std::string changed = whole;
      changed[first_of_index + byte] =
          static_cast<char>(changed[first_of_index + byte] ^ (1 << bit));
      write_file(path_, changed);
      SCOPED_TRACE("byte " + std::to_string(byte) + ", bit " + std::to_string(bit));
      const auto reader = open_storage(path_, Access::read).value();
      const auto best = reader->best_trial(Goal::minimize);
      if (best) {
        EXPECT_EQ((*best)->id, 7);
      }
      EXPECT_EQ(reader->counts().value().completed, 30);
      if (reader->verify()) continue;
      ++noticed;
      EXPECT_FALSE(open_storage(path_, Access::coordinate));
    }
  }
  EXPECT_GT(noticed, 100);
  write_file(path_, whole);
  EXPECT_TRUE(open_storage(path_, Access::read).value()->verify());
}

TEST_F(SqliteFile, AStatementThatLeadsInCirclesEnds) {
  make_study();
  sqlite::Database database(path_, sqlite::Database::Mode::read);
  const auto error_of = [&](const char* sql) {
    const auto done = sqlite::attempt([&] {
      sqlite::Statement select = database.prepare(sql);
      while (select.step()) (void)select.text(0);
    });
    return done ? std::string("it ends") : done.error().message;
  };
  const char* const counting =
      "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) FROM c";
  EXPECT_THAT(error_of(counting), HasSubstr("more than a file of its size can need"));
  const char* const pouring =
      "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "
      "SELECT zeroblob(10000000) FROM c";
  EXPECT_THAT(error_of(pouring), HasSubstr("more than a file of its size can need"));
  EXPECT_THAT(error_of("SELECT zeroblob(100000000)"), HasSubstr("longer than 64 MiB"));
  EXPECT_EQ(error_of("SELECT state FROM trials"), "it ends");
}

TEST_F(SqliteFile, NonsenseInsideARowIsReported) {
  make_study();
  sqlite::Database(path_, sqlite::Database::Mode::write)
      .execute("UPDATE trials SET params = '{\"x\": 7}' WHERE id = 2");
  const auto trials = open_storage(path_, Access::read).value()->load_trials();
  ASSERT_FALSE(trials);
  EXPECT_EQ(trials.error().kind, ErrorKind::damaged);
  EXPECT_THAT(trials.error().message, HasSubstr("trial 2"));
}

TEST_F(SqliteFile, OneWriterAnyNumberOfReaders) {
  make_study();
  const auto writer = open_storage(path_, Access::coordinate).value();
  const auto first = open_storage(path_, Access::read).value();
  const auto second = open_storage(path_, Access::read).value();
  writer->finish_trials(std::vector{completed(sample_trial(2, 1), -1.0, 3)}).value();
  for (const auto& reader : {first.get(), second.get()}) {
    EXPECT_EQ(reader->counts().value().completed, 2);
    EXPECT_EQ(reader->best_trial(Goal::minimize).value()->id, 2);
    EXPECT_EQ(reader->renew(testing::sample_worker("w"), {}).error().kind, ErrorKind::io);
    EXPECT_EQ(reader->set_ended(true).error().kind, ErrorKind::io);
  }
  const auto other = open_storage(path_, Access::coordinate);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().kind, ErrorKind::busy);
  EXPECT_THAT(other.error().message, HasSubstr("process " + std::to_string(getpid()) + " on "));
}

TEST_F(SqliteFile, ALinkIsTheSameFile) {
  make_study();
  const auto writer = open_storage(path_, Access::coordinate).value();
  fs::create_symlink(path_, folder_ / "link.db");
  const auto other = open_storage(folder_ / "link.db", Access::coordinate);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().kind, ErrorKind::busy);
}

TEST_F(SqliteFile, TheLockGoesWithItsProcess) {
  make_study();
  ChildProcess holder({VBO_STORAGE_CHILD, "hold", path_});
  ASSERT_EQ(holder.read_line(), "held");
  const auto refused = open_storage(path_, Access::coordinate);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::busy);
  EXPECT_THAT(refused.error().message, HasSubstr("process " + std::to_string(holder.pid())));
  EXPECT_EQ(open_storage(path_, Access::read).value()->counts().value().completed, 1);
  holder.kill_and_wait();
  EXPECT_TRUE(fs::exists(path_ + ".lock"));  // left over, and in nobody's way
  EXPECT_TRUE(open_storage(path_, Access::coordinate));
  EXPECT_EQ(files(), std::vector<std::string>{"study.db"});
}

TEST_F(SqliteFile, AFullDiskIsReportedAndNothingIsLost) {
  make_study();
  sqlite::Database database(path_, sqlite::Database::Mode::write);
  database.pragma("max_page_count = " + std::to_string(database.pragma("page_count") + 2));
  sqlite::SqliteStorage storage(path_, std::move(database), WriterLock::acquire(path_).value(),
                                1.0);
  TrialId id = 3;
  Result<void> added;
  while (added) {
    ++id;
    added =
        storage.add_trials(std::vector{sample_trial(id, id)}, std::nullopt, 0, Durability::at_once);
  }
  EXPECT_EQ(added.error().kind, ErrorKind::io);
  EXPECT_THAT(added.error().message, HasSubstr("no space left"));
  EXPECT_EQ(storage.load_history().value().size(), static_cast<std::size_t>(id - 1));
  EXPECT_TRUE(storage.set_ended(true));  // needs no space
  EXPECT_EQ(open_storage(path_, Access::read).value()->counts().value().waiting, id - 2);
}

TEST_F(SqliteFile, AFileThatMayNotGrowIsReportedAndNothingIsLost) {
  ChildProcess child({VBO_STORAGE_CHILD, "fill", path_, "200000"});
  const std::string error = child.read_line();
  const std::string stored = child.read_line();
  EXPECT_EQ(child.wait(), 0);
  EXPECT_THAT(error, StartsWith(kind(ErrorKind::io)));
  EXPECT_THAT(error, HasSubstr("disk I/O error"));
  EXPECT_THAT(error, HasSubstr("what was stored is intact"));
  EXPECT_GT(std::stoi(stored), 5);
  auto storage = open_storage(path_, Access::coordinate).value();  // checks the whole file
  EXPECT_EQ(storage->load_trials().value().size(), std::stoul(stored));
}

class ReadOnly : public SqliteFile {
 protected:
  void SetUp() override { chmod(folder_.path().c_str(), 0755); }
  std::string as_nobody(const std::string& mode) {
    ChildProcess child({VBO_STORAGE_CHILD, "nobody", path_, mode});
    std::string line = child.read_line();
    EXPECT_EQ(child.wait(), 0);
    return line;
  }
};

TEST_F(ReadOnly, FileAndFolderCanBeReadAndAreNotWritten) {
  make_study();
  chmod(path_.c_str(), 0444);
  chmod(folder_.path().c_str(), 0555);
  const std::string before = content_of(path_);
  EXPECT_EQ(as_nobody("read"), "trials 3");
  EXPECT_EQ(files(), std::vector<std::string>{"study.db"});
  const std::string refused = as_nobody("write");
  EXPECT_THAT(refused, StartsWith(kind(ErrorKind::io)));
  EXPECT_THAT(refused, HasSubstr("study.db"));
  chmod(folder_.path().c_str(), 0777);
  EXPECT_THAT(as_nobody("write"), HasSubstr("read-only"));
  EXPECT_EQ(content_of(path_), before);
}

TEST_F(ReadOnly, AFolderThatDoesNotExistIsNamed) {
  const auto opened = open_storage(folder_ / "nowhere/study.db", Access::coordinate);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind, ErrorKind::io);
  EXPECT_THAT(opened.error().message, HasSubstr("No such file or directory"));
}

TEST_F(SqliteFile, MigrationsBringOlderFilesUpToDate) {
  make_study();
  const std::string_view add_column[] = {"ALTER TABLE study ADD COLUMN note TEXT",
                                         "UPDATE study SET note = 'new'"};
  const std::string_view broken[] = {"CREATE TABLE half (x TEXT)", "CREATE nonsense"};
  const auto known = sqlite::migrations();
  std::vector<sqlite::Migration> steps(known.begin(), known.end());
  steps.insert(steps.end(), {add_column, broken});
  const std::int64_t next = sqlite::newest_schema() + 1;
  sqlite::Database database(path_, sqlite::Database::Mode::write);
  sqlite::migrate(database, std::span(steps).first(steps.size() - 1));
  EXPECT_EQ(database.pragma("user_version"), next);
  sqlite::Statement note = database.prepare("SELECT note FROM study");
  ASSERT_TRUE(note.step());
  EXPECT_EQ(note.text(0), "new");
  // A step that fails leaves the file at the step before.
  EXPECT_THROW(sqlite::migrate(database, steps), sqlite::Fault);
  EXPECT_EQ(database.pragma("user_version"), next);
  EXPECT_THROW(database.execute("SELECT * FROM half"), sqlite::Fault);
}

TEST(NetworkFileSystems, AreKnownByTheirType) {
  EXPECT_EQ(network_file_system(0x6969), "NFS");
  EXPECT_EQ(network_file_system(static_cast<std::int64_t>(0xFF534D42U)), "CIFS");
  EXPECT_EQ(network_file_system(-11317950), "CIFS");  // as a signed 32-bit field gives it
  EXPECT_EQ(network_file_system(0xEF53), "");         // ext4
  EXPECT_EQ(network_file_system(0x01021994), "");     // tmpfs
}

// A snapshot that was edited is as good as none, for replaying gives the same.
TEST_F(SqliteFile, OpeningWithoutWritingSettlesWhatAKilledWriterLeft) {
  make_study();
  {
    // Killed after it had promised a write, before it made it.
    sqlite::Database database(path_, sqlite::Database::Mode::write);
    database.execute("UPDATE file_state SET promised = 7, kept = 0");
    database.checkpoint();
    database.execute("UPDATE file_state SET promised = 7");  // the log is there
    database.keep_log();
  }
  ASSERT_TRUE(fs::exists(path_ + "-wal"));
  for (const Access access : {Access::coordinate, Access::read, Access::queue, Access::read}) {
    const auto opened = open_storage(path_, access);
    ASSERT_TRUE(opened) << opened.error().message;
    EXPECT_EQ((*opened)->counts().value().completed, 1);
  }
}

TEST_F(SqliteFile, ADamagedSnapshotIsIgnored) {
  make_study();
  open_storage(path_, Access::coordinate).value()->save_snapshot({2, "weights"}).value();
  EXPECT_EQ(open_storage(path_, Access::read).value()->load_snapshot().value()->bytes, "weights");
  sqlite::Database(path_, sqlite::Database::Mode::write)
      .execute("UPDATE snapshot SET bytes = CAST('Weights' AS BLOB)");
  EXPECT_EQ(open_storage(path_, Access::read).value()->load_snapshot().value(), std::nullopt);
  // Nor can the checksum be lost together with it.
  sqlite::Database(path_, sqlite::Database::Mode::write)
      .execute("UPDATE snapshot SET checksum = NULL");
  EXPECT_EQ(open_storage(path_, Access::read).value()->load_snapshot().value(), std::nullopt);
}

// src/storage/FORMAT.md promises these numbers to other readers.
TEST_F(SqliteFile, SaysWhatItIs) {
  make_study();
  sqlite::Database database(path_, sqlite::Database::Mode::read);
  EXPECT_EQ(database.pragma("application_id"), 0x76626f31);
  EXPECT_EQ(database.pragma("user_version"), 5);
}

}  // namespace
}  // namespace vbo
