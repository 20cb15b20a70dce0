// SPDX-License-Identifier: MIT
// How many evaluations a second the loop makes when a program takes no time, method `sobol`.
//   loop [SECONDS [FOLDER [URL [PART]]]]
//       every part for so long (2), studies in FOLDER (a temporary one), or on a PostgreSQL server
//       given by its URL (without "study="; "" for none); PART: that one and the bare loop alone
// Each line is a rate, its ratio to a bare loop of the same run (posix_spawn of the same program,
// its output, waitpid and one durable SQLite commit per result, one after the other), and the CPU
// time of an evaluation, programs included, which other work on the machine changes little. The
// parts take turns, three times, and the medians are shown, for other work comes and goes.
//   loop serve
//       the program of the serve mode: answers every request with its first parameter
#include <fcntl.h>
#include <spawn.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "vbo/study.hpp"
#include "vbo/worker.hpp"

extern char** environ;

namespace {

using namespace vbo;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "loop: %s\n", what.c_str());
  std::exit(1);
}

// The number the program printed.
double spawn_echo() {
  std::array<int, 2> out{};
  if (pipe2(out.data(), O_CLOEXEC) != 0) fail("pipe2");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  std::array<char*, 3> arguments{const_cast<char*>("/bin/echo"), const_cast<char*>("0.5"), nullptr};
  pid_t pid = -1;
  if (posix_spawn(&pid, "/bin/echo", &actions, nullptr, arguments.data(), environ) != 0) {
    fail("posix_spawn");
  }
  posix_spawn_file_actions_destroy(&actions);
  close(out[1]);
  std::array<char, 64> text{};
  (void)!read(out[0], text.data(), text.size() - 1);
  close(out[0]);
  int status = 0;
  if (waitpid(pid, &status, 0) != pid || status != 0) fail("waitpid");
  return std::strtod(text.data(), nullptr);
}

double cpu_seconds() {
  double sum = 0.0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    getrusage(who, &usage);
    for (const timeval& time : {usage.ru_utime, usage.ru_stime}) {
      sum += static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    }
  }
  return sum;
}

struct Rate {
  double per_second = 0.0;
  double cpu = 0.0;  // microseconds of an evaluation
};

