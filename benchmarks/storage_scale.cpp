// SPDX-License-Identifier: MIT
// How the storage holds up with many trials. Makes a study of N trials (default 100,000) in ten
// dimensions in a temporary folder and prints, for whole processes from start to exit: reading
// counts and the best trial, opening for resume, and running on. Memory is the process's peak.
//   storage_scale [N]
//   storage_scale --make FILE N     only makes the study, and leaves it
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "vbo/vbo.hpp"

namespace {

using namespace vbo;
using Clock = std::chrono::steady_clock;

constexpr int kDimensions = 10;

StudyOptions options(const std::string& path, std::int64_t budget) {
  std::vector<Parameter> parameters;
  for (int i = 0; i < kDimensions; ++i) {
    parameters.push_back(Parameter::real("x" + std::to_string(i + 1), -5, 10));
  }
  StudyOptions study;
  study.name = "scale";
  study.space = Space::make(std::move(parameters)).value();
  study.budget = budget;
  study.optimizer = {.method = "random", .seed = 1, .batch = 64};
  study.storage = path;
  return study;
}

double sphere(const Point& point) {
  double sum = 0.0;
  for (const Value& value : point) sum += std::pow(std::get<double>(value), 2);
  return sum;
}

// Written the way Study does it, but a thousand at a time.
void make_study(const std::string& path, std::int64_t count) {
  { (void)Study::open(options(path, count)).value(); }
  auto storage = open_storage(path, Access::coordinate).value();
  Rng rng(1, "scale");
  EventId event = 0;
  for (TrialId next = 1; next <= count;) {
    std::vector<Trial> trials;
    for (; next <= count && trials.size() < 1000; ++next) {
      Trial trial;
      trial.id = next;
      for (int d = 0; d < kDimensions; ++d) trial.point.emplace_back(rng.uniform(-5, 10));
      trial.rationale = {"action-net",
                         rng.normal(),
                         {{"exploitation", rng.normal()},
                          {"information", rng.uniform()},
                          {"epistemic", rng.uniform()}}};
      trial.asked_in = event + 1;
      trials.push_back(std::move(trial));
    }
    storage->add_trials(trials, std::nullopt).value();
    for (Trial& trial : trials) {
      trial.told_in = event + 2;
      trial.attempts = 1;
      if (trial.id % 50 == 0) {
        trial.state = TrialState::failed;
        trial.failure = Failure{FailureCause::crash, "exit code 1"};
        trial.stderr_tail = std::string(1000, 'e');
      } else {
        trial.state = TrialState::completed;
        trial.values = {sphere(trial.point)};
      }
    }
    storage->finish_trials(trials).value();
    event += 2;
  }
  storage->save_snapshot({event, "random"}).value();
}

int child(const std::string& what, const std::string& path, std::int64_t count) {
  if (what == "status") {
    const auto storage = open_storage(path, Access::read).value();
    const StudyRecord record = *storage->load_study().value();
    const TrialCounts counts = storage->counts().value();
    const Trial best = *storage->best_trial(record.goal()).value();
    return counts.completed + counts.failed == count && best.value() ? 0 : 1;
  }
  const std::int64_t more = what == "run" ? 5000 : 0;
  Study study = Study::open(options(path, count + more)).value();
  if (what == "resume") return study.ask(64).value().size() == 64 ? 0 : 1;
  const auto executor = make_function_executor(sphere, 8);
  return study.run(*executor).value() == RunEnd::budget_spent ? 0 : 1;
}

// Runs this program again and prints what it took.
void measure(const char* self, const std::string& label, const std::string& what,
             const std::string& path, std::int64_t count) {
  const auto start = Clock::now();
  const pid_t pid = fork();
  if (pid == 0) {
    execl(self, self, "--child", what.c_str(), path.c_str(), std::to_string(count).c_str(),
          nullptr);
    _exit(127);
  }
  int status = 0;
  rusage usage{};
  wait4(pid, &status, 0, &usage);
  const std::chrono::duration<double> seconds = Clock::now() - start;
  const bool right = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  std::printf("%-46s %8.3f s wall  %8.3f s cpu  %7.1f MB%s\n", label.c_str(), seconds.count(),
              static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                  1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec),
              static_cast<double>(usage.ru_maxrss) / 1024.0, right ? "" : "  WRONG RESULT");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 5 && argv[1] == std::string("--child")) {
    return child(argv[2], argv[3], std::stol(argv[4]));
  }
  if (argc == 4 && argv[1] == std::string("--make")) {
    make_study(argv[2], std::stol(argv[3]));
    return 0;
  }
  const std::int64_t count = argc > 1 ? std::stol(argv[1]) : 100000;
  const auto folder =
      std::filesystem::temp_directory_path() / ("vbo-scale-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const std::string path = (folder / "scale.db").string();
  const auto start = Clock::now();
  make_study(path, count);
  const std::chrono::duration<double> seconds = Clock::now() - start;
  std::printf("%lld trials, %d parameters: %.1f MB on disk, written in %.1f s\n",
              static_cast<long long>(count), kDimensions,
              static_cast<double>(std::filesystem::file_size(path)) / 1e6, seconds.count());
  measure(argv[0], "counts and best, whole process", "status", path, count);
  measure(argv[0], "open for resume, ask 64, whole process", "resume", path, count);
  measure(argv[0], "open, 5000 more evaluations, whole process", "run", path, count);
  std::filesystem::remove_all(folder);
  return 0;
}
