// SPDX-License-Identifier: MIT
// A study file with bytes changed: opened by a reader or a coordinator, all that can be loaded
// is loaded. Then either an error, or exactly the results that were stored: never another value.
// The input is a list of changes, see edited_file.hpp.
#include <unistd.h>

#include <fstream>
#include <string>

#include "fuzz/edited_file.hpp"
#include "storage/samples.hpp"
#include "vbo/storage.hpp"

namespace {

using namespace vbo;

constexpr int kTrials = 12;

double value_of(TrialId id) { return 0.25 * static_cast<double>(id) - 1.0 / 3.0; }

std::string make_study() {
  const std::string path = fuzz::folder() + "/study.db";
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
  return fuzz::bytes_of(path);
}

void check(const Result<std::vector<Trial>>& trials) {
  if (!trials) return;
  for (const Trial& trial : *trials) {
    if (trial.value()) REQUIRE_THAT(*trial.value() == value_of(trial.id));
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
  const std::string bytes = fuzz::changed(original, data, size);
  const std::string path = fuzz::folder() + "/copy.db";
  for (const char* ending : {"", "-wal", "-shm", "-lock", ".lock", ".rescued"}) {
    unlink((path + ending).c_str());
  }
  std::ofstream(path, std::ios::binary) << bytes;
  const Access access = size % 2 == 0 ? Access::read : Access::coordinate;
  auto storage = open_storage(path, access, 0.1);
  if (!storage) return 0;
  load_all(**storage);
  if (access == Access::coordinate) {
    (void)(*storage)->return_lost(false);
    const std::vector<Trial> end{testing::completed(testing::sample_trial(9, 5), value_of(9), 6)};
    if ((*storage)->finish_trials(end)) load_all(**storage);
  }
  return 0;
}
