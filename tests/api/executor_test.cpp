// SPDX-License-Identifier: MIT
#include "vbo/executor.hpp"

#include <gtest/gtest.h>

namespace {

TEST(Api, FunctionsRunOnThreads) {
  const auto executor = vbo::make_function_executor(
      [](const vbo::Point& point) { return 2.0 * std::get<double>(point[0]); }, 2);
  executor->submit({.id = 1, .point = {1.5}});
  const std::vector<vbo::Outcome> ended = executor->wait(std::chrono::seconds(60));
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended[0].value(), 3.0);
}

}  // namespace
