// SPDX-License-Identifier: MIT
// Whatever is written comes back bit for bit, over generated spaces, points, options and ledgers.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <bit>
#include <cmath>
#include <limits>

#include "core/json.hpp"
#include "core/scan.hpp"
#include "storage/samples.hpp"
#include "support/temporary_folder.hpp"

namespace vbo {
namespace {

using testing::same;

// All doubles, from their bits: huge, tiny, subnormal, infinite, not a number.
rc::Gen<double> any_double() {
  return rc::gen::map(rc::gen::arbitrary<std::uint64_t>(),
                      [](std::uint64_t bits) { return std::bit_cast<double>(bits); });
}
rc::Gen<double> finite_double() {
  return rc::gen::suchThat(any_double(), [](double x) { return std::isfinite(x); });
}
// Valid UTF-8 with quotes, backslashes and control characters.
rc::Gen<std::string> any_text() {
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
                          "a", "Z", "0", "\"", "\\", "\n", "\x01", "é", "日", "😀", "{", "'", "/")),
                      [](const std::vector<std::string>& parts) {
                        std::string text;
                        for (const std::string& part : parts) text += part;
                        return text;
                      });
}

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

Parameter any_parameter(std::size_t index) {
  const std::string name = *any_text() + std::to_string(index);
  switch (*rc::gen::inRange(0, 3)) {
    case 0: {
      const double a = *finite_double();
      const double b = *finite_double();
      const double low = std::min(a, b);
      const double high = std::max(a, b);
      if (!std::isfinite(high - low)) return Parameter::real(name, low, low);
      return Parameter::real(name, low, high, low > 0);
    }
    case 1: {
      constexpr std::int64_t limit = std::int64_t{1} << 53;
      const auto a = *rc::gen::inRange<std::int64_t>(-limit, limit);
      const auto b = *rc::gen::inRange<std::int64_t>(-limit, limit);
      return Parameter::integer(name, std::min(a, b), std::max(a, b));
    }
    default: {
      std::vector<Value> choices;
      const auto count = *rc::gen::inRange(1, 5);
      for (int i = 0; i < count; ++i) choices.emplace_back(*any_text() + std::to_string(i));
      return Parameter::categorical(name, choices);
    }
  }
}

Space any_space() {
  std::vector<Parameter> parameters;
  const auto count = *rc::gen::inRange<std::size_t>(1, 6);
  for (std::size_t i = 0; i < count; ++i) parameters.push_back(any_parameter(i));
  return Space::make(std::move(parameters)).value();
}

Point any_point(const Space& space) {
  Point point;
  for (const Parameter& p : space.parameters()) {
    if (p.kind == ParameterKind::categorical) {
      point.emplace_back(*rc::gen::elementOf(p.choices));
    } else if (p.kind == ParameterKind::integer) {
      point.emplace_back(*rc::gen::inRange(static_cast<std::int64_t>(p.low),
                                           static_cast<std::int64_t>(p.high) + 1));
    } else {
      const double share = static_cast<double>(*rc::gen::inRange(0, 1 << 30)) / (1 << 30);
      point.emplace_back(std::clamp(p.low + share * (p.high - p.low), p.low, p.high));
    }
  }
  return point;
}

std::vector<Term> any_terms() {
  std::vector<Term> terms;
  const auto count = *rc::gen::inRange(0, 4);
  for (int i = 0; i < count; ++i) terms.push_back({*any_text(), *any_double()});
  return terms;
}

void expect_same(const std::vector<Term>& a, const std::vector<Term>& b) {
  RC_ASSERT(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    RC_ASSERT(a[i].name == b[i].name);
    RC_ASSERT(same_bits(a[i].value, b[i].value));
  }
}

std::optional<double> any_number_if_any() {
  return *rc::gen::arbitrary<bool>() ? std::optional(*any_double()) : std::nullopt;
}

void expect_same(const std::optional<double>& a, const std::optional<double>& b) {
  RC_ASSERT(a.has_value() == b.has_value());
  if (a) RC_ASSERT(same_bits(*a, *b));
}

