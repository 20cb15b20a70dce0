// SPDX-License-Identifier: MIT
// The state of a method with bytes changed and its checksum made to fit: refused, or the method
// goes on with points of its space. The input is the number of a method, how long its history is,
// and a list of changes, each of twelve bytes: a kind, three bytes of offset, eight of content.
#include <cstring>
#include <map>

#include "fuzz/fuzz.hpp"
#include "optim/conformance.hpp"

namespace {

using namespace vbo;

constexpr std::size_t kChange = 12;
constexpr int kRounds = 6;  // at most

struct Played {
  vbo::testing::Game game;
  std::string state;
};

// Once per method and length: making one takes longer than all that is done with it.
const Played& played(const std::string& method, int rounds) {
  static std::map<std::pair<std::string, int>, Played> all;
  const auto known = all.find({method, rounds});
  if (known != all.end()) return known->second;
  vbo::testing::Game game(vbo::testing::mixed_space(), vbo::testing::quick_options(method));
  game.rounds(rounds);
  game.ask(2);  // still open
  std::string state = game.optimizer().snapshot();
  return all.emplace(std::pair(method, rounds), Played{std::move(game), std::move(state)})
      .first->second;
}

void change(std::string& bytes, const std::uint8_t* data) {
  const std::size_t offset =
      (std::size_t{data[1]} << 16U | std::size_t{data[2]} << 8U | data[3]) % bytes.size();
  const std::string content(reinterpret_cast<const char*>(data + 4), 8);
  const std::size_t length = std::min<std::size_t>(8, bytes.size() - offset);
  switch (data[0] % 6) {
    case 0:
      bytes.replace(offset, length, content, 0, length);
      break;
    case 1:
      bytes[offset] = content[0];
      break;
    case 2: {  // one more or less than a size or an index
      std::int64_t value = 0;
      std::memcpy(&value, bytes.data() + offset, length);
      const auto sum = static_cast<std::uint64_t>(value) + ((data[4] & 1U) != 0 ? 1U : ~0ULL);
      std::memcpy(bytes.data() + offset, &sum, length);
      break;
    }
    case 3:
      bytes.insert(offset, content);
      break;
    case 4:
      bytes.erase(offset, length);
      break;
    default:
      bytes.resize(offset + 1);
  }
}

void go_on(const vbo::testing::Game& game, const OptimizerOptions& options,
           const std::string& state) {
  const auto method = make_optimizer(game.space(), options).value();
  const std::vector<Trial> trials = game.trials();
  if (!method->restore(state, trials)) return;
  const TrialId first = std::ssize(trials) + 1;
  for (const EventId event : {EventId{1000}, EventId{1002}}) {
    const std::vector<TrialId> asked = {first + event - 1000, first + event - 999};
    std::vector<Trial> told;
    for (const Suggestion& made : method->ask(asked)) {
      REQUIRE_THAT(game.space().check(made.point));
      Trial trial;
      trial.id = asked[told.size()];
      trial.point = made.point;
      trial.rationale = made.rationale;
      trial.asked_in = event;
      trial.told_in = event + 1;
      trial.state = TrialState::completed;
      trial.values.assign(std::max<std::size_t>(options.objectives.size(), 1), 0.5);
      told.push_back(std::move(trial));
    }
    REQUIRE_THAT(told.size() == asked.size());
    method->tell(told);
    (void)method->report();
    (void)method->snapshot();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  static const std::vector<std::string> names = vbo::testing::method_names();
  const std::string& name = names[data[0] % names.size()];
  const Played& before = played(name, 1 + data[1] % kRounds);
  std::string state = before.state;
  for (std::size_t at = 2; at + kChange <= size && !state.empty(); at += kChange) {
    change(state, data + at);
  }
  go_on(before.game, vbo::testing::quick_options(name), state);
  return 0;
}
