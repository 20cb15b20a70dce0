// SPDX-License-Identifier: MIT
#include "storage/sqlite/schema_check.hpp"

#include <map>
#include <mutex>
#include <utility>

#include "core/one_line.hpp"

namespace vbo::sqlite {
namespace {

using Name = std::pair<std::string, std::string>;  // type, name
using Schema = std::map<Name, std::string>;        // with the statement that makes it

// Blanks and line breaks as one blank: dumps and other tools lay statements out anew.
std::string squeezed(std::string_view sql) {
  std::string text;
  for (const char c : sql) {
    const bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!blank) {
      text += c;
    } else if (!text.empty() && text.back() != ' ') {
      text += ' ';
    }
  }
  return text;
}

Schema schema_of(Database& database) {
  Schema schema;
  Statement select = database.prepare("SELECT type, name, coalesce(sql, '') FROM sqlite_schema");
  while (select.step()) {
    std::string name(select.text(1));
    // Left by ANALYZE, which only a planner reads.
    if (name.starts_with("sqlite_stat")) continue;
    schema.emplace(Name{std::string(select.text(0)), std::move(name)}, squeezed(select.text(2)));
  }
  return schema;
}

Schema schema_after(std::span<const Migration> steps) {
  Database database(":memory:", Database::Mode::create);
  for (const Migration& step : steps) {
    for (const std::string_view sql : step) database.execute(sql);
  }
  return schema_of(database);
}

}  // namespace

void require_own_schema(Database& database, const std::string& path) {
  static std::mutex mutex;
  static std::map<std::size_t, Schema> known;  // by the number of migrations
  const auto steps = static_cast<std::size_t>(database.pragma("user_version") - kFirstSchema + 1);
  const std::scoped_lock lock(mutex);
  const auto [entry, fresh] = known.try_emplace(steps);
  if (fresh) entry->second = schema_after(migrations().first(steps));
  const Schema& wanted = entry->second;
  const Schema found = schema_of(database);
  const auto fail = [&](const std::string& what, const Name& which) {
    throw Fault{{ErrorKind::damaged,
                 one_line("\"" + path + "\" is damaged: " + what + " the " + which.first + " \"" +
                          which.second + "\"; it was left as it is")}};
  };
  for (const auto& [name, sql] : found) {
    const auto ours = wanted.find(name);
    if (ours == wanted.end()) fail("no vbo makes", name);
    if (ours->second != sql) fail("no vbo defines so", name);
  }
  for (const auto& [name, sql] : wanted) {
    if (!found.contains(name)) fail("it lacks", name);
  }
}

}  // namespace vbo::sqlite
