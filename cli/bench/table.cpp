// SPDX-License-Identifier: MIT
// vbo bench table
#include "bench/summary.hpp"
#include "cli/bench/parts.hpp"

namespace vbo::cli {
namespace {

using namespace vbo::bench;

struct TableFlags {
  std::vector<std::string> directories;
  SummaryOptions options;
  std::string format = "markdown", file;
  bool json = false, wide = false;
  ReadingFlags reading;
};

int table(const TableFlags& flags) {
  const auto jobs = read_all(flags.directories, flags.reading);
  if (!jobs) return complain(jobs.error());
  Summary summary = summarize(*jobs, flags.options);
  summary.notes.push_back(explained(flags.reading));
  if (summary.rows.empty()) {
    return complain({ErrorKind::not_found, "no results of the tasks and methods named"});
  }
  if (flags.wide) return deliver(to_wide_text(summary, flags.options), flags.file);
  const TableFormat format = flags.json || flags.format == "json" ? TableFormat::json
                             : flags.format == "csv"              ? TableFormat::csv
                                                                  : TableFormat::markdown;
  return deliver(to_text(summary, flags.options, format), flags.file);
}

}  // namespace

void add_bench_table(CLI::App& bench, int& exit_code) {
  CLI::App* command =
      bench.add_subcommand("table", "Final reward, best value, ranks, seconds and FLOPs per round");
  const auto flags = std::make_shared<TableFlags>();
  command->add_option("directory", flags->directories, "Directories of results")->required();
  command->add_option("--at", flags->options.at, "Also the best value at these rounds, e.g. 20,40")
      ->delimiter(',');
  command
      ->add_option("--last", flags->options.last_rounds,
                   "Rounds over which rewards are averaged (default 20)")
      ->check(CLI::Range(1, 1000000));
  command->add_option("-t,--task", flags->options.tasks, "Only these tasks");
  command->add_option("-m,--method", flags->options.methods, "Only these methods");
  command->add_option("-f,--format", flags->format, "markdown, csv or json")
      ->check(CLI::IsMember({"markdown", "csv", "json"}));
  add_reading_flags(*command, flags->reading);
  command->add_flag("--wide", flags->wide, "One line per task, one column per method: median best");
  command->add_flag("--json", flags->json, "The same as --format json");
  command->add_option("-o,--out", flags->file, "Write to this file instead of standard output");
  command->footer("Example:\n  vbo bench table results --at 20,40\n");
  command->callback([flags, &exit_code] { exit_code = table(*flags); });
}

}  // namespace vbo::cli
