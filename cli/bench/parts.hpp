// SPDX-License-Identifier: MIT
// What the files of this folder share.
#pragma once

#include <CLI/CLI.hpp>

#include "bench/reading.hpp"
#include "vbo/error.hpp"

namespace vbo::cli {

// One function per subcommand; see commands.hpp.
void add_bench_run(CLI::App& bench, int& exit_code);
void add_bench_table(CLI::App& bench, int& exit_code);
void add_bench_compare(CLI::App& bench, int& exit_code);
void add_bench_plot(CLI::App& bench, int& exit_code);
void add_bench_flops(CLI::App& bench, int& exit_code);
void add_bench_consistency(CLI::App& bench, int& exit_code);
void add_bench_serve(CLI::App& bench, int& exit_code);

// Prints the error; the exit code that belongs to it.
int complain(const Error& error);

// How a command reads rewards: --reward and --clip.
struct ReadingFlags {
  std::string reward = "main";
  std::vector<std::string> clip;
};
void add_reading_flags(CLI::App& command, ReadingFlags& flags);
// What they mean, for the reader of a table.
std::string explained(const ReadingFlags& flags);

// All results below several directories.
Result<std::vector<bench::JobResult>> read_all(const std::vector<std::string>& directories,
                                               const ReadingFlags& flags);

// Drops the results of other tasks and methods; an empty list means all.
void keep_only(std::vector<bench::JobResult>& jobs, const std::vector<std::string>& tasks,
               const std::vector<std::string>& methods);

// To the file, or to standard output when its name is empty.
int deliver(const std::string& text, const std::string& file);

}  // namespace vbo::cli