// A score of 0 made of nothing is how the first studies said that there is none.
void expect_same_score(const std::optional<double>& read, const Rationale& written) {
  const bool idle = written.terms.empty() && written.acquisition == 0.0;
  expect_same(read, idle ? std::nullopt : written.acquisition);
}

Json through_text(const Json& json) { return parse_json(dump_exact(json).value()).value(); }

TEST(RoundTrip, SpacesAndPoints) {
  ASSERT_TRUE(rc::check([] {
    const Space space = any_space();
    RC_ASSERT(space_from(through_text(json_of(space))).value() == space);
    const Point point = any_point(space);
    RC_ASSERT(point_from(space, through_text(json_of(space, point))).value() == point);
  }));
}

// The quick reader and the full one agree on everything we write; what it does not know it leaves.
TEST(RoundTrip, QuickReader) {
  ASSERT_TRUE(rc::check([] {
    const Space space = any_space();
    const Point point = any_point(space);
    const std::string text = dump(json_of(space, point));
    if (const auto scanned = scan_point(space, text)) {
      RC_ASSERT(*scanned == point);
    } else {
      RC_ASSERT(text.find('\\') != std::string::npos);
    }
    const Rationale rationale{"local", any_number_if_any(), any_terms(), any_terms()};
    const std::string ledger = dump(json_of(rationale));
    if (const auto scanned = scan_rationale(ledger)) {
      expect_same_score(scanned->acquisition, rationale);
      expect_same(scanned->terms, rationale.terms);
      expect_same(scanned->notes, rationale.notes);
    }
  }));
}

// Before an acquisition could be absent it was 0, without terms; and what a report has fields for
// stood among its values.
TEST(RoundTrip, ReadsTheFormOfTheFirstStudies) {
  const std::string idle = R"({"source":"design","acquisition":0.0,"terms":[]})";
  EXPECT_FALSE(scan_rationale(idle).value().acquisition);
  EXPECT_FALSE(rationale_from(parse_json(idle).value()).value().acquisition);
  const std::string scored =
      R"({"source":"local","acquisition":1.5,"terms":[["exploitation",1.5]]})";
  EXPECT_EQ(rationale_from(parse_json(scored).value()).value().acquisition, 1.5);

  const AskReport report = ask_report_from(parse_json(R"({"round":3,"values":[["information",0.5],
        ["information_inputs",0.3],["ceiling",3.25],["exploitation",1.75],
        ["held_out_information",-20.5],["local_deviation",0.125]],"message":"m",
        "recommendation":null})")
                                               .value())
                               .value();
  EXPECT_EQ(report.round, 3);
  EXPECT_EQ(report.information, (RoundInformation{0.5, -20.5, 3.25}));
  EXPECT_EQ(report.exploitation, 1.75);
  EXPECT_EQ(report.deviation, 0.125);
  EXPECT_EQ(report.values, (std::vector<Term>{{"information_inputs", 0.3}}));
}

TEST(RoundTrip, Numbers) {
  ASSERT_TRUE(rc::check([] {
    const double number = *any_double();
    const Json json = through_text(json_of(Rationale{"", number, {{"term", number}}, {}}));
    RC_ASSERT(same_bits(rationale_from(json).value().acquisition.value(), number));
  }));
}

TEST(RoundTrip, OptimizerOptions) {
  ASSERT_TRUE(rc::check([] {
    OptimizerOptions options;
    options.method = *any_text();
    options.seed = *rc::gen::arbitrary<std::uint64_t>();
    options.batch = *rc::gen::arbitrary<std::int64_t>();
    options.budget = *rc::gen::arbitrary<std::int64_t>();
    options.settings["flag"] = *rc::gen::arbitrary<bool>();
    options.settings["whole"] = *rc::gen::arbitrary<std::int64_t>();
    options.settings["text"] = *any_text();
    options.settings["numbers"] = *rc::gen::container<std::vector<double>>(finite_double());
    const double number = *any_double();
    options.settings["number"] = number;
    OptimizerOptions back = optimizer_options_from(through_text(json_of(options))).value();
    RC_ASSERT(std::holds_alternative<double>(back.settings["number"]));
    RC_ASSERT(same_bits(std::get<double>(back.settings["number"]), number));
    back.settings["number"] = options.settings["number"] = 0.0;
    RC_ASSERT(back.settings == options.settings);
    RC_ASSERT(back.method == options.method);
    RC_ASSERT(back.seed == options.seed);
    RC_ASSERT(back.batch == options.batch);
    RC_ASSERT(back.budget == options.budget);
  }));
}

