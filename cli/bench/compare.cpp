// SPDX-License-Identifier: MIT
// vbo bench compare
#include "bench/compare.hpp"
#include "bench/job.hpp"
#include "cli/bench/parts.hpp"

namespace vbo::cli {
namespace {

using namespace vbo::bench;

struct CompareFlags {
  std::string first, second, by = "best";
  std::vector<std::string> inside, tasks, methods;
  std::int64_t at = 0;
  bool json = false;
  ReadingFlags reading;
};

int compare(const CompareFlags& flags) {
  const CompareOptions options{.measure = flags.by == "reward" ? Measure::reward : Measure::best,
                               .at = flags.at};
  ComparisonReport report;
  if (!flags.inside.empty()) {
    auto jobs = read_all(flags.inside, flags.reading);
    if (!jobs) return complain(jobs.error());
    keep_only(*jobs, flags.tasks, {});
    for (const std::string& method : {flags.first, flags.second}) {
      if (const auto spec = parse_method(method); !spec) return complain(spec.error());
    }
    report = compare_methods(*jobs, to_string(*parse_method(flags.first)),
                             to_string(*parse_method(flags.second)), options);
  } else {
    auto first = read_all({flags.first}, flags.reading);
    if (!first) return complain(first.error());
    auto second = read_all({flags.second}, flags.reading);
    if (!second) return complain(second.error());
    keep_only(*first, flags.tasks, flags.methods);
    keep_only(*second, flags.tasks, flags.methods);
    report = compare_sets(*first, *second, options);
  }
  if (report.rows.empty()) {
    return complain(
        {ErrorKind::not_found, "nothing to compare: " + flags.first + " and " + flags.second +
                                   " share no task, batch size, number of rounds and seed"});
  }
  return deliver(flags.json ? to_json(report, flags.first, flags.second)
                            : to_markdown(report, flags.first, flags.second),
                 "");
}

}  // namespace

void add_bench_compare(CLI::App& bench, int& exit_code) {
  CLI::App* command =
      bench.add_subcommand("compare", "Two methods, or two directories, seed against seed");
  const auto flags = std::make_shared<CompareFlags>();
  command->add_option("first", flags->first, "A directory, or a method with --in")->required();
  command->add_option("second", flags->second, "Another")->required();
  command->add_option("--in", flags->inside, "Directories in which two methods are compared");
  command->add_option("--at", flags->at, "The best value at this round (default: the last)")
      ->check(CLI::Range(1, 1000000));
  command->add_option("--by", flags->by, "best or reward (the final average reward)")
      ->check(CLI::IsMember({"best", "reward"}));
  command->add_option("-t,--task", flags->tasks, "Only these tasks");
  command->add_option("-m,--method", flags->methods, "Of two directories: only these methods");
  add_reading_flags(*command, flags->reading);
  command->add_flag("--json", flags->json, "As JSON");
  command->footer(
      "Examples:\n  vbo bench compare vbo cmaes --in results --at 20\n"
      "  vbo bench compare before after --by reward\n");
  command->callback([flags, &exit_code] { exit_code = compare(*flags); });
}

}  // namespace vbo::cli
