// SPDX-License-Identifier: MIT
// An experiment: which methods meet which tasks, how many evaluations a round, how many rounds and
// which seeds. Read from a protocol file (research/bench.md) or put together from flags.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "bench/job.hpp"
#include "vbo/error.hpp"

namespace vbo::bench {

// Every method once per value of an option.
struct Sweep {
  std::string option;
  std::vector<std::string> values;  // empty: no sweep
};

// Methods that set the option themselves stay as they are.
std::vector<std::string> swept(const std::vector<std::string>& methods, const Sweep& sweep);

struct ProtocolEntry {
  std::string task;
  std::int64_t batch = 64;
  std::int64_t rounds = 40;
  std::int64_t initial_rounds = 1;
  std::vector<std::string> methods;       // after the sweep
  std::vector<std::uint64_t> seeds = {};  // empty: those of the protocol
};

struct Protocol {
  std::string name;
  std::string summary;
  std::vector<ProtocolEntry> entries;
  std::vector<std::uint64_t> seeds;
  Sweep sweep = {};
};

// "5" means 1 to 5, "3-7" a range, "1,4,9" a list.
Result<std::vector<std::uint64_t>> parse_seeds(std::string_view text);

// The error names the file, the place, what was found and what would be right.
Result<Protocol> read_protocol(const std::filesystem::path& file);
Result<Protocol> parse_protocol(std::string_view toml, const std::string& source_name);

// Seed by seed, so that an unfinished run has all methods at the first seeds.
std::vector<Job> jobs_of(const Protocol& protocol);

// What this build cannot run: unknown tasks, methods and options, one sentence each, once each.
// `missing_methods` gets the method texts whose name is unknown.
std::vector<std::string> problems_of(const std::vector<Job>& jobs,
                                     std::vector<std::string>& missing_methods);

}  // namespace vbo::bench
