// SPDX-License-Identifier: MIT
#include "bench/serve.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

namespace vbo::bench {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;

std::vector<Json> lines(const std::string& text) {
  std::vector<Json> all;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) all.push_back(Json::parse(line));
  return all;
}

TEST(ServeTask, SpeaksTheEvaluatorsContract) {
  const auto task = tasks::make_task("branin").value();
  const Json description = Json::parse(describe(*task));
  ASSERT_EQ(description.at("parameters").size(), 2U);
  const std::string x1 = description["parameters"][0]["name"],
                    x2 = description["parameters"][1]["name"];
  Json good = {{"id", 7}, {"params", {{x1, 0.0}, {x2, 0}}}};
  Json outside = {{"id", 8}, {"params", {{x1, 100.0}, {x2, 0}}}};
  Json lacking = {{"id", 9}, {"params", {{x1, 0.0}}}};
  std::istringstream in(good.dump() + "\n\n" + outside.dump() + "\n" + lacking.dump() +
                        "\n{oops\n");
  std::ostringstream out;
  serve_task(*task, 1, in, out);
  const auto replies = lines(out.str());
  ASSERT_EQ(replies.size(), 4U);
  EXPECT_EQ(replies[0].at("id"), 7);
  EXPECT_NEAR(std::abs(replies[0].at("value").get<double>()), 55.602112642270262, 1e-9);
  EXPECT_TRUE(replies[1].contains("error"));
  EXPECT_THAT(replies[2].at("error").get<std::string>(), HasSubstr(x2));
  EXPECT_TRUE(replies[3].contains("error"));
}

// Keeps what it is told.
class Listener final : public Optimizer {
 public:
  explicit Listener(std::vector<Trial>& told) : told_(told) {}
  std::vector<Suggestion> ask(std::span<const TrialId> ids) override {
    return std::vector<Suggestion>(ids.size(), Suggestion{{0.25, 0.5}, {}});
  }
  void tell(std::span<const Trial> finished) override {
    told_.insert(told_.end(), finished.begin(), finished.end());
  }

 private:
  std::vector<Trial>& told_;
};

TEST(ServeMethod, AsksAndTellsWithTheSignFlippedOnce) {
  const auto task = tasks::make_task("sphere?dim=2").value();  // minimized
  std::vector<Trial> told;
  StudyOptions options;
  options.space = task->space();
  options.objectives = {{.goal = task->info().goal}};
  StudyParts parts;
  parts.make_optimizer = [&](const Space&, const OptimizerOptions&) {
    return Result<std::unique_ptr<Optimizer>>(std::make_unique<Listener>(told));
  };
  MeteredStudy served = open_metered(options, std::move(parts)).value();
  std::istringstream in(
      "{\"ask\": 2}\n"
      "{\"tell\": [{\"id\": 1, \"value\": 3.5}, {\"id\": 2}]}\n"
      "{\"tell\": [{\"params\": {\"x1\": 1, \"x2\": 2}, \"value\": 5}]}\n"
      "{\"tell\": [{\"id\": 1, \"value\": 0}]}\n"
      "{\"ask\": 0}\n"
      "[]\n");
  std::ostringstream out;
  serve_method(served, in, out);
  const auto replies = lines(out.str());
  ASSERT_EQ(replies.size(), 6U);
  EXPECT_EQ(replies[0].at("suggestions").size(), 2U);
  EXPECT_EQ(replies[0]["suggestions"][1].at("id"), 2);
  EXPECT_EQ(replies[0]["suggestions"][0].at("params").at("x1"), 0.25);
  EXPECT_EQ(replies[1].at("told"), 2);
  EXPECT_EQ(replies[2].at("told"), 1);
  for (std::size_t i = 3; i < 6; ++i) EXPECT_TRUE(replies[i].contains("error")) << i;
  ASSERT_EQ(told.size(), 3U);
  EXPECT_EQ(told[0].value(), -3.5);
  EXPECT_EQ(told[1].state, TrialState::failed);
  EXPECT_EQ(told[2].id, 3);
  EXPECT_EQ(told[2].point, (Point{1.0, 2.0}));
}

}  // namespace
}  // namespace vbo::bench
