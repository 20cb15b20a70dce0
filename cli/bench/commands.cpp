// SPDX-License-Identifier: MIT
#include "cli/bench/commands.hpp"

#include <iostream>

#include "cli/bench/parts.hpp"

namespace vbo::cli {

void add_bench_commands(CLI::App& bench, int& exit_code) {
  add_bench_run(bench, exit_code);
  add_bench_table(bench, exit_code);
}

int complain(const Error& error) {
  std::cerr << "vbo bench: " << error.message << "\n";
  return error.kind == ErrorKind::invalid_input || error.kind == ErrorKind::not_found ? 2 : 1;
}

Result<std::vector<bench::JobResult>> read_all(const std::vector<std::string>& directories) {
  std::vector<bench::JobResult> all;
  for (const std::string& directory : directories) {
    auto jobs = bench::read_jobs(directory);
    if (!jobs) return jobs.error();
    all.insert(all.end(), std::make_move_iterator(jobs->begin()),
               std::make_move_iterator(jobs->end()));
  }
  return all;
}

int deliver(const std::string& text, const std::string& file) {
  if (file.empty()) {
    std::cout << text;
    return 0;
  }
  const auto written = bench::write_file(file, text);
  return written ? 0 : complain(written.error());
}

}  // namespace vbo::cli
