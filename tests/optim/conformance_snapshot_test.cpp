// SPDX-License-Identifier: MIT
// A snapshot from a stranger, whose checksum fits: sizes, counts, enums and numbers changed at
// will. Every registered method either refuses it or goes on with points of its space; which of the
// two does not matter, that it stays within its memory does (run under the address sanitizer, too).
#include <cstring>
#include <limits>

#include "optim/conformance.hpp"

namespace vbo {
namespace {

using testing::Game;

class ConformanceSnapshot : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Methods, ConformanceSnapshot, ::testing::ValuesIn(testing::method_names()),
                         testing::test_name);

template <class T>
T at(const std::string& bytes, std::size_t offset) {
  T value{};
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}
template <class T>
void put(std::string& bytes, std::size_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

// Where rows and columns of a matrix with entries may be, in both.
std::vector<std::size_t> matrices(const std::string& bytes) {
  std::vector<std::size_t> offsets;
  for (std::size_t i = 0; i + 16 <= bytes.size(); ++i) {
    const auto rows = at<std::int64_t>(bytes, i), cols = at<std::int64_t>(bytes, i + 8);
    if (rows < 0 || cols < 0 || rows > 4096 || cols > 4096 || rows + cols == 0) continue;
    if (static_cast<std::size_t>(8 * rows * cols) <= bytes.size() - i - 16) offsets.push_back(i);
  }
  return offsets;
}

// A matrix of another size, with as many entries as it then has.
void resize_a_matrix(std::string& bytes, Rng& rng) {
  const std::vector<std::size_t> places = matrices(bytes);
  if (places.empty()) return;
  const std::size_t i = places[rng.below(places.size())];
  const auto rows = at<std::int64_t>(bytes, i), cols = at<std::int64_t>(bytes, i + 8);
  std::int64_t r = rows, c = cols;
  switch (rng.below(5)) {
    case 0:
      std::swap(r, c);
      break;
    case 1:
      r = static_cast<std::int64_t>(rng.below(2 * static_cast<std::uint64_t>(rows) + 2));
      break;
    case 2:
      c = static_cast<std::int64_t>(rng.below(2 * static_cast<std::uint64_t>(cols) + 2));
      break;
    case 3:
      r = c = 0;
      break;
    default:
      r = rows * cols;
      c = 1;
  }
  put(bytes, i, r);
  put(bytes, i + 8, c);
  const auto old_end = i + 16 + static_cast<std::size_t>(8 * rows * cols);
  const auto length = static_cast<std::size_t>(8 * r * c);
  std::string entries = bytes.substr(i + 16, old_end - i - 16);
  while (entries.size() < length) entries.append(sizeof(double), '\0');
  bytes = bytes.substr(0, i + 16) + entries.substr(0, length) + bytes.substr(old_end);
}

void change_a_value(std::string& bytes, Rng& rng) {
  static constexpr std::int64_t integers[] = {0,
                                              1,
                                              2,
                                              3,
                                              7,
                                              100,
                                              -1,
                                              -2,
                                              1 << 20,
                                              std::int64_t{1} << 40,
                                              std::numeric_limits<std::int64_t>::max(),
                                              std::numeric_limits<std::int64_t>::min()};
  static constexpr double numbers[] = {0.0,
                                       -1.0,
                                       2.0,
                                       1e-300,
                                       1e6,
                                       -1e30,
                                       1e300,
                                       std::numeric_limits<double>::infinity(),
                                       -std::numeric_limits<double>::infinity(),
                                       std::numeric_limits<double>::quiet_NaN()};
  const std::size_t most = bytes.size() - sizeof(double);
  // Counters come first, then arrays: the beginning is where most kinds of values are.
  const std::size_t offset =
      rng.below(rng.below(2) == 0 ? most + 1 : std::min(most, std::size_t{400}));
  switch (rng.below(4)) {
    case 0:
      put(bytes, offset, integers[rng.below(std::size(integers))]);
      break;
    case 1:
      put(bytes, offset, numbers[rng.below(std::size(numbers))]);
      break;
    case 2:
      put(bytes, offset, at<std::int64_t>(bytes, offset) + (rng.below(2) == 0 ? 1 : -1));
      break;
    default:
      put(bytes, offset, static_cast<char>(rng.below(256)));
  }
}

// Rounds after it is restored; only points of the space, whatever the state was.
void play_on(const Game& game, const OptimizerOptions& options, const std::string& bytes) {
  auto method = make_optimizer(game.space(), options).value();
  std::vector<Trial> trials = game.trials();
  if (!method->restore(bytes, trials)) return;
  const EventId now = 1000;
  for (TrialId round = 0; round < 2; ++round) {
    const TrialId first = std::ssize(trials) + 1;
    const std::vector<TrialId> ids = {first, first + 1, first + 2, first + 3};
    const std::vector<Suggestion> made = method->ask(ids);
    ASSERT_EQ(made.size(), ids.size());
    std::vector<Trial> told;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      testing::expect_inside(game.space(), made[i].point);
      Trial trial;
      trial.id = ids[i];
      trial.point = made[i].point;
      trial.rationale = made[i].rationale;
      trial.asked_in = now + round;
      trial.told_in = now + round + 1;
      trial.state = TrialState::completed;
      trial.values = {testing::smooth(game.space(), trial.point)};
      if (!options.objectives.empty()) {
        trial.values.push_back(testing::smooth(game.space(), trial.point, 0.7));
      }
      trials.push_back(trial);
      told.push_back(trial);
    }
    method->tell(told);
    (void)method->report();
    (void)method->snapshot();
  }
}

TEST_P(ConformanceSnapshot, NoChangeOfItLeadsOutsideTheMemory) {
  OptimizerOptions options = testing::quick_options(GetParam());
  const int changes = std::getenv("VBO_LONG_TESTS") ? 900 : 60;
  Rng rng(3, GetParam());
  for (const int rounds : {1, 4, 9}) {
    Game game(testing::mixed_space(), options);
    game.rounds(rounds);
    game.ask(3);  // still open
    const std::string whole = game.optimizer().snapshot();
    ASSERT_TRUE(make_optimizer(game.space(), options).value()->restore(whole, game.trials()));
    if (whole.size() < 16) continue;  // nothing in it
    for (int i = 0; i < changes / 3; ++i) {
      SCOPED_TRACE("rounds " + std::to_string(rounds) + ", change " + std::to_string(i));
      std::string bytes = whole;
      if (rng.below(3) == 0) resize_a_matrix(bytes, rng);
      for (auto left = rng.below(3) + (bytes == whole ? 1 : 0); left > 0; --left) {
        change_a_value(bytes, rng);
      }
      play_on(game, options, bytes);
    }
  }
}

// A history that is not the one it was made with: fewer results, or none.
TEST_P(ConformanceSnapshot, AnotherHistoryDoesNotLeadOutsideTheMemory) {
  OptimizerOptions options = testing::quick_options(GetParam());
  Game game(testing::mixed_space(), options);
  game.rounds(5);
  const std::string whole = game.optimizer().snapshot();
  for (const int rounds : {0, 1, 3}) {
    Game other(testing::mixed_space(), options);
    if (rounds > 0) other.rounds(rounds);
    play_on(other, options, whole);
  }
  Game failing(testing::mixed_space(), options);
  failing.rounds(5, [](const Point&, TrialId) -> std::optional<double> { return std::nullopt; });
  play_on(failing, options, whole);
  Game narrower(Space::make({Parameter::real("x", 0.1, 0.7)}).value(), options);
  narrower.rounds(5);
  play_on(narrower, options, whole);
}

}  // namespace
}  // namespace vbo
