// SPDX-License-Identifier: MIT
#include "storage/postgres/schema.hpp"

#include <algorithm>

#include "core/quietly.hpp"

namespace vbo::postgres {
namespace {

// The first migration makes the tables of version kFirst, each further one takes a database to the
// next version. Never edited once released.
constexpr const char* kMigrations[] = {
    R"(
CREATE FUNCTION vbo.clock() RETURNS double precision LANGUAGE sql VOLATILE
  AS $$ SELECT extract(epoch FROM clock_timestamp())::double precision $$;
CREATE SEQUENCE vbo.finished;
CREATE SEQUENCE vbo.token;
CREATE TABLE vbo.studies (
  id                bigserial PRIMARY KEY,
  key               text NOT NULL UNIQUE,
  name              text, objectives text, budget bigint, space text, optimizer text, evaluate text,
  created_by        text,
  ended             boolean NOT NULL DEFAULT false,
  told_completed    bigint NOT NULL DEFAULT 0,
  told_failed       bigint NOT NULL DEFAULT 0,
  told_stopped      bigint NOT NULL DEFAULT 0,
  start             text NOT NULL DEFAULT '',
  spent             double precision NOT NULL DEFAULT 0,
  epoch             bigint NOT NULL DEFAULT 0,
  coordinator       text NOT NULL DEFAULT '',
  coordinator_until double precision NOT NULL DEFAULT 0
);
CREATE TABLE vbo.trials (
  study        bigint NOT NULL,
  id           bigint NOT NULL,
  state        text NOT NULL
               CHECK (state IN ('waiting', 'running', 'completed', 'failed', 'stopped')),
  params       text NOT NULL,
  value        double precision,
  cause        text,
  message      bytea,
  metrics      text,
  details      text,
  seconds      double precision NOT NULL DEFAULT 0,
  attempts     integer NOT NULL DEFAULT 0,
  rationale    text NOT NULL,
  asked_in     bigint NOT NULL,
  told_in      bigint,
  finished_seq bigint,
  asked_at     double precision NOT NULL DEFAULT 0,
  started_at   double precision NOT NULL DEFAULT 0,
  finished_at  double precision NOT NULL DEFAULT 0,
  offered      boolean NOT NULL DEFAULT false,
  request      bigint,
  worker       text NOT NULL DEFAULT '',
  process      text NOT NULL DEFAULT '',
  token        bigint NOT NULL DEFAULT 0,
  lease_until  double precision NOT NULL DEFAULT 0,
  losses       integer NOT NULL DEFAULT 0,
  ask_check    bigint,
  end_check    bigint,
  actual       text,
  PRIMARY KEY (study, id),
  CHECK ((state IN ('completed', 'stopped')) = (value IS NOT NULL)),
  CHECK ((state = 'failed') = (cause IS NOT NULL)),
  CHECK ((state IN ('completed', 'failed', 'stopped')) = (finished_seq IS NOT NULL)),
  CHECK (told_in IS NULL OR finished_seq IS NOT NULL)
);
CREATE INDEX trials_open ON vbo.trials (study, state, offered, id) WHERE told_in IS NULL;
CREATE INDEX trials_by_value ON vbo.trials (study, value, id) WHERE state = 'completed';
CREATE INDEX trials_by_request ON vbo.trials (study, request) WHERE request IS NOT NULL;
CREATE TABLE vbo.outputs (study bigint, trial bigint, stderr bytea NOT NULL, PRIMARY KEY (study, trial));
CREATE TABLE vbo.reports (
  study bigint, event bigint, round bigint NOT NULL, report text NOT NULL, PRIMARY KEY (study, event)
);
CREATE TABLE vbo.snapshots (
  study bigint PRIMARY KEY, after_event bigint NOT NULL, bytes bytea NOT NULL, checksum bigint NOT NULL
);
CREATE TABLE vbo.requests (
  id bigserial PRIMARY KEY, study bigint NOT NULL, count bigint NOT NULL, who text NOT NULL,
  made_at double precision NOT NULL,
  state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'answered', 'refused')),
  message text NOT NULL DEFAULT '', results text NOT NULL DEFAULT ''
);
CREATE INDEX requests_open ON vbo.requests (study, id) WHERE state = 'open';
CREATE TABLE vbo.late_results (
  id bigserial PRIMARY KEY, study bigint NOT NULL, trial bigint NOT NULL,
  received_at double precision NOT NULL, worker text NOT NULL, value double precision, cause text,
  message bytea, metrics text, details text, seconds double precision NOT NULL
);
CREATE TABLE vbo.workers (
  study bigint, process text, name text, host text NOT NULL, slots bigint NOT NULL,
  completed bigint NOT NULL, started_at double precision NOT NULL, seen_at double precision NOT NULL,
  PRIMARY KEY (study, process, name)
);
-- For claims: nothing but what can be claimed, in order. By any other index a planner with old
-- statistics walks over all that has ended.
CREATE INDEX trials_offered ON vbo.trials (study, id)
  WHERE told_in IS NULL AND state = 'waiting' AND offered;
CREATE TABLE vbo.revisions (
  id bigserial PRIMARY KEY, study bigint NOT NULL, trial bigint NOT NULL,
  kind text NOT NULL CHECK (kind IN ('replaced', 'dropped', 'retried')), reason bytea NOT NULL,
  before bytea NOT NULL, made_at double precision NOT NULL, event bigint, checksum bigint NOT NULL
);
CREATE INDEX revisions_unapplied ON vbo.revisions (study, id) WHERE event IS NULL;
CREATE INDEX revisions_by_trial ON vbo.revisions (study, trial);
)",
    // How long a lease is, so that one whose end a clock has left too far away is recognized, and
    // settings that changed while the study lived.
    R"(
