// SPDX-License-Identifier: MIT
// Every option of every registered method: it is read (changing it changes something one can see),
// its documented range is the accepted one, and at the ends of the range the method still works.
#include "optim/conformance.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <set>
#include <string>

#include "optim/options.hpp"

namespace vbo {
namespace {

using testing::Game;
using ::testing::HasSubstr;
using testing::mixed_space;
using testing::quick_options;

class ConformanceOptions : public ::testing::TestWithParam<std::string> {
 protected:
  const std::vector<OptionInfo>& infos() const { return testing::info_of(GetParam()).options; }
};
INSTANTIATE_TEST_SUITE_P(Methods, ConformanceOptions, ::testing::ValuesIn(testing::one_objective()),
                         testing::test_name);

// What the published range says.
struct Range {
  std::vector<OptionValue> choices;  // of flags and choices
  double low = 0.0, high = 0.0;      // of the rest
  bool whole = false, list = false;
};

Range range_of(const std::string& method, const OptionInfo& option) {
  Range range;
  if (option.range == "true | false") {
    range.choices = {false, true};
    return range;
  }
  if (option.range.find(" | ") != std::string::npos) {
    for (std::size_t from = 0; from < option.range.size();) {
      const std::size_t to = std::min(option.range.find(" | ", from), option.range.size());
      range.choices.emplace_back(option.range.substr(from, to - from));
      from = to + 3;
    }
    return range;
  }
  const std::string prefix = "a list of whole numbers from ";
  range.list = option.range.starts_with(prefix);
  const std::string text = range.list ? option.range.substr(prefix.size()) : option.range;
  const std::size_t middle = text.find(" to ");
  EXPECT_NE(middle, std::string::npos) << option.name << ": " << option.range;
  range.low = std::stod(text);
  range.high = std::stod(text.substr(middle + 4));
  // A number between two whole ones tells which kind it is.
  OptimizerOptions probe = quick_options(method);
  probe.settings[option.name] = range.low + 0.5 * (std::min(range.high, range.low + 1) - range.low);
  range.whole = range.list || !make_optimizer(mixed_space(), probe);
  return range;
}

OptionValue value_in(const Range& range, double number) {
  if (range.list) return std::vector<double>{number};
  if (range.whole) return static_cast<std::int64_t>(number);
  return number;
}

// Everything one can see of a method: points, reasons, reports.
std::string observed(const OptimizerOptions& options) {
  Game game(mixed_space(), options);
  game.rounds(options.method.starts_with("vbo") ? 12
                                                : 5);  // vbo learns from eight results at least
  game.ask(1);
  std::string all;
  const auto say = [&](double number) { all += to_string(Value(number)) + " "; };
  for (const Trial& trial : game.trials()) {
    for (const Value& value : trial.point) all += to_string(value) + " ";
    all += trial.rationale.source + " ";
    if (trial.rationale.acquisition) say(*trial.rationale.acquisition);
    for (const Term& note : trial.rationale.notes) say(note.value);
  }
  const AskReport report = game.optimizer().report();
  for (const Term& value : report.values) say(value.value);
  if (report.information) say(report.information->predicted.value_or(-1.0));
  return all + report.message;
}

// Options that matter only beside others: with each of these a second, third, ... look is taken.
std::vector<OptionMap> circumstances(const std::vector<OptionInfo>& infos) {
  std::vector<OptionMap> all = {{}};
  const auto add = [&](const char* name, OptionValue value, OptionMap more = {}) {
    if (std::ranges::find(infos, std::string_view(name), &OptionInfo::name) == infos.end()) return;
    more[name] = std::move(value);
    all.push_back(std::move(more));
  };
  add("acquisition", std::string("ucb"));
  add("acquisition", std::string("qucb"));
  add("acquisition", std::string("qei"), {});
  add("acquisition", std::string("ts"));
  add("acquisition", std::string("logei"));
  add("max_points", std::int64_t{10});
  // cmaes: generations and runs come to their end.
  add("population", std::int64_t{4});
  add("population", std::int64_t{4}, {{"tolerance", 0.1}, {"sigma0", 0.05}});
  add("base", std::string("region"));  // focal
  add("successes", std::int64_t{1});   // turbo: regions grow ...
  add("successes", std::int64_t{1}, {{"length_start", 0.1}});
  add("length_start", 0.02);  // ... and end
  add("output_scale", false);
  add("action_batch", std::int64_t{1});  // vbo: the action-net has a say
  add("actions", std::string("reflect"),
      {{"warm_up", std::int64_t{1}}, {"action_rate", 0.1}, {"action_steps", std::int64_t{20}}});
  return all;
}

std::vector<OptionValue> others(const std::string& method, const OptionInfo& option) {
  const Range range = range_of(method, option);
  if (!range.choices.empty()) return range.choices;
  std::vector<OptionValue> values;
  const OptionMap quick = testing::quick_settings(method);
  double now = range.list ? 6.0 : std::stod(option.default_value);
  if (const auto it = quick.find(option.name); it != quick.end()) {
    if (const auto* whole = std::get_if<std::int64_t>(&it->second))
      now = static_cast<double>(*whole);
  }
  for (const double number : {2.0 * now + 1.0, 0.5 * now, range.low, now + 1.0, 20.0, 0.9}) {
    if (number >= range.low && number <= range.high && number <= 50.0) {
      values.push_back(value_in(range, number));
    }
  }
  if (!range.whole && range.high <= 1.0) values.push_back(value_in(range, range.high));
  return values;
}

TEST_P(ConformanceOptions, EachIsRead) {
  const std::vector<OptionMap> around = circumstances(infos());
  std::vector<std::string> before(around.size());
  // vbo: what happens once a search has narrowed, or models rank new results well, which takes
  // longer games than these.
  const std::set<std::string> later = {"explore", "preselection", "runs"};
  for (const OptionInfo& option : infos()) {
    if (later.contains(option.name)) continue;
    const auto changes_something = [&] {
      const std::vector<OptionValue> values = others(GetParam(), option);
      for (std::size_t i = 0; i < around.size(); ++i) {
        OptimizerOptions options = quick_options(GetParam());
        for (const auto& [name, value] : around[i]) options.settings[name] = value;
        if (!make_optimizer(mixed_space(), options)) continue;  // not one of this method's choices
        if (before[i].empty()) before[i] = observed(options);
        for (const OptionValue& value : values) {
          options.settings[option.name] = value;
          if (make_optimizer(mixed_space(), options) && observed(options) != before[i]) return true;
        }
      }
      return false;
    };
    EXPECT_TRUE(changes_something()) << option.name << " is accepted and ignored";
  }
}

TEST_P(ConformanceOptions, EndWhereTheRangeSays) {
  for (const OptionInfo& option : infos()) {
    SCOPED_TRACE(option.name);
    const Range range = range_of(GetParam(), option);
    OptimizerOptions options = quick_options(GetParam());
    const auto expect_refused = [&](OptionValue value) {
      options.settings[option.name] = std::move(value);
      const auto made = make_optimizer(mixed_space(), options);
      ASSERT_FALSE(made);
      EXPECT_THAT(made.error().message, HasSubstr("\"" + option.name + "\""));
    };
    const auto expect_works = [&](OptionValue value) {
      SCOPED_TRACE(to_string(value));
      options.settings[option.name] = std::move(value);
      Game game(mixed_space(), options);
      game.rounds(5);
    };
    if (!range.choices.empty()) {
      for (const OptionValue& choice : range.choices) expect_works(choice);
      expect_refused(std::string("no such choice"));
      continue;
    }
    const bool whole = range.whole;
    const double infinity = std::numeric_limits<double>::infinity();
    const double above = whole ? range.low + 1 : std::nextafter(range.low, infinity);
    const double below = whole ? range.high - 1 : std::nextafter(range.high, -infinity);
    expect_refused(value_in(range, whole ? range.low - 1 : std::nextafter(range.low, -infinity)));
    if (range.high < std::numeric_limits<double>::max()) {
      expect_refused(
          value_in(range, whole ? range.high + 1 : std::nextafter(range.high, infinity)));
    }
    if (!whole) expect_refused(std::nan(""));
    expect_works(value_in(range, range.low));
    expect_works(value_in(range, above));
    if (!whole && range.low == 0.0) expect_works(1e-300);
    // At the top a count is as slow as it is large: a width of 4096 alone takes a gigabyte.
    if (whole && range.high > 64) continue;
    expect_works(value_in(range, below));
    expect_works(value_in(range, range.high));
  }
}

}  // namespace
}  // namespace vbo
