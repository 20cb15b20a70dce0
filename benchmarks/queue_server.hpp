// SPDX-License-Identifier: MIT
// What queue_scale does to a PostgreSQL server besides using the queue: its CPU, its own rate, and
// large studies from one statement. Without PostgreSQL all of it does nothing.
#pragma once

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "vbo/vbo.hpp"
#ifdef VBO_HAVE_POSTGRES
#include "storage/postgres/connection.hpp"
#include "storage/postgres/url.hpp"
#endif

namespace vbo::benchmarks {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

inline bool is_server(const std::string& url) { return url.find("://") != std::string::npos; }

#ifdef VBO_HAVE_POSTGRES
inline postgres::Connection connect(const std::string& url) {
  const postgres::Url parsed = postgres::parse_url(url).value();
  return {parsed.server, parsed.where};
}

// Parent and CPU seconds of a process, from /proc/PID/stat.
struct ProcessTimes {
  long parent = 0;
  double cpu = 0.0;
};
inline ProcessTimes process_times(const std::string& pid) {
  std::ifstream file("/proc/" + pid + "/stat");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  ProcessTimes times;
  long user = 0, system = 0;
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return times;
  if (std::sscanf(text.c_str() + name_end + 1,
                  " %*c %ld %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld", &times.parent, &user,
                  &system) == 3) {
    times.cpu = static_cast<double>(user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
  }
  return times;
}
#endif

// What a server on this machine has used so far; backends that have ended are missing, so only
// differences over a time in which nobody leaves make sense. 0 for a file.
inline double server_cpu_seconds(const std::string& url) {
#ifdef VBO_HAVE_POSTGRES
  if (!is_server(url)) return 0.0;
  auto connection = connect(url);
  const long postmaster =
      process_times(std::to_string(connection.query("SELECT pg_backend_pid()").integer(0, 0)))
          .parent;
  double cpu = process_times(std::to_string(postmaster)).cpu;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const ProcessTimes times = process_times(name);
    if (times.parent == postmaster) cpu += times.cpu;
  }
  return cpu;
#else
  (void)url;
  return 0.0;
#endif
}

// Transactions per second of a server that does nothing but update one row each, by its key.
inline double bare_rate(const std::string& url, int connections, double length) {
#ifdef VBO_HAVE_POSTGRES
  constexpr int kRows = 10000;
  auto first = connect(url);
  first.script(
      "DROP TABLE IF EXISTS public.bare; CREATE TABLE public.bare (id bigint PRIMARY KEY, n bigint "
      "NOT NULL, filler text NOT NULL); INSERT INTO public.bare SELECT i, 0, repeat('x', 200) FROM "
      "generate_series(1, 10000) i");
  std::atomic<std::int64_t> done = 0;
  std::vector<std::thread> threads;
  const auto start = Clock::now();
  for (int i = 0; i < connections; ++i) {
    threads.emplace_back([&, i] {
      auto connection = connect(url);
      Rng rng(static_cast<std::uint64_t>(i), "bare");
      while (seconds_since(start) < length) {
        const auto id = 1 + static_cast<std::int64_t>(rng.uniform() * kRows);
        connection.query("UPDATE public.bare SET n = n + 1 WHERE id = $1", {id});
        ++done;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const double rate = static_cast<double>(done) / seconds_since(start);
  first.script("DROP TABLE public.bare");
  return rate;
#else
  (void)url, (void)connections, (void)length;
  return 0.0;
#endif
}

// The same from one statement, for a server: copies of the first thousand with values of their own.
inline void fill_by_copying(const std::string& url, TrialId first, std::int64_t count,
                            EventId event) {
#ifdef VBO_HAVE_POSTGRES
  auto connection = connect(url);
  const std::string study = postgres::parse_url(url).value().study;
  connection.query(
      "WITH s AS (SELECT id FROM vbo.studies WHERE key = $1), copied AS (INSERT INTO vbo.trials "
      "(study, id, state, params, value, seconds, attempts, rationale, asked_in, told_in, "
      "finished_seq, asked_at, started_at, finished_at) SELECT t.study, $2::bigint + i, "
      "'completed', t.params, 1 + random(), 1, 1, t.rationale, $4::bigint, $4::bigint + 1, "
      "nextval('vbo.finished'), 1, 2, 3 FROM generate_series(0, $3::bigint - 1) i JOIN vbo.trials "
      "t "
      "ON t.study = (SELECT id FROM s) AND t.id = 1 + i % 1000) "
      "UPDATE vbo.studies SET told_completed = told_completed + $3::bigint WHERE key = $1",
      {study, first, count, event});
#else
  (void)url, (void)first, (void)count, (void)event;
#endif
}

// What the server does by itself while a study grows at its own pace; here it grew within minutes.
inline void tidy_up(const std::string& url) {
#ifdef VBO_HAVE_POSTGRES
  if (is_server(url)) connect(url).script("VACUUM (ANALYZE) vbo.trials");
#else
  (void)url;
#endif
}

}  // namespace vbo::benchmarks
