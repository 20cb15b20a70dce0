// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "vbo/vbo.hpp"

namespace vbo {
namespace {

StudyOptions square(const std::string& storage) {
  StudyOptions options;
  options.name = "square";
  options.space = Space::make({Parameter::real("x", -1, 1)}).value();
  options.budget = 20;
  options.optimizer = {.method = "random", .seed = 1, .batch = 4};
  options.storage = storage;
  return options;
}

TEST(Study, RunsAndResumesInAFile) {
  const auto folder = std::filesystem::temp_directory_path() / "vbo_ask_tell_test";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const std::string path = folder / "square.db";
  auto executor = make_function_executor(
      [](const Point& point) { return std::pow(std::get<double>(point[0]), 2); }, 3);
  {
    Study study = Study::open(square(path)).value();
    EXPECT_EQ(study.run(*executor).value(), RunEnd::budget_spent);
    EXPECT_EQ(study.counts().value().completed, 20);
  }
  StudyOptions more = square(path);
  more.budget = 30;
  Study study = Study::open(more).value();
  EXPECT_EQ(study.run(*executor).value(), RunEnd::budget_spent);
  EXPECT_EQ(study.counts().value().completed, 30);
  EXPECT_EQ(study.warning(), "");
  EXPECT_LT(*study.best().value()->value, 0.01);
}

}  // namespace
}  // namespace vbo