ALTER TABLE vbo.trials ADD COLUMN lease_seconds double precision NOT NULL DEFAULT 20;
ALTER TABLE vbo.studies ADD COLUMN changes text NOT NULL DEFAULT '';
)",
};

constexpr std::int64_t kFirst = 4;
constexpr std::int64_t kNewest = kFirst + static_cast<std::int64_t>(std::size(kMigrations)) - 1;

std::int64_t version_of(Connection& connection) {
  if (connection.query("SELECT to_regclass('vbo.version')").is_null(0, 0)) return 0;
  return connection.query("SELECT version FROM vbo.version").integer(0, 0);
}

Fault unknown_version(const Connection& connection, std::int64_t found) {
  return Fault{{ErrorKind::damaged, connection.where() + " has tables of version " +
                                        std::to_string(found) + ", this build knows " +
                                        std::to_string(kFirst) + " to " + std::to_string(kNewest) +
                                        "; use the vbo that made them, or a newer one"}};
}

class OneAtATime {
 public:
  explicit OneAtATime(Connection& connection) : connection_(connection) {
    connection_.query("SELECT pg_advisory_lock(1986162481)");
  }
  ~OneAtATime() {
    quietly([&] { connection_.query("SELECT pg_advisory_unlock(1986162481)"); });
  }
  OneAtATime(const OneAtATime&) = delete;
  OneAtATime& operator=(const OneAtATime&) = delete;

 private:
  Connection& connection_;
};

}  // namespace

void require_up_to_date(Connection& connection) {
  const std::int64_t found = version_of(connection);
  if (found == kNewest) return;
  if (found > kNewest) throw unknown_version(connection, found);
  throw Fault{{ErrorKind::unsupported, connection.where() + " has tables of version " +
                                           std::to_string(found) +
                                           " of an older vbo; bring them up to date with: vbo "
                                           "upgrade STUDY"}};
}

void bring_up_to_date(Connection& connection) {
  std::int64_t found = version_of(connection);
  if (found == kNewest) return;
  if (found < kNewest) {
    // One at a time. The lock is taken before the transaction begins: a server process looks up
    // names anew only then, and whoever waited would still see the database without tables.
    const OneAtATime lock(connection);
    Transaction transaction(connection);
    found = version_of(connection);
    if (found == 0) {
      connection.script(
          "CREATE SCHEMA IF NOT EXISTS vbo; CREATE TABLE vbo.version (version bigint NOT NULL); "
          "INSERT INTO vbo.version VALUES (0)");
    }
    if (found > 0 && found < kFirst) throw unknown_version(connection, found);
    while (found < kNewest) {
      found = std::max(found + 1, kFirst);
      connection.script(kMigrations[found - kFirst]);
    }
    connection.query("UPDATE vbo.version SET version = $1", {found});
    transaction.commit();
  }
  if (found > kNewest) {
    throw unknown_version(connection, found);
  }
}

}  // namespace vbo::postgres
