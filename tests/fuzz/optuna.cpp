// SPDX-License-Identifier: MIT
// The storage of an Optuna study with bytes or cells changed, imported as `vbo import` does it: an
// error, or results inside the space, each with one outcome and a finite value. An input that
// begins with an odd byte changes cells (which, of which row, what kind of value, how many bytes,
// the bytes), any other the file's bytes.
#include <sqlite3.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <string>

#include "cli/import.hpp"
#include "fuzz/edited_file.hpp"

namespace {

using namespace vbo;

// As Optuna 5 makes it, without the tables we do not read.
constexpr const char* kTables = R"sql(
CREATE TABLE studies (study_id INTEGER NOT NULL, study_name VARCHAR(512) NOT NULL,
  PRIMARY KEY (study_id));
CREATE TABLE study_directions (study_direction_id INTEGER NOT NULL, direction VARCHAR(8) NOT NULL,
  study_id INTEGER NOT NULL, objective INTEGER NOT NULL, PRIMARY KEY (study_direction_id),
  UNIQUE (study_id, objective));
CREATE TABLE trials (trial_id INTEGER NOT NULL, number INTEGER, study_id INTEGER,
  state VARCHAR(8) NOT NULL, datetime_start DATETIME, datetime_complete DATETIME,
  PRIMARY KEY (trial_id));
CREATE TABLE trial_params (param_id INTEGER NOT NULL, trial_id INTEGER, param_name VARCHAR(512),
  param_value FLOAT, distribution_json TEXT, PRIMARY KEY (param_id),
  UNIQUE (trial_id, param_name));
CREATE TABLE trial_values (trial_value_id INTEGER NOT NULL, trial_id INTEGER NOT NULL,
  objective INTEGER NOT NULL, value FLOAT, value_type VARCHAR(7) NOT NULL,
  PRIMARY KEY (trial_value_id), UNIQUE (trial_id, objective));
CREATE UNIQUE INDEX ix_studies_study_name ON studies (study_name);
CREATE INDEX ix_trials_study_id ON trials (study_id);
INSERT INTO studies VALUES (1, 'tuning');
INSERT INTO study_directions VALUES (1, 'MINIMIZE', 1, 0);
INSERT INTO trials VALUES
  (1, 0, 1, 'COMPLETE', '2026-01-02 01:49:33.541686', '2026-01-02 01:49:33.846886'),
  (2, 1, 1, 'FAIL', '2026-01-02 01:49:34.137293', NULL),
  (3, 2, 1, 'PRUNED', '2026-01-02 01:49:34.335737', '2026-01-02 01:49:34.477739'),
  (4, 3, 1, 'COMPLETE', '2026-01-02 01:49:34.530964', '2026-01-02 01:49:34.678245');
INSERT INTO trial_values VALUES (1, 1, 0, 75.5, 'FINITE'), (2, 4, 0, NULL, 'INF_POS');
)sql";
constexpr const char* kParams = R"sql(
INSERT INTO trial_params SELECT 3 * trial_id - 2, trial_id, 'x', trial_id / 4.0,
  '{"name": "FloatDistribution", "attributes": {"step": null, "low": -5.0, "high": 10.0}}' FROM trials;
INSERT INTO trial_params SELECT 3 * trial_id - 1, trial_id, 'n', 3.0 * trial_id,
  '{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 0, "high": 20}}' FROM trials;
INSERT INTO trial_params SELECT 3 * trial_id, trial_id, 'kind', trial_id % 2,
  '{"name": "CategoricalDistribution", "attributes": {"choices": ["plain", 3]}}' FROM trials;
)sql";

struct Cell {
  const char* change;  // ?1 the value, ?2 the row
};
constexpr std::array<Cell, 16> kCells = {{
    {"UPDATE OR REPLACE studies SET study_id = ?1 WHERE rowid = ?2"},
    {"UPDATE OR REPLACE studies SET study_name = ?1 WHERE rowid = ?2"},
    {"UPDATE OR REPLACE study_directions SET direction = ?1 WHERE rowid = ?2"},
    {"UPDATE OR REPLACE study_directions SET study_id = ?1 WHERE rowid = ?2"},
    {"UPDATE OR REPLACE trials SET trial_id = ?1 WHERE rowid = ?2"},
    {"UPDATE OR REPLACE trials SET number = ?1 WHERE rowid = ?2"},
    {"UPDATE OR REPLACE trials SET study_id = ?1 WHERE rowid = ?2"},
    {"UPDATE OR REPLACE trials SET state = ?1 WHERE rowid = ?2"},
    {"UPDATE OR REPLACE trials SET datetime_complete = ?1 WHERE rowid = ?2"},
    {"UPDATE OR REPLACE trial_params SET trial_id = ?1 WHERE rowid = ?2"},
    {"UPDATE OR REPLACE trial_params SET param_name = ?1 WHERE rowid = ?2"},
    {"UPDATE OR REPLACE trial_params SET param_value = ?1 WHERE rowid = ?2"},
    {"UPDATE OR REPLACE trial_params SET distribution_json = ?1 WHERE rowid = ?2"},
    {"UPDATE OR REPLACE trial_values SET trial_id = ?1 WHERE rowid = ?2"},
    {"UPDATE OR REPLACE trial_values SET value = ?1 WHERE rowid = ?2"},
    {"UPDATE OR REPLACE trial_values SET value_type = ?1 WHERE rowid = ?2"},
}};

