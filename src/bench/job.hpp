// SPDX-License-Identifier: MIT
// One benchmark job: one method on one task from one seed. Plain values, and the texts that name
// them: "vbo?beta=0.5&critics=4" is a method with settings, as in a study file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "vbo/error.hpp"
#include "vbo/optimizer.hpp"

namespace vbo::bench {

struct MethodSpec {
  std::string name;
  OptionMap settings;
};

// true/false, whole numbers, numbers, and lists of numbers with commas are read as such; anything
// else is text.
OptionValue parse_option_value(std::string_view text);

// "name" or "name?option=value&option=value". The error shows the text and the form expected.
Result<MethodSpec> parse_method(std::string_view text);

// The text parse_method reads back, settings in alphabetical order: one spelling per method.
std::string to_string(const MethodSpec& spec);

struct Job {
  std::string task;                 // as tasks::make_task reads it
  std::string method;               // as parse_method reads it
  std::int64_t batch = 64;          // evaluations per round
  std::int64_t rounds = 40;         // in all, the initial design included
  std::int64_t initial_rounds = 1;  // rounds of the common initial design
  std::uint64_t seed = 1;
  bool operator==(const Job&) const = default;
};

// The stem of the job's files: different jobs have different stems, also on file systems that
// know only 255 characters.
std::string file_stem(const Job& job);

}  // namespace vbo::bench
