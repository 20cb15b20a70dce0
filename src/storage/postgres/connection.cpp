// SPDX-License-Identifier: MIT
#include "storage/postgres/connection.hpp"

#include <poll.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <limits>

#include "core/from_chars.hpp"
#include "core/quietly.hpp"

namespace vbo::postgres {
namespace {

// libpq's messages have several lines, and end in one.
std::string one_line(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

}  // namespace

Parameter::Parameter(double number) {
  // Shortest text that reads back exactly; PostgreSQL knows inf and nan by these words too.
  std::array<char, 64> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr;
  text_ = std::string(buffer.data(), end);
}

Parameter Parameter::bytes(std::string_view bytes) {
  constexpr std::string_view hex = "0123456789abcdef";
  std::string text = "\\x";
  text.reserve(2 + 2 * bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += hex[byte >> 4U];
    text += hex[byte & 15U];
  }
  return {text};
}

std::int64_t Rows::changed() const { return std::strtoll(PQcmdTuples(result_.get()), nullptr, 10); }

std::int64_t Rows::integer(int row, int column) const {
  return std::strtoll(PQgetvalue(result_.get(), row, column), nullptr, 10);
}

double Rows::real(int row, int column) const {
  const std::string_view found = text(row, column);
  if (found == "Infinity") return std::numeric_limits<double>::infinity();
  if (found == "-Infinity") return -std::numeric_limits<double>::infinity();
  double number = 0.0;
  from_chars(found.data(), found.data() + found.size(), number);
  return number;
}

std::string Rows::bytes(int row, int column) const {
  std::size_t size = 0;
  unsigned char* found = PQunescapeBytea(
      reinterpret_cast<const unsigned char*>(PQgetvalue(result_.get(), row, column)), &size);
  if (!found) return "";
  std::string bytes(reinterpret_cast<const char*>(found), size);
  PQfreemem(found);
  return bytes;
}

void Connection::fail(const std::string& state, const std::string& message) {
  // An error without a code is libpq's own: the server has not answered.
  const bool broken = state.empty() || state.starts_with("08") || state.starts_with("57P") ||
                      !handle_ || PQstatus(handle_.get()) != CONNECTION_OK;
  const std::string detail = one_line(message);
  if (broken) {
    handle_.reset();  // the next call connects anew
    throw Fault{{ErrorKind::io, where_ + " cannot be reached (" + detail + ")"}};
  }
  if (state == "40001" || state == "40P01" || state == "55P03") {
    throw Fault{{ErrorKind::busy, where_ + " is busy (" + detail + ")"}};
  }
  if (state == "23505") throw Fault{{ErrorKind::conflict, where_ + ": " + detail}};
  if (state == "28P01" || state == "28000" || state == "42501") {
    throw Fault{{ErrorKind::invalid_input, where_ + " refuses us (" + detail + ")"}};
  }
  throw Fault{{ErrorKind::io, where_ + ": " + detail}};
}

void Connection::connect() {
  if (handle_ && PQstatus(handle_.get()) == CONNECTION_OK) return;
  // The rest of a transaction whose beginning is lost must not happen.
  if (in_transaction_) fail("08006", "the connection broke");
  prepared_.clear();
  // What the URL says itself comes last, and counts. A server that vanished without a word is
  // noticed within seconds, not hours.
  // A process that was stopped inside a transaction must not hold its locks for ever. Statements
  // are planned once: planning takes longer than most of them, and each has the one index it needs.
  const std::array keywords{"connect_timeout",  "application_name",
                            "keepalives_idle",  "keepalives_interval",
                            "keepalives_count", "tcp_user_timeout",
                            "client_encoding",  "options",
                            "dbname",           static_cast<const char*>(nullptr)};
  const std::array values{
      "10",
      "vbo",
      "5",
      "2",
      "3",
      "10000",
      "UTF8",
      "-c idle_in_transaction_session_timeout=3000 -c plan_cache_mode=force_generic_plan",
      url_.c_str(),
      static_cast<const char*>(nullptr)};
  handle_.reset(PQconnectdbParams(keywords.data(), values.data(), /*expand_dbname=*/1));
  if (!handle_) throw Fault{{ErrorKind::io, "out of memory connecting to " + where_}};
  if (PQstatus(handle_.get()) != CONNECTION_OK) {
    const std::string message = one_line(PQerrorMessage(handle_.get()));
    const bool refused = PQconnectionNeedsPassword(handle_.get()) != 0 ||
                         PQconnectionUsedPassword(handle_.get()) != 0 ||
                         message.find("does not exist") != std::string::npos;
    handle_.reset();
    if (refused) {
      throw Fault{{ErrorKind::invalid_input,
                   where_ + " refuses us (" + message +
                       "). A password comes from PGPASSWORD, PGPASSFILE or a service file"}};
    }
    throw Fault{{ErrorKind::io, where_ + " cannot be reached (" + message + ")"}};
  }
  PQsetNoticeProcessor(
      handle_.get(), [](void*, const char*) {}, nullptr);  // we never print
  // What we call recorded is on the server's disk, whatever the defaults of server, database and
  // role are; a stricter setting than "on" stays.
  check(PQexec(handle_.get(),
               "SELECT set_config('synchronous_commit', 'on', false) "
               "WHERE current_setting('synchronous_commit') = 'off'"));
  for (const std::string& channel : channels_)
    check(PQexec(handle_.get(), ("LISTEN " + channel).c_str()));
}

void Connection::check(const Rows& rows) {
  const ExecStatusType status = PQresultStatus(rows.get());
  if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK) return;
  const char* state = PQresultErrorField(rows.get(), PG_DIAG_SQLSTATE);
  const char* detail = PQresultErrorField(rows.get(), PG_DIAG_MESSAGE_PRIMARY);
  fail(state ? state : "", detail ? detail : PQerrorMessage(handle_.get()));
}

Rows Connection::check(PGresult* result) {
  Rows rows(result);
  check(rows);
  return rows;
}

const std::string& Connection::prepared(const char* sql) {
  const auto known = prepared_.find(sql);
  if (known != prepared_.end()) return known->second;
  const std::string name = "s" + std::to_string(prepared_.size());
  check(PQprepare(handle_.get(), name.c_str(), sql, 0, nullptr));
  return prepared_[sql] = name;
}

Rows Connection::query(const char* sql, const std::vector<Parameter>& parameters) {
  connect();
  const std::string& name = prepared(sql);
  std::vector<const char*> values;
  values.reserve(parameters.size());
  for (const Parameter& parameter : parameters) values.push_back(parameter.data());
  return check(PQexecPrepared(handle_.get(), name.c_str(), static_cast<int>(values.size()),
                              values.data(), nullptr, nullptr, 0));
}

std::vector<Rows> Connection::query_each(const char* sql,
                                         const std::vector<std::vector<Parameter>>& parameters) {
  // Few enough that the answers fit into the socket's buffer while we are still sending.
  constexpr std::size_t kAtOnce = 100;
  connect();
  const std::string& name = prepared(sql);
  PGconn* const handle = handle_.get();
  std::vector<Rows> answers;
  for (std::size_t first = 0; first < parameters.size(); first += kAtOnce) {
    const std::size_t end = std::min(parameters.size(), first + kAtOnce);
    bool sent = PQenterPipelineMode(handle) == 1;
    for (std::size_t i = first; sent && i < end; ++i) {
      std::vector<const char*> values;
      for (const Parameter& parameter : parameters[i]) values.push_back(parameter.data());
      sent = PQsendQueryPrepared(handle, name.c_str(), static_cast<int>(values.size()),
                                 values.data(), nullptr, nullptr, 0) == 1;
    }
    if (!sent || PQpipelineSync(handle) != 1) fail("08006", PQerrorMessage(handle));
    for (std::size_t i = first; i < end; ++i) {
      answers.emplace_back(PQgetResult(handle));
      if (!answers.back().get()) fail("08006", PQerrorMessage(handle));
      const Rows end_of_answer(PQgetResult(handle));  // the end of this statement's answer
    }
    const Rows end_of_pipeline(PQgetResult(handle));
    if (PQexitPipelineMode(handle) != 1) fail("08006", PQerrorMessage(handle));
    for (std::size_t i = first; i < end; ++i) check(answers[i]);
  }
  return answers;
}

void Connection::script(const std::string& sql) {
  connect();
  check(PQexec(handle_.get(), sql.c_str()));
}

void Connection::listen(const std::string& channel) {
  channels_.push_back(channel);
  if (handle_ && PQstatus(handle_.get()) == CONNECTION_OK) {
    check(PQexec(handle_.get(), ("LISTEN " + channel).c_str()));
  } else {
    connect();
  }
}

void Connection::unlisten() {
  channels_.clear();
  if (handle_ && PQstatus(handle_.get()) == CONNECTION_OK) {
    check(PQexec(handle_.get(), "UNLISTEN *"));
  }
}

bool Connection::wait(std::chrono::milliseconds at_most) {
  if (!handle_ || PQstatus(handle_.get()) != CONNECTION_OK) {
    connect();
    return true;  // notifications meanwhile may have been missed
  }
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + at_most;
  for (;;) {
    if (PQconsumeInput(handle_.get()) == 0) fail("08006", PQerrorMessage(handle_.get()));
    bool notified = false;
    while (PGnotify* note = PQnotifies(handle_.get())) {
      notified = true;
      PQfreemem(note);
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
    if (notified || left <= 0) return notified;
    pollfd event{PQsocket(handle_.get()), POLLIN, 0};
    if (poll(&event, 1, static_cast<int>(left)) < 0)
      return false;  // a signal: the caller's business
  }
}

Transaction::~Transaction() {
  if (!open_) return;
  quietly([&] { connection_.query("ROLLBACK"); });
  connection_.in_transaction_ = false;
}

}  // namespace vbo::postgres
