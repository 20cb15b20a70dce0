// SPDX-License-Identifier: MIT
// A study file with bytes changed: opened by a reader and by a coordinator, all that can be loaded
// is loaded. Then either an error, or exactly the results that were stored: never another value.
// The input is a list of changes: three bytes of offset, how many bytes, the bytes.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "fuzz/fuzz.hpp"
#include "storage/samples.hpp"
#include "vbo/storage.hpp"

namespace {

using namespace vbo;

constexpr int kTrials = 24;

// In memory where possible; removed at the end of the program.
struct Folder {
  Folder()
      : path(std::string(access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp") +
             "/vbo-fuzz-XXXXXX") {
    REQUIRE_THAT(mkdtemp(path.data()) != nullptr);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string path;
};

const std::string& folder() {
  static const Folder made;
  return made.path;
}

double value_of(TrialId id) { return 0.25 * static_cast<double>(id) - 1.0 / 3.0; }

std::string make_study() {
  const std::string path = folder() + "/study.db";
  {
    auto storage = open_storage(path, Access::coordinate).value();
    storage->create_study(testing::sample_record()).value();
    EventId event = 0;
    for (TrialId first = 1; first <= kTrials; first += 4) {
      std::vector<Trial> asked, told;
      ++event;
      for (TrialId id = first; id < first + 4; ++id) {
        asked.push_back(testing::sample_trial(id, event));
      }
      storage->add_trials(asked, AskReport{}, 0).value();
      if (first + 4 > kTrials) break;  // the last ones stay open
      ++event;
      for (const Trial& trial : asked) {
        told.push_back(trial.id % 5 == 0 ? testing::failed(trial, event)
                                         : testing::completed(trial, value_of(trial.id), event));
      }
      storage->finish_trials(told).value();
    }
    storage->save_snapshot({event, std::string(3000, 's')}).value();
    storage->settle().value();
  }
  std::ifstream in(path, std::ios::binary);
  return {(std::istreambuf_iterator<char>(in)), {}};
}

void check(const Result<std::vector<Trial>>& trials) {
  if (!trials) return;
  for (const Trial& trial : *trials) {
    if (trial.value) REQUIRE_THAT(*trial.value == value_of(trial.id));
  }
}

void load_all(Storage& storage) {
  (void)storage.load_study();
  check(storage.load_trials(1, -1));
  check(storage.load_history());
  check(storage.load_untold());
  check(storage.load_running());
  (void)storage.load_trial(3);
  (void)storage.best_trial(Goal::minimize);
  (void)storage.counts();
  (void)storage.queue_state();
  (void)storage.load_reports(-1);
  (void)storage.load_workers();
  if (const auto snapshot = storage.load_snapshot(); snapshot && *snapshot) {
    REQUIRE_THAT((*snapshot)->bytes == std::string(3000, 's'));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string original = make_study();
  std::string bytes = original;
  for (std::size_t at = 0; at + 4 < size;) {
    const std::size_t offset =
        (std::size_t{data[at]} << 16U | std::size_t{data[at + 1]} << 8U | data[at + 2]) %
        bytes.size();
    const std::size_t length = std::min<std::size_t>(data[at + 3] % 32 + 1, size - at - 4);
    for (std::size_t i = 0; i < length && offset + i < bytes.size(); ++i) {
      bytes[offset + i] = static_cast<char>(data[at + 4 + i]);
    }
    at += 4 + length;
  }
  if (size % 5 == 4) bytes.resize(bytes.size() - data[size - 1] * 16U);  // cut short
  const std::string path = folder() + "/copy.db";
  for (const Access access : {Access::read, Access::coordinate}) {
    for (const char* ending : {"", "-wal", "-shm", "-lock", ".lock", ".rescued"}) {
      unlink((path + ending).c_str());
    }
    std::ofstream(path, std::ios::binary) << bytes;
    auto storage = open_storage(path, access, 0.1);
    if (!storage) continue;
    load_all(**storage);
    if (access != Access::coordinate) continue;
    (void)(*storage)->return_lost(false);
    const std::vector<Trial> end{
        testing::completed(testing::sample_trial(21, 11), value_of(21), 12)};
    if ((*storage)->finish_trials(end)) load_all(**storage);
  }
  return 0;
}
