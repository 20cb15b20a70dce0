// SPDX-License-Identifier: MIT
#include "vbo/program_files.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "vbo/executor.hpp"

namespace {

TEST(Api, AProgramMayReadAndWriteFiles) {
  const auto folder = std::filesystem::temp_directory_path() / "vbo-api-program-files";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "deck.in") << "width {x}\n";
  vbo::ProcessOptions options;
  options.command = {"cp", "deck", "result"};
  options.directory = folder.string();
  options.files.folder = "trials";
  options.files.templates = {{.from = "deck.in", .to = "deck"}};
  options.files.extractions = {{.metric = "value",
                                .file = "result",
                                .pattern = "width ([0-9.]+)",
                                .json = {},
                                .column = {}}};
  const vbo::Space space = vbo::Space::make({vbo::Parameter::real("x", 0.0, 9.0)}).value();
  auto executor = vbo::make_process_executor(space, options).value();
  executor->submit({.id = 1, .point = {1.5}});
  const std::vector<vbo::Outcome> ended = executor->wait(std::chrono::seconds(60));
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended[0].value(), 1.5);
  executor.reset();
  EXPECT_FALSE(std::filesystem::exists(folder / "trials"));
  std::filesystem::remove_all(folder);
}

}  // namespace