struct Connection {
  sqlite3* handle = nullptr;
  explicit Connection(const std::string& path) {
    REQUIRE_THAT(sqlite3_open(path.c_str(), &handle) == SQLITE_OK);
    execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF");
  }
  ~Connection() { sqlite3_close(handle); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  void execute(const char* sql) const {
    REQUIRE_THAT(sqlite3_exec(handle, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
  }
};

std::string make_storage() {
  const std::string path = fuzz::folder() + "/optuna.db";
  {
    const Connection connection(path);
    connection.execute("PRAGMA page_size = 1024");
    connection.execute(kTables);
    connection.execute(kParams);
  }
  return fuzz::bytes_of(path);
}

void bind(sqlite3_stmt* statement, unsigned kind, std::string_view bytes) {
  const int length = static_cast<int>(bytes.size());
  std::array<char, 8> eight{};
  std::memcpy(eight.data(), bytes.data(), std::min<std::size_t>(bytes.size(), eight.size()));
  if (kind == 0) sqlite3_bind_null(statement, 1);
  if (kind == 1) {
    std::int64_t integer = 0;
    std::memcpy(&integer, eight.data(), eight.size());
    sqlite3_bind_int64(statement, 1, integer);
  }
  if (kind == 2) {
    double real = 0.0;
    std::memcpy(&real, eight.data(), eight.size());
    sqlite3_bind_double(statement, 1, real);
  }
  if (kind == 3) sqlite3_bind_text(statement, 1, bytes.data(), length, SQLITE_STATIC);
  if (kind == 4) sqlite3_bind_blob(statement, 1, bytes.data(), length, SQLITE_STATIC);
}

void change_cells(const std::string& path, const std::uint8_t* data, std::size_t size) {
  const Connection connection(path);
  connection.execute("BEGIN");
  for (std::size_t at = 0; at + 4 <= size;) {
    const std::size_t length = std::min<std::size_t>(data[at + 3], size - at - 4);
    sqlite3_stmt* statement = nullptr;
    const char* change = kCells[data[at] % kCells.size()].change;
    REQUIRE_THAT(sqlite3_prepare_v2(connection.handle, change, -1, &statement, nullptr) ==
                 SQLITE_OK);
    bind(statement, data[at + 2] % 5, fuzz::text_of(data + at + 4, length));
    sqlite3_bind_int64(statement, 2, data[at + 1] % 13);
    sqlite3_step(statement);  // some cells do not take some values
    sqlite3_finalize(statement);
    at += 4 + length;
  }
  connection.execute("COMMIT");
}

void check(const Result<cli::Imported>& read, const Space& space) {
  if (!read) {
    REQUIRE_THAT(!read.error().message.empty());
    return;
  }
  for (const Evaluated& result : read->results) {
    REQUIRE_THAT(space.check(result.point));
    REQUIRE_THAT(result.outcome.value.has_value() != result.outcome.failure.has_value());
    if (result.outcome.value) REQUIRE_THAT(std::isfinite(*result.outcome.value));
    REQUIRE_THAT(std::isfinite(result.outcome.seconds) && result.outcome.seconds >= 0.0);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string original = make_storage();
  static const StudyRecord study = [] {
    StudyRecord record;
    record.space = *Space::make({Parameter::real("x", -5, 10), Parameter::integer("n", 0, 20),
                                 Parameter::categorical("kind", {"plain", 3})});
    return record;
  }();
  if (size == 0) return 0;
  const bool cells = data[0] % 2 == 1;
  const std::string path = fuzz::folder() + "/copy.db";
  unlink(path.c_str());
  std::ofstream(path, std::ios::binary)
      << (cells ? original : fuzz::changed(original, data + 1, size - 1));
  if (cells) change_cells(path, data + 1, size - 1);
  check(cli::read_results(path, study, data[0] % 4 < 2 ? "" : "tuning"), study.space);
  return 0;
}
