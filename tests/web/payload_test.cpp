// SPDX-License-Identifier: MIT
#include "web/payload.hpp"

#include <gtest/gtest.h>

#include <cstring>

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