TEST(RoundTrip, RationalesAndReports) {
  ASSERT_TRUE(rc::check([] {
    const Rationale rationale{*any_text(), any_number_if_any(), any_terms(), any_terms()};
    const Rationale back = rationale_from(through_text(json_of(rationale))).value();
    RC_ASSERT(back.source == rationale.source);
    expect_same_score(back.acquisition, rationale);
    expect_same(back.terms, rationale.terms);
    expect_same(back.notes, rationale.notes);

    AskReport report;
    report.round = *rc::gen::arbitrary<std::int64_t>();
    report.exploitation = any_number_if_any();
    report.deviation = any_number_if_any();
    report.values = any_terms();
    report.message = *any_text();
    if (*rc::gen::arbitrary<bool>()) {
      report.information =
          RoundInformation{any_number_if_any(), any_number_if_any(), any_number_if_any()};
    }
    if (*rc::gen::arbitrary<bool>()) {
      report.recommendation = Recommendation{*rc::gen::arbitrary<TrialId>(), *any_double(), 1.0};
    }
    const AskReport again = ask_report_from(through_text(json_of(report))).value();
    RC_ASSERT(again.round == report.round);
    RC_ASSERT(again.message == report.message);
    expect_same(again.values, report.values);
    expect_same(again.exploitation, report.exploitation);
    expect_same(again.deviation, report.deviation);
    RC_ASSERT(again.information.has_value() == report.information.has_value());
    if (report.information) {
      expect_same(again.information->predicted, report.information->predicted);
      expect_same(again.information->observed, report.information->observed);
      expect_same(again.information->ceiling, report.information->ceiling);
    }
    RC_ASSERT(again.recommendation.has_value() == report.recommendation.has_value());
    if (report.recommendation) {
      RC_ASSERT(again.recommendation->id == report.recommendation->id);
      RC_ASSERT(same_bits(again.recommendation->mean, report.recommendation->mean));
    }
  }));
}

// A whole study through a file: space, points, values, failures, ledgers.
TEST(RoundTrip, TrialsThroughSqlite) {
  ASSERT_TRUE(rc::check([] {
    const testing::TemporaryFolder folder;
    StudyRecord record = testing::sample_record();
    record.space = any_space();
    std::vector<Trial> trials;
    const auto count = *rc::gen::inRange<TrialId>(1, 5);
    for (TrialId id = 1; id <= count; ++id) {
      Trial trial;
      trial.id = id;
      trial.point = any_point(record.space);
      trial.rationale = {*any_text(), *finite_double(), {{*any_text(), *finite_double()}}};
      trial.asked_in = 1;
      trials.push_back(trial);
    }
    {
      auto storage = open_storage(folder / "study.db", Access::coordinate).value();
      storage->create_study(record).value();
      storage->add_trials(trials, std::nullopt).value();
      for (Trial& trial : trials) {
        trial.seconds = std::abs(*finite_double()) + 0.0;
        trial.attempts = *rc::gen::inRange(0, 9);
        trial.stderr_tail = *rc::gen::arbitrary<std::string>();
        trial.told_in = 2;
        if (*rc::gen::arbitrary<bool>()) {
          trial.state = *rc::gen::element(TrialState::completed, TrialState::stopped);
          const auto objectives = *rc::gen::inRange<std::size_t>(1, 4);
          const auto numbers = rc::gen::container<std::vector<double>>(objectives, finite_double());
          trial.values = *numbers;
          trial.values.front() += 0.0;
          if (*rc::gen::arbitrary<bool>()) trial.standard_error = *numbers;
          const auto steps = *rc::gen::inRange<std::int64_t>(0, 3);
          for (std::int64_t step = 1; step <= steps; ++step) {
            trial.steps.push_back({step, *numbers});
          }
        } else {
          trial.state = TrialState::failed;
          trial.failure = Failure{FailureCause::infeasible, *rc::gen::arbitrary<std::string>()};
        }
      }
      storage->finish_trials(trials).value();
    }
    auto storage = open_storage(folder / "study.db", Access::read).value();
    RC_ASSERT(same(*storage->load_study().value(), record));
    const std::vector<Trial> back = storage->load_trials().value();
    RC_ASSERT(back.size() == trials.size());
    for (std::size_t i = 0; i < back.size(); ++i) RC_ASSERT(same(back[i], trials[i]));
  }));
}

