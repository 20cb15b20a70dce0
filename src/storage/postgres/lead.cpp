// SPDX-License-Identifier: MIT
#include "storage/postgres/lead.hpp"

#include <unistd.h>

#include "core/quietly.hpp"
#include "storage/process.hpp"

namespace vbo::postgres {
namespace {

constexpr double kHoldSeconds = 6.0;  // after so long without a sign of life others may take over
constexpr std::chrono::milliseconds kRenewEvery{1500};

}  // namespace

Lead::Lead(Connection& connection, std::int64_t study, const std::string& study_name)
    : study_(study), study_name_(study_name), connection_(connection.url(), connection.where()) {
  const Rows holder = connection.query(
      "SELECT coordinator, coordinator_until - vbo.clock() FROM vbo.studies WHERE id = $1",
      {study});
  if (!holder.empty() && holder.real(0, 1) > kHoldSeconds) {
    // The server's clock was set back. A coordinator that lives renews this soon.
    connection.query(
        "UPDATE vbo.studies SET coordinator_until = vbo.clock() + $2 "
        "WHERE id = $1 AND coordinator_until > vbo.clock() + $2",
        {study, kHoldSeconds});
  }
  const std::string before(holder.empty() ? "" : holder.text(0, 0));
  const auto bar = before.find('|');
  const std::string process = before.substr(bar == std::string::npos ? 0 : bar + 1);
  const std::string me =
      "process " + std::to_string(getpid()) + " on " + this_host() + "|" + process_.text();
  const Rows taken = connection.query(
      "UPDATE vbo.studies SET epoch = epoch + 1, coordinator = $2, "
      "coordinator_until = vbo.clock() + $3 "
      "WHERE id = $1 AND (coordinator_until < vbo.clock() OR (coordinator = $4 AND $5)) "
      "RETURNING epoch",
      {study, me, kHoldSeconds, before, !process.empty() && process_is_gone(process)});
  if (taken.empty()) {
    throw Fault{{ErrorKind::busy, "study \"" + study_name + "\" of " + connection.where() +
                                      " is being run by " + before.substr(0, bar) +
                                      "; wait for it or stop it, then try again"}};
  }
  epoch_ = taken.integer(0, 0);
  thread_ = std::thread([this] { renew(); });
}

Lead::~Lead() {
  {
    const std::scoped_lock lock(mutex_);
    done_ = true;
  }
  wake_.notify_all();
  thread_.join();
  quietly([&] {
    connection_.query("UPDATE vbo.studies SET coordinator_until = 0 WHERE id = $1 AND epoch = $2",
                      {study_, epoch_});
  });
}

void Lead::renew() {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, kRenewEvery, [this] { return done_; })) {
    lock.unlock();
    // A connection that is away comes back, or somebody else takes over: require() tells.
    quietly([&] {
      connection_.query(
          "UPDATE vbo.studies SET coordinator_until = vbo.clock() + $3 "
          "WHERE id = $1 AND epoch = $2",
          {study_, epoch_, kHoldSeconds});
    });
    lock.lock();
  }
}

void Lead::require(Connection& connection, Durability durability) const {
  const Rows row =
      durability == Durability::at_once
          ? connection.query("SELECT epoch FROM vbo.studies WHERE id = $1 FOR UPDATE", {study_})
          : connection.query(
                "SELECT epoch, set_config('synchronous_commit', 'off', true) FROM vbo.studies "
                "WHERE id = $1 FOR UPDATE",
                {study_});
  if (!row.empty() && row.integer(0, 0) == epoch_) return;
  throw Fault{{ErrorKind::busy, "another process has taken over study \"" + study_name_ + "\" of " +
                                    connection.where() + " meanwhile"}};
}

}  // namespace vbo::postgres
