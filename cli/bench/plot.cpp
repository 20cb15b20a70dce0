// SPDX-License-Identifier: MIT
// vbo bench plot
#include <iostream>

#include "bench/figures.hpp"
#include "cli/bench/parts.hpp"

namespace vbo::cli {
namespace {

using namespace vbo::bench;

struct PlotFlags {
  std::vector<std::string> directories, tasks, methods;
  std::string out;
  ReadingFlags reading;
};

int plot(const PlotFlags& flags) {
  auto jobs = read_all(flags.directories, flags.reading);
  if (!jobs) return complain(jobs.error());
  keep_only(*jobs, flags.tasks, flags.methods);
  if (jobs->empty()) {
    return complain({ErrorKind::not_found, "no results of the tasks and methods named"});
  }
  for (const NamedFigure& named : figures_of(*jobs)) {
    const auto path = std::filesystem::path(flags.out) / (named.name + ".svg");
    if (auto written = write_file(path, to_svg(named.figure)); !written) {
      return complain(written.error());
    }
    std::cout << path.string() << "\n";
  }
  return 0;
}

}  // namespace

void add_bench_plot(CLI::App& bench, int& exit_code) {
  CLI::App* command = bench.add_subcommand("plot", "Draw curves and sensitivities as SVG");
  const auto flags = std::make_shared<PlotFlags>();
  command->add_option("directory", flags->directories, "Directories of results")->required();
  command->add_option("-o,--out", flags->out, "Directory for the figures")->required();
  command->add_option("-t,--task", flags->tasks, "Only these tasks");
  command->add_option("-m,--method", flags->methods, "Only these methods");
  add_reading_flags(*command, flags->reading);
  command->footer("Example:\n  vbo bench plot results -o figures\n");
  command->callback([flags, &exit_code] { exit_code = plot(*flags); });
}

}  // namespace vbo::cli
