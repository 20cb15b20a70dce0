// SPDX-License-Identifier: MIT
// What the storage tests need another process for.
//   storage_child hold DB         opens for writing, says "held" and waits to be killed
//   storage_child fill DB BYTES   adds trials until no file may grow beyond BYTES, says the error
//   storage_child nobody DB MODE  opens for MODE read or write without root's rights, says the
//   result
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "storage/samples.hpp"
#include "vbo/storage.hpp"

namespace {

using namespace vbo;

void say(const std::string& line) {
  std::puts(line.c_str());
  std::fflush(stdout);
}

std::string show(const Error& error) {
  return std::to_string(static_cast<int>(error.kind)) + " " + error.message;
}

int hold(const std::string& path) {
  const auto storage = open_storage(path, Access::coordinate);
  say(storage ? "held" : show(storage.error()));
  for (;;) pause();
}

int fill(const std::string& path, rlim_t bytes) {
  signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit limit{bytes, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &limit);
  auto storage = open_storage(path, Access::coordinate).value();
  storage->create_study(testing::sample_record()).value();
  for (TrialId id = 1;; ++id) {
    const auto added =
        storage->add_trials(std::vector{testing::sample_trial(id, id)}, std::nullopt);
    if (added) continue;
    say(show(added.error()));
    say(std::to_string(id - 1));
    setrlimit(RLIMIT_FSIZE, &before);  // the counters of a coverage build are written at the end
    return 0;
  }
}

int nobody(const std::string& path, Access access) {
  if (geteuid() == 0 && setuid(65534) != 0) return 1;
  const auto storage = open_storage(path, access);
  if (!storage) {
    say(show(storage.error()));
  } else {
    say("trials " + std::to_string((*storage)->load_trials().value().size()));
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 2 ? argv[1] : "";
  if (mode == "hold") return hold(argv[2]);
  if (mode == "fill" && argc > 3) return fill(argv[2], std::stoul(argv[3]));
  if (mode == "nobody" && argc > 3) {
    return nobody(argv[2], argv[3] == std::string("read") ? Access::read : Access::coordinate);
  }
  return 2;
}