Rate bare_rate(const std::string& path, double length) {
  sqlite3* database = nullptr;
  const auto execute = [&](const char* sql) {
    if (sqlite3_exec(database, sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail(sql);
  };
  if (sqlite3_open(path.c_str(), &database) != SQLITE_OK) fail(path);
  execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE r (value REAL)");
  sqlite3_stmt* insert = nullptr;
  sqlite3_prepare_v2(database, "INSERT INTO r VALUES (?)", -1, &insert, nullptr);
  std::int64_t done = 0;
  const double cpu = cpu_seconds();
  const auto start = Clock::now();
  for (; seconds_since(start) < length; ++done) {
    sqlite3_bind_double(insert, 1, spawn_echo());
    if (sqlite3_step(insert) != SQLITE_DONE) fail("insert");
    sqlite3_reset(insert);
  }
  const Rate rate = {static_cast<double>(done) / seconds_since(start),
                     1e6 * (cpu_seconds() - cpu) / static_cast<double>(done)};
  sqlite3_finalize(insert);
  sqlite3_close(database);
  return rate;
}

struct Mode {
  const char* name;  // "group" is mode once with containment = "group"
  EvaluatorMode mode;
  Containment containment;
};
constexpr std::array<Mode, 3> kModes = {{{"once", EvaluatorMode::once, Containment::tree},
                                         {"group", EvaluatorMode::once, Containment::group},
                                         {"serve", EvaluatorMode::serve, Containment::tree}}};

Rate study_rate(const std::string& url, const Mode& mode, std::size_t workers, double length) {
  const double cpu = cpu_seconds();
  StudyOptions options;
  options.space = Space::make({Parameter::real("x", 0.0, 1.0)}).value();
  options.optimizer.method = "sobol";
  options.optimizer.batch = static_cast<std::int64_t>(workers);
  options.budget = 1'000'000'000;
  options.storage = url;
  Study study = Study::open(options).value();
  ProcessOptions program;
  program.command =
      mode.mode == EvaluatorMode::once
          ? std::vector<std::string>{"/bin/echo", "{x}"}
          : std::vector<std::string>{"/proc/" + std::to_string(getpid()) + "/exe", "serve"};
  program.mode = mode.mode;
  program.containment = mode.containment;
  program.workers = workers;
  std::atomic<int> stop = 0;
  std::atomic<bool> ended = false;
  std::thread worker([&, storage = study.connect(Access::queue).value()]() mutable {
    const auto executor = make_process_executor(options.space, program).value();
    WorkOptions work_options;
    work_options.interrupts = &stop;
    work_options.leaves_at_end = false;
    if (const auto end = work(*storage, *executor, work_options); !end) fail(end.error().message);
    storage.reset();
    ended = true;
  });
  std::atomic<int> interrupts = 0;
  Clock::time_point first{};
  std::int64_t done = 0;
  double took = 0.0;
  RunOptions run;
  run.local_slots = static_cast<std::int64_t>(workers);
  run.interrupts = &interrupts;
  run.stop_workers = &stop;
  run.workers_ended = &ended;
  run.on_finished = [&](const Trial&) {
    if (first == Clock::time_point{}) {
      first = Clock::now();  // programs have started
    } else if (interrupts == 0) {
      ++done;
      took = seconds_since(first);
      if (took >= length) interrupts = 2;
    }
  };
  const auto end = study.coordinate(run);
  worker.join();
  if (!end) fail(end.error().message);
  if (const auto closed = study.close(); !closed) fail(closed.error().message);
  return {static_cast<double>(done) / took,
          1e6 * (cpu_seconds() - cpu) / static_cast<double>(done)};
}

int serve() {
  std::array<char, 4096> line{};
  while (std::fgets(line.data(), line.size(), stdin)) {
    const char* const id = std::strstr(line.data(), "\"id\": ");
    const char* const x = std::strstr(line.data(), "\"x\":");
    if (!id || !x) return 1;
    std::printf("{\"id\": %ld, \"value\": %.17g}\n", std::strtol(id + 6, nullptr, 10),
                std::strtod(x + 4, nullptr));
    std::fflush(stdout);
  }
  return 0;
}

struct Part {
  std::string name;
  std::function<Rate(const std::string& folder, int turn)> rate;
  std::vector<Rate> rates;
  double median(double Rate::*what) const {
    std::vector<double> sorted;
    for (const Rate& one : rates) sorted.push_back(one.*what);
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string(argv[1]) == "serve") return serve();
  namespace fs = std::filesystem;
  const double length = argc > 1 ? std::strtod(argv[1], nullptr) : 2.0;
  const std::string server = argc > 3 ? argv[3] : "";
  const std::string only = argc > 4 ? argv[4] : "";
  std::string folder =
      (argc > 2 ? argv[2] : fs::temp_directory_path().string()) + "/vbo-loop-XXXXXX";
  if (!mkdtemp(folder.data())) fail("cannot make a folder like " + folder);
  std::vector<Part> parts = {
      {"bare loop", [&](const std::string& file, int) { return bare_rate(file, length); }, {}}};
  for (const Mode& mode : kModes) {
    for (const std::size_t workers : {1U, 8U}) {
      const std::string name = std::string(mode.name) + " " + std::to_string(workers);
      if (!only.empty() && only != name) continue;
      parts.push_back({name,
                       [&, mode, workers, name](const std::string& file, int turn) {
                         const std::string study =
                             server + "&study=loop" + std::to_string(getpid()) + mode.name +
                             std::to_string(workers) + "t" + std::to_string(turn);
                         return study_rate(server.empty() ? file : study, mode, workers, length);
                       },
                       {}});
    }
  }
  for (int turn = 0; turn < 3; ++turn) {
    for (Part& part : parts) {
      part.rates.push_back(
          part.rate(folder + "/" + std::to_string(turn) + part.name + ".db", turn));
    }
  }
  for (const Part& part : parts) {
    const double rate = part.median(&Rate::per_second);
    std::printf("%-10s %8.0f /s  ratio %6.2f  cpu %6.0f us\n", part.name.c_str(), rate,
                rate / parts.front().median(&Rate::per_second), part.median(&Rate::cpu));
  }
  fs::remove_all(folder);
  return 0;
}