TEST(Json, TheQuickReaderTakesWhatWeWriteAndNothingElse) {
  const Space space = testing::sample_record().space;
  EXPECT_TRUE(scan_point(space, R"({"x":-0.5,"n":3,"c":"a"})"));
  EXPECT_TRUE(scan_point(space, R"({"x":-5e-1,"n":3,"c":"a"})"));
  for (const char* other :
       {"", "{", R"({"x":0.5,"n":3,"c":"a"} )", R"({"x":0.5,"n":3,"c":"b\n"})",
        R"({"n":3,"x":0.5,"c":"a"})", R"({"x":0.5,"n":3.0,"c":"a"})", R"({"x":nan,"n":3,"c":"a"})",
        R"({"x":-inf,"n":3,"c":"a"})", R"({"x":7.5,"n":3,"c":"a"})", R"({"x":0.5,"n":3,"c":"z"})",
        R"({"x":0.5,"n":3,"c":"a)", R"({"x":0.5,"n":99999999999999999999,"c":"a"})"}) {
    EXPECT_FALSE(scan_point(space, other)) << other;
  }
  EXPECT_TRUE(scan_rationale(R"({"source":"","acquisition":0.0,"terms":[]})"));
  EXPECT_TRUE(scan_rationale(R"({"source":"","acquisition":null,"terms":[],"notes":[]})"));
  EXPECT_TRUE(scan_rationale(R"({"source":"a","acquisition":1,"terms":[["b",2],["c",3.5]]})"));
  for (const char* other :
       {"", R"({"source":"a","acquisition":"inf","terms":[]})",
        R"({"source":"a","acquisition":1,"terms":[["b",2]["c",3.5]]})",
        R"({"source":"a","acquisition":1,"terms":[["b",2],]})",
        R"({"source":"a","acquisition":1,"terms":[)", R"({"source":"a","acquisition":1})"}) {
    EXPECT_FALSE(scan_rationale(other)) << other;
  }
}

TEST(Json, WrongInputIsExplained) {
  const Space space = testing::sample_record().space;
  const auto error = [&](const char* text) {
    const auto json = parse_json(text);
    if (!json) return json.error().message;
    const auto point = point_from(space, *json);
    return point ? std::string("no error") : point.error().message;
  };
  EXPECT_EQ(error(R"({"x":0.5,"n":3,"c":"a"})"), "no error");
  EXPECT_EQ(error(R"({"n":3,"c":"a","x":1})"), "no error");
  EXPECT_EQ(error(R"({"x":0.5,"n":3})"), "parameter \"c\" has no value");
  EXPECT_EQ(error(R"({"x":0.5,"n":3,"c":"a","z":1})"), "unknown parameter \"z\"");
  EXPECT_EQ(error(R"({"x":"0.5","n":3,"c":"a"})"),
            "parameter \"x\": found \"0.5\", expected a number");
  EXPECT_EQ(error(R"({"x":0.5,"n":3.5,"c":"a"})"),
            "parameter \"n\": found 3.5, expected an integer");
  EXPECT_EQ(error(R"([1])"), "a point: found [1], expected an object with a value per parameter");
  EXPECT_EQ(error(R"({"x":)"), "not valid JSON: \"{\"x\":\"");
  EXPECT_EQ(dump_exact(Json("\xff")).error().kind, ErrorKind::invalid_input);
  EXPECT_EQ(dump(Json("\xff")), "\"\xEF\xBF\xBD\"");
}

}  // namespace
}  // namespace vbo
