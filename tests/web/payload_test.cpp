// SPDX-License-Identifier: MIT
#include "web/payload.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "storage/memory/memory.hpp"
#include "vbo/random.hpp"
#include "web/page.hpp"

namespace vbo::web {
namespace {

StudyReport sample_report() {
  StudyRecord record;
  record.name = "</script><script>alert(1)</script>";
  record.budget = 2;
  record.space =
      Space::make({Parameter::real("x", 0, 1), Parameter::categorical("c", {"a", "b"})}).value();
  std::vector<Trial> trials(2);
  trials[0].id = 1;
  trials[0].point = {0.5, std::string("b")};
  trials[0].state = TrialState::completed;
  trials[0].values = {-2.5};
  trials[0].told_in = 2;
  trials[0].rationale.terms = {{"gain", 1.0 / 3.0}};
  trials[1].id = 2;
  trials[1].point = {0.25, std::string("a")};
  trials[1].state = TrialState::failed;
  trials[1].failure = Failure{FailureCause::crash, "exit code 1"};
  trials[1].told_in = 3;
  return make_report(record, trials, {});
}

TEST(Payload, SaysNoFolderServerOrMachineUnlessAsked) {
  StudyReport report = sample_report();
  for (Trial& trial : report.trials) trial.worker = "secret-host:4711";
  report.workers = {{.name = "secret-host:4711"}, {.name = "run"}};
  PayloadParts parts;
  for (const std::string url : {"/home/secret-user/study.db", "secret-folder/study.db",
                                "postgresql://secret@secret-server/db?sslmode=require&study=s"}) {
    parts.url = url;
    parts.places = false;
    EXPECT_EQ(payload_of(report, parts).find("secret"), std::string::npos);
    parts.places = true;
    const std::string all = payload_of(report, parts);
    EXPECT_NE(all.find(url), std::string::npos);
    EXPECT_NE(all.find("secret-host:4711"), std::string::npos);
  }
  EXPECT_EQ(shown_storage("/home/me/study.db"), "study.db");
  EXPECT_EQ(shown_storage("postgresql://me@host/db?study=s&a=b"), "PostgreSQL, study s");
  EXPECT_EQ(shown_worker("rig"), "rig");
  EXPECT_NE(shown_worker("host:1"), shown_worker("host:2"));
}

struct Decoded {
  Json header;
  std::map<std::string, std::string> columns;  // bytes in their usual order
};

Decoded decode(const std::string& payload) {
  std::uint32_t length = 0;
  std::memcpy(&length, payload.data(), 4);
  Decoded out{Json::parse(payload.substr(4, length)), {}};
  std::size_t at = 4 + length;
  const auto rows = out.header["rows"].get<std::size_t>();
  for (const Json& column : out.header["columns"]) {
    const std::string type = column["type"];
    const std::size_t width = type == "u8" ? 1 : type == "u16" ? 2 : type == "f64" ? 8 : 4;
    std::string plain(rows * width, '\0');
    for (std::size_t b = 0; b < width; ++b) {
      for (std::size_t i = 0; i < rows; ++i) plain[i * width + b] = payload[at + b * rows + i];
    }
    out.columns[column["name"]] = plain;
    at += rows * width;
  }
  EXPECT_EQ(at, payload.size());
  return out;
}

template <class T>
std::vector<T> numbers(const std::string& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

TEST(Payload, SeveralObjectivesHaveAColumnEachAndAFrontOfIds) {
  StudyRecord record;
  record.objectives = {{"cost", Goal::minimize}, {"gain", Goal::maximize}};
  record.space = Space::make({Parameter::real("x", 0, 1)}).value();
  std::vector<Trial> trials;
  for (const std::vector<double>& values : {std::vector{1.0, 5.0}, {2.0, 4.0}, {3.0, 9.0}}) {
    Trial trial{.id = std::ssize(trials) + 1, .point = {0.5}, .asked_in = 1, .told_in = 2};
    trials.push_back(ended_by(std::move(trial), {.values = values}, {}, 2));
  }
  trials[0].standard_error = {0.5, 0.25};
  trials.push_back({.id = 4, .point = {0.25}, .asked_in = 1});
  const StudyReport report = make_report(record, trials, {});
  const std::vector<Importance> found = importances(record, report.trials);
  PayloadParts parts;
  parts.importances = &found;
  const Decoded payload = decode(payload_of(report, parts));
  const std::vector<double> gains = numbers<double>(payload.columns.at("o1"));
  EXPECT_EQ(std::vector(gains.begin(), gains.begin() + 3), (std::vector{5.0, 4.0, 9.0}));
  EXPECT_TRUE(std::isnan(gains[3]));
  EXPECT_EQ(numbers<float>(payload.columns.at("sem1"))[0], 0.25F);
  EXPECT_TRUE(std::isnan(numbers<float>(payload.columns.at("sem0"))[1]));
  const Json& front = payload.header["status"]["front"];
  EXPECT_EQ(front["ids"], Json({1, 3}));
  EXPECT_FALSE(front.contains("trials"));
  EXPECT_EQ(front["extremes"], Json({{"cost", 1}, {"gain", 3}}));
  EXPECT_EQ(front["trade_offs"][0]["stops"][0]["buys"], 2.0);
  EXPECT_EQ(payload.header["importance"]["objectives"].size(), 2U);
  EXPECT_FALSE(decode(payload_of(sample_report(), PayloadParts{})).columns.contains("o0"));
}

TEST(Payload, ColumnsReadBack) {
  const Decoded found = decode(payload_of(sample_report(), PayloadParts{}));
  EXPECT_EQ(found.header["rows"], 2);
  EXPECT_EQ(numbers<std::int32_t>(found.columns.at("id")), (std::vector<std::int32_t>{1, 2}));
  EXPECT_EQ(numbers<double>(found.columns.at("value"))[0], -2.5);
  EXPECT_EQ(numbers<float>(found.columns.at("p0")), (std::vector<float>{0.5F, 0.25F}));
  EXPECT_EQ(numbers<std::uint16_t>(found.columns.at("p1")), (std::vector<std::uint16_t>{1, 0}));
  EXPECT_EQ(numbers<std::int32_t>(found.columns.at("evaluation")),
            (std::vector<std::int32_t>{1, 2}));
  EXPECT_EQ(numbers<std::int32_t>(found.columns.at("message")), (std::vector<std::int32_t>{-1, 0}));
  EXPECT_NEAR(numbers<float>(found.columns.at("t0"))[0], 1.0 / 3.0, 1e-4);
  EXPECT_EQ(found.header["messages"][0], "exit code 1");
  EXPECT_EQ(found.header["terms"][0]["name"], "gain");
}

TEST(Payload, SomeRowsOnly) {
  const Decoded found = decode(payload_of(sample_report(), {1}, PayloadParts{}));
  EXPECT_EQ(numbers<std::int32_t>(found.columns.at("id")), (std::vector<std::int32_t>{2}));
  EXPECT_EQ(numbers<std::int32_t>(found.columns.at("evaluation")), (std::vector<std::int32_t>{2}));
  EXPECT_EQ(found.header["status"]["completed"], 1);
}

TEST(Payload, WhatPeopleChangedOfATrial) {
  const StudyReport sample = sample_report();
  MemoryStorage storage;
  ASSERT_TRUE(storage.create_study(sample.record));
  std::vector<Trial> asked = sample.trials;
  for (Trial& trial : asked) {
    trial = {.id = trial.id, .point = trial.point, .asked_in = 1};
  }
  asked.push_back({.id = 3, .point = asked[0].point, .asked_in = 1});
  ASSERT_TRUE(storage.add_trials(asked, std::nullopt, 0, Durability::at_once));
  ASSERT_TRUE(storage.finish_trials(sample.trials, Durability::at_once));
  Trial corrected = sample.trials[0];
  corrected.values = {-0.25};
  ASSERT_TRUE(storage.replace(corrected, "decimal point"));
  ASSERT_TRUE(storage.drop(std::vector<TrialId>{3}, "not needed"));
  const StudyReport report = make_report(storage).value();
  PayloadParts parts;
  parts.histories = histories_worth_showing(storage, report);
  const Json histories = decode(payload_of(report, parts)).header["histories"];
  ASSERT_EQ(histories.size(), 1U) << "of trials that are still there";
  ASSERT_EQ(histories["1"].size(), 1U);
  const Json& change = histories["1"][0];
  EXPECT_EQ(change["kind"], "replaced");
  EXPECT_EQ(change["reason"], "decimal point");
  EXPECT_EQ(change["before"]["value"], -2.5);
  EXPECT_EQ(change["after"]["value"], -0.25);
  EXPECT_EQ(change["after"]["params"]["x"], 0.5);
  EXPECT_TRUE(change["event"].is_null());
}

TEST(Payload, UnderNoiseTheBestBeforeIsSaidToBeASingleResult) {
  StudyReport report = sample_report();
  const Trial asked{.id = 3, .point = report.trials[0].point, .asked_in = 9};
  EXPECT_THAT(why_shown(report, asked), ::testing::HasSubstr("the best so far was -2.5"));
  report.estimate.noise.verdict = Noise::present;
  EXPECT_THAT(why_shown(report, asked),
              ::testing::HasSubstr("the best single result so far was -2.5"));
}

// What is drawn is finer than a pixel, and what is looked at closely is exact.
TEST(Payload, ManyRowsAreRounded) {
  StudyRecord record;
  record.name = "many";
  constexpr std::size_t kTrials = 50'000;
  record.budget = kTrials;
  record.space = Space::make({Parameter::real("x", -5, 10), Parameter::real("rate", 1e-5, 1, true),
                              Parameter::integer("n", 0, 1'000'000)})
                     .value();
  Rng rng(1, "payload");
  std::vector<Trial> trials(kTrials);
  for (std::size_t i = 0; i < kTrials; ++i) {
    Trial& trial = trials[i];
    trial.id = static_cast<TrialId>(i + 1);
    trial.state = TrialState::completed;
    trial.point = {rng.uniform(-5, 10), std::exp(rng.uniform(std::log(1e-5), 0.0)),
                   static_cast<std::int64_t>(rng.uniform(0, 1'000'000))};
    trial.values = {rng.normal()};
    trial.told_in = static_cast<EventId>(i + 2);
    trial.rationale.terms = {{"gain", rng.normal()}};
  }
  const StudyReport report = make_report(record, trials, {});
  const std::string payload = payload_of(report, PayloadParts{});
  EXPECT_LT(deflated(payload).size(), 10 * kTrials);
  const Decoded found = decode(payload);
  EXPECT_EQ(found.header["thinned"], 3);
  const auto value = numbers<double>(found.columns.at("value"));
  const auto x = numbers<float>(found.columns.at("p0"));
  const auto rate = numbers<float>(found.columns.at("p1"));
  const auto n = numbers<double>(found.columns.at("p2"));
  const auto gain = numbers<float>(found.columns.at("t0"));
  std::size_t exact = 0, ledgers = 0;
  for (std::size_t i = 0; i < kTrials; ++i) {
    const double was = trials[i].values.front();
    ASSERT_GE(value[i], was);
    ASSERT_LE(value[i], was + std::abs(was) / 2000);
    ASSERT_NEAR(x[i], std::get<double>(trials[i].point[0]), 15.0 / 512);
    ASSERT_NEAR(std::log(rate[i] / std::get<double>(trials[i].point[1])), 0.0, 12.0 / 512);
    ASSERT_NEAR(n[i], static_cast<double>(std::get<std::int64_t>(trials[i].point[2])), 1e6 / 512);
    exact += value[i] == was && x[i] == static_cast<float>(std::get<double>(trials[i].point[0]));
    ledgers += !std::isnan(gain[i]);
  }
  EXPECT_NEAR(static_cast<double>(exact), 2'000, 50);
  EXPECT_NEAR(static_cast<double>(ledgers), kTrials / 3.0, 2'000);
  const auto best = static_cast<std::size_t>(report.best->id - 1);
  EXPECT_EQ(value[best], trials[best].values.front());
  EXPECT_EQ(x.back(), static_cast<float>(std::get<double>(trials.back().point[0])));
}

TEST(Payload, DeflateAndBase64) {
  const std::string text(100000, 'a');
  EXPECT_LT(deflated(text).size(), 1000U);
  EXPECT_EQ(inflated(deflated(text)).value(), text);
  EXPECT_FALSE(inflated("not a stream"));
  EXPECT_FALSE(inflated(deflated(text).substr(0, 50)));
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("a"), "YQ==");
  EXPECT_EQ(base64("ab"), "YWI=");
  EXPECT_EQ(base64("abc"), "YWJj");
  EXPECT_EQ(base64(std::string("\xff\x00\xfe", 3)), "/wD+");
}

// Whatever a study contains, its report has the script elements it should have and no others.
TEST(Page, DataCannotEndTheirElement) {
  const std::string page = report_page({payload_of(sample_report(), PayloadParts{})});
  std::size_t scripts = 0;
  for (std::size_t at = page.find("<script"); at != std::string::npos;
       at = page.find("<script", at + 1)) {
    ++scripts;
  }
  EXPECT_EQ(scripts, 2U);
  EXPECT_EQ(page.find("alert(1)"), std::string::npos);
  EXPECT_NE(page.find("default-src 'none'; script-src 'sha256-"), std::string::npos);
  EXPECT_NE(page.find("connect-src 'none'"), std::string::npos);
  EXPECT_EQ(live_page().find("http-equiv"), std::string::npos);
  EXPECT_NE(live_policy().find("connect-src 'self'"), std::string::npos);
}

TEST(Payload, RoomWithinConstraintsKnownBeforehand) {
  StudyRecord record;
  record.space = Space::make({Parameter::real("x", 0, 1), Parameter::categorical("c", {"a", "b"})},
                             {"x <= 0.75 or c == 'a'", "c != 'b'"})
                     .value();
  std::vector<Trial> trials(2);
  trials[0].id = 1;
  trials[0].point = {0.5, std::string("a")};
  trials[1].id = 2;
  trials[1].point = {0.875, std::string("a")};
  const Decoded decoded = decode(payload_of(make_report(record, trials, {}), PayloadParts{}));
  EXPECT_EQ(numbers<float>(decoded.columns.at("c0")), (std::vector<float>{0.25F, -0.125F}));
  for (const float room : numbers<float>(decoded.columns.at("c1"))) {
    EXPECT_TRUE(std::isnan(room)) << "choices have no distance";
  }
}

}  // namespace
}  // namespace vbo::web
