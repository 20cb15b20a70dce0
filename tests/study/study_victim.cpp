// SPDX-License-Identifier: MIT
// A process that runs a study in a file and may be killed at any moment.
//   study_victim DB LOG run|batch BUDGET
// run: Study::run with one worker. batch: asks for four, tells them one by one.
// Every result is written to LOG after Study said that it is told.
#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

#include "study/support.hpp"

namespace {

using namespace vbo;

class Log {
 public:
  explicit Log(const char* path)
      : fd_(open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644)) {}
  ~Log() { close(fd_); }
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;
  void add(TrialId id, double value) const {  // one write, so that a line is there or not
    const std::string line = std::to_string(id) + " " + to_string(Value(value)) + "\n";
    if (write(fd_, line.data(), line.size()) < 0) std::perror("log");
  }

 private:
  int fd_;
};

double evaluate(const Point& point) {
  std::this_thread::sleep_for(std::chrono::microseconds(300));
  return testing::objective(point);
}

void run(Study& study, const Log& log) {
  const auto executor = make_function_executor(evaluate);
  RunOptions options;
  options.on_finished = [&](const Trial& trial) { log.add(trial.id, *trial.value()); };
  study.run(*executor, options).value();
}

void ask_in_batches(Study& study, const Log& log, std::int64_t budget) {
  for (;;) {
    std::vector<Trial> open;
    std::int64_t ended = 0;
    for (const Trial& trial : study.trials().value()) {
      if (trial.told_in == 0) {
        open.push_back(trial);
      } else {
        ++ended;
      }
    }
    if (ended >= budget) return;
    if (open.empty()) open = study.ask(4).value();
    for (const Trial& trial : open) {
      const double value = evaluate(trial.point);
      study.tell(trial.id, value).value();
      log.add(trial.id, value);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  StudyOptions options = testing::small_study();
  options.storage = argv[1];
  options.budget = std::stol(argv[4]);
  auto study = Study::open(options, testing::scripted());
  if (!study) {
    std::fprintf(stderr, "%s\n", study.error().message.c_str());
    return 1;
  }
  if (!study->warning().empty()) {
    std::fprintf(stderr, "%s\n", study->warning().c_str());
    return 3;
  }
  const Log log(argv[2]);
  if (argv[3] == std::string("run")) {
    run(*study, log);
  } else {
    ask_in_batches(*study, log, options.budget);
  }
  return 0;
}
