// SPDX-License-Identifier: MIT
#include "storage/postgres/storage.hpp"

namespace vbo::postgres {

// What indexes say and what the rows say, in one view of the data.
Result<void> PostgresStorage::verify() {
  static constexpr const char* kBySettings[] = {
      "SELECT count(*), coalesce(sum(id), 0), min(value), max(value) FROM vbo.trials "
      "WHERE study = $1 AND state = 'completed'",
      "SELECT count(*), coalesce(sum(id), 0), NULL, NULL FROM vbo.trials "
      "WHERE study = $1 AND told_in IS NULL",
      "SELECT count(*), coalesce(sum(id), 0), min(id), max(id) FROM vbo.trials WHERE study = $1"};
  return attempt([&] {
    Transaction transaction(connection_);
    connection_.script("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
    const auto answers = [&](bool by_index) {
      const std::string index = by_index ? "on" : "off", table = by_index ? "off" : "on";
      connection_.script(
          "SET LOCAL enable_indexscan = " + index + "; SET LOCAL enable_indexonlyscan = " + index +
          "; SET LOCAL enable_bitmapscan = " + index + "; SET LOCAL enable_seqscan = " + table +
          "; SET LOCAL plan_cache_mode = force_custom_plan");
      std::vector<std::string> found;
      for (const char* sql : kBySettings) {
        const Rows row = connection_.query(sql, {study_});
        for (int column = 0; column < 4; ++column) found.emplace_back(row.text(0, column));
      }
      return found;
    };
    if (answers(true) != answers(false)) {
      throw Fault{{ErrorKind::damaged, "study \"" + study_name_ + "\" of " + connection_.where() +
                                           ": an index does not agree with its table; REINDEX "
                                           "TABLE vbo.trials makes it anew"}};
    }
    const Rows told = connection_.query(
        "SELECT told_completed = (SELECT count(*) FROM vbo.trials WHERE study = $1 AND told_in IS "
        "NOT NULL AND state = 'completed') AND told_failed = (SELECT count(*) FROM vbo.trials "
        "WHERE study = $1 AND told_in IS NOT NULL AND state = 'failed') AND told_stopped = "
        "(SELECT count(*) FROM vbo.trials WHERE study = $1 AND told_in IS NOT NULL AND "
        "state = 'stopped') FROM vbo.studies "
        "WHERE id = $1",
        {study_});
    if (!told.empty() && !told.flag(0, 0)) {
      throw Fault{{ErrorKind::damaged, "study \"" + study_name_ + "\" of " + connection_.where() +
                                           ": its number of results is not that of its rows"}};
    }
    transaction.commit();
  });
}

}  // namespace vbo::postgres
