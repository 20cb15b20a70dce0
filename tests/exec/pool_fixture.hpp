// SPDX-License-Identifier: MIT
// Runs jobs through a pool and collects their outcomes by trial id.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "vbo/executor.hpp"

namespace vbo {

inline Space test_space() {
  return *Space::make({Parameter::real("x", -10.0, 10.0), Parameter::integer("n", 0, 9),
                       Parameter::categorical("kind", {"a b", "c"})});
}

inline Job job(TrialId id, double x = 1.5) {
  return {id, {x, std::int64_t{3}, std::string("a b")}};
}

// Everything that ends within 30 seconds; far more than any test needs.
inline std::map<TrialId, Outcome> collect(Executor& pool) {
  std::map<TrialId, Outcome> all;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (pool.running() > 0 && std::chrono::steady_clock::now() < end) {
    for (Outcome& outcome : pool.wait(std::chrono::milliseconds(200))) {
      const TrialId id = outcome.id;
      EXPECT_NE(outcome.value().has_value(), outcome.failure.has_value());
      EXPECT_TRUE(all.emplace(id, std::move(outcome)).second) << "trial " << id << " ended twice";
    }
  }
  EXPECT_EQ(pool.running(), 0U);
  return all;
}

inline Outcome evaluate(ProcessOptions options, const Job& what = job(7)) {
  auto pool = make_process_executor(test_space(), std::move(options)).value();
  pool->submit(what);
  auto outcomes = collect(*pool);
  return outcomes.contains(what.id) ? outcomes.at(what.id) : Outcome{};
}

inline ProcessOptions shell(const std::string& script) {
  ProcessOptions options;
  options.command = {"sh", "-c", script};
  options.retries = 0;
  options.retry_delay_seconds = 0.01;
  return options;
}

// A folder that is removed with everything in it.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "vbo-test-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~ScratchFolder() { std::filesystem::remove_all(path_); }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Empty when it cannot be read. The inserter swallows what the buffer throws: a process that ends
// between the opening and the reading of its file in /proc makes the read fail.
inline std::string read_text(const std::string& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// Waits until the process is gone, or a zombie of somebody who has not looked yet.
inline bool is_gone(pid_t pid) {
  for (int i = 0; i < 500; ++i) {
    const std::string text = read_text("/proc/" + std::to_string(pid) + "/stat");
    const std::size_t end = text.rfind(')');
    if (text.empty() || (end != std::string::npos && text.substr(end + 2, 1) == "Z")) return true;
    usleep(10'000);
  }
  return false;
}

}  // namespace vbo
