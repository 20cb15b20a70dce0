// SPDX-License-Identifier: MIT
// A study file: read, or refused with one message. What was read survives being stored.
#include "vbo/study_file.hpp"

#include "core/json.hpp"
#include "core/one_line.hpp"
#include "fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vbo;
  StudyFileOptions options;
  options.find_task = [](const std::string& name) -> Result<TaskProblem> {
    if (name != "branin") return Error{ErrorKind::not_found, "unknown task"};
    return TaskProblem{*Space::make({Parameter::real("x", -5, 10)}), Goal::minimize};
  };
  const Result<StudyFile> file =
      parse_study_file(fuzz::text_of(data, size), "folder/study.toml", options);
  if (!file) {
    REQUIRE_THAT(!file.error().message.empty());
    REQUIRE_THAT(one_line(file.error().message).size() <= 4010);
    return 0;
  }
  REQUIRE_THAT(file->study.budget >= 1);
  REQUIRE_THAT(file->study.optimizer.batch >= 1);
  REQUIRE_THAT(file->study.space.size() >= 1);
  const Result<std::string> stored = dump_exact(json_of(file->study.space));
  if (!stored) return 0;  // a text that is not UTF-8
  const Result<Json> json = parse_json(*stored);
  REQUIRE_THAT(json);
  const Result<Space> again = space_from(*json);
  REQUIRE_THAT(again);
  REQUIRE_THAT(*again == file->study.space);
  return 0;
}
