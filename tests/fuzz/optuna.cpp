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
#include "storage/optuna_sample.hpp"

namespace {

using namespace vbo;

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
    connection.execute(testing::kOptunaTables);
    connection.execute(testing::kOptunaParams);
  }
  return fuzz::bytes_of(path);
}

void bind_cell(sqlite3_stmt* statement, unsigned kind, std::string_view bytes) {
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
    bind_cell(statement, data[at + 2] % 5, fuzz::text_of(data + at + 4, length));
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
    REQUIRE_THAT(result.outcome.value().has_value() != result.outcome.failure.has_value());
    if (result.outcome.value()) REQUIRE_THAT(std::isfinite(*result.outcome.value()));
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
