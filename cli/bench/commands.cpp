// SPDX-License-Identifier: MIT
#include "cli/bench/commands.hpp"

#include <algorithm>
#include <iostream>

#include "cli/bench/parts.hpp"
#include "core/one_line.hpp"

namespace vbo::cli {

void add_bench_commands(CLI::App& bench, int& exit_code) {
  add_bench_run(bench, exit_code);
  add_bench_table(bench, exit_code);
  add_bench_compare(bench, exit_code);
  add_bench_plot(bench, exit_code);
  add_bench_flops(bench, exit_code);
  add_bench_consistency(bench, exit_code);
  add_bench_serve(bench, exit_code);
}

int complain(const Error& error) {
  std::cerr << "vbo bench: " << one_line(error.message) << "\n";
  return error.kind == ErrorKind::invalid_input || error.kind == ErrorKind::not_found ? 2 : 1;
}

void add_reading_flags(CLI::App& command, ReadingFlags& flags) {
  command
      .add_option("--reward", flags.reward,
                  "The average reward counts the main phase only (main), or all evaluations")
      ->check(CLI::IsMember({"main", "all"}));
  command.add_option("--clip", flags.clip,
                     "Tasks on which no evaluation counts for less than the worst of the initial "
                     "design");
}

std::string explained(const ReadingFlags& flags) {
  std::string text = flags.reward == "main" ? "rewards count from the end of the initial design"
                                            : "rewards count all evaluations";
  for (const std::string& task : flags.clip) {
    text += "; on " + task + " no evaluation counts for less than the worst of the initial design";
  }
  return text;
}

Result<std::vector<bench::JobResult>> read_all(const std::vector<std::string>& directories,
                                               const ReadingFlags& flags) {
  std::vector<bench::JobResult> all;
  for (const std::string& directory : directories) {
    auto jobs = bench::read_jobs(directory, bench::Reading{flags.reward == "main", flags.clip});
    if (!jobs) return jobs.error();
    all.insert(all.end(), std::make_move_iterator(jobs->begin()),
               std::make_move_iterator(jobs->end()));
  }
  return all;
}

void keep_only(std::vector<bench::JobResult>& jobs, const std::vector<std::string>& tasks,
               const std::vector<std::string>& methods) {
  const auto wanted = [](const std::vector<std::string>& names, const std::string& name) {
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
  };
  std::erase_if(jobs, [&](const bench::JobResult& job) {
    return !wanted(tasks, job.job.task) || !wanted(methods, job.job.method);
  });
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
