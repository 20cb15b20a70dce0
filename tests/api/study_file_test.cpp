// SPDX-License-Identifier: MIT
#include "vbo/study_file.hpp"

#include <gtest/gtest.h>

namespace {

TEST(Api, StudyFilesAreReadWhole) {
  const auto file = vbo::parse_study_file(R"(
[study]
goal = "maximize"
budget = 20
[[parameter]]
name = "x"
type = "float"
low = 0.0
high = 1.0
)",
                                          "small.toml");
  if (!file && file.error().kind == vbo::ErrorKind::unsupported) GTEST_SKIP() << "without toml++";
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->study.budget, 20);
  EXPECT_EQ(file->study.objectives[0].goal, vbo::Goal::maximize);
  EXPECT_EQ(vbo::parse_study_file("[study", "small.toml").error().line, 1);
}

}  // namespace
