// SPDX-License-Identifier: MIT
// Every registered method, taken up from a snapshot or replayed from its log at any moment of any
// game, goes on as if nothing had happened; and a damaged snapshot is noticed, not believed.
#include "optim/conformance.hpp"
#include "storage/memory/memory.hpp"
#include "vbo/study.hpp"

namespace vbo {
namespace {

using testing::Game;

class ConformanceRestore : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Methods, ConformanceRestore, ::testing::ValuesIn(testing::method_names()),
                         testing::test_name);

Parameter any_parameter(const std::string& name, Rng& rng) {
  switch (rng.below(8)) {
    case 6:
      return Parameter::ordinal(name, {0.5, 2.0, 8.0, 32.0});
    case 7:
      return Parameter::real(name, 0.1, 2.3, false, 0.1);
    case 0:
      return Parameter::real(name, 0.1, 0.7);
    case 1:
      return Parameter::real(name, -std::exp(3.0 * rng.uniform()), rng.uniform());
    case 2:
      return Parameter::real(name, 1e-5 * (0.1 + rng.uniform()), 3.0 + rng.uniform(), true);
    case 3:
      return Parameter::integer(name, -2, 3 + static_cast<std::int64_t>(rng.below(50)));
    case 4:
      return Parameter::integer(name, 1, 3000, true);
    default:
      return Parameter::categorical(name, {"a", "b", "c"});
  }
}

// At least one real parameter, so that there is always something new to suggest.
Space any_space(Rng& rng) {
  std::vector<Parameter> all = {Parameter::real("x", 0.1, 0.7)};
  for (std::uint64_t i = rng.below(3); i > 0; --i) {
    all.push_back(any_parameter("p" + std::to_string(i), rng));
  }
  return Space::make(all).value();
}

// One ask or tell of a random kind: few or many at a time, results in any order, some of them
// failures, some never.
void move(Game& game, Rng& rng) {
  std::vector<TrialId> open = game.open();
  if (open.empty() || (open.size() < 9 && rng.uniform() < 0.45)) {
    game.ask(1 + rng.below(4));
    return;
  }
  const std::uint64_t count = 1 + rng.below(std::min<std::uint64_t>(5, open.size()));
  std::vector<std::pair<TrialId, std::optional<double>>> outcomes;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto at = static_cast<std::ptrdiff_t>(rng.below(open.size()));
    const TrialId id = open[static_cast<std::size_t>(at)];
    open.erase(open.begin() + at);
    const Point& point = game.trials()[static_cast<std::size_t>(id - 1)].point;
    outcomes.emplace_back(id, rng.uniform() < 0.1
                                  ? std::nullopt
                                  : std::optional(testing::smooth(game.space(), point)));
  }
  // Study tells in the order of ids.
  std::ranges::sort(outcomes, {}, [](const auto& outcome) { return outcome.first; });
  game.tell(outcomes);
}

TEST_P(ConformanceRestore, IsExactAtAnyMoment) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE("game " + std::to_string(seed));
    Rng rng(seed, GetParam());
    OptimizerOptions options = testing::quick_options(GetParam());
    options.seed = seed;
    options.batch = 1 + static_cast<std::int64_t>(rng.below(4));
    Game game(any_space(rng), options);
    for (int i = 0; i < 26; ++i) move(game, rng);
    // Three players of one game from here on, the same moves for each.
    Game restored = game.restored();
    Game replayed = game.replayed();
    ASSERT_EQ(testing::points_of(replayed.trials()), testing::points_of(game.trials()));
    EXPECT_EQ(restored.optimizer().snapshot(), game.optimizer().snapshot());
    EXPECT_EQ(restored.optimizer().round(), game.optimizer().round());
    for (int i = 0; i < 10; ++i) {
      Rng same = rng;
      move(game, rng);
      Rng again = same;
      move(restored, again);
      move(replayed, same);
    }
    EXPECT_EQ(testing::points_of(restored.trials()), testing::points_of(game.trials()));
    EXPECT_EQ(testing::points_of(replayed.trials()), testing::points_of(game.trials()));
    EXPECT_EQ(restored.optimizer().snapshot(), game.optimizer().snapshot());
  }
}

// Study checks the bytes it stored before the method sees them.
TEST_P(ConformanceRestore, NoticesADamagedSnapshot) {
  if (testing::has_two_objectives(GetParam())) GTEST_SKIP() << "needs one value per result";
  StudyOptions options;
  options.space = testing::mixed_space();
  options.budget = 60;
  options.optimizer = testing::quick_options(GetParam());
  MemoryStorage storage;
  const auto open = [&] {
    return Study::open(options, {std::make_unique<MemoryStorage>(storage), {}}).value();
  };
  {
    Study study = open();
    for (int round = 0; round < 4; ++round) {
      for (const Trial& trial : study.ask(4).value()) {
        study.tell(trial.id, testing::smooth(options.space, trial.point)).value();
      }
    }
    ASSERT_TRUE(study.close());
  }
  const Snapshot whole = storage.load_snapshot().value().value();
  EXPECT_EQ(open().warning(), "");
  Rng rng(1, GetParam());
  for (int i = 0; i < 12; ++i) {
    Snapshot damaged = whole;
    if (i < 10) {
      char& byte = damaged.bytes[rng.below(damaged.bytes.size())];
      byte = static_cast<char>(byte ^ static_cast<char>(1 + rng.below(255)));
    } else {
      damaged.bytes.resize(damaged.bytes.size() / static_cast<std::size_t>(i - 8) - 1);
    }
    storage.save_snapshot(damaged).value();
    EXPECT_NE(open().warning().find("replayed instead"), std::string::npos) << "damage " << i;
  }
  storage.save_snapshot(whole).value();
  EXPECT_EQ(open().warning(), "");
}

}  // namespace
}  // namespace vbo
