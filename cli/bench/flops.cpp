// SPDX-License-Identifier: MIT
// vbo bench flops
#include <cstdio>
#include <fstream>
#include <sstream>

#include "bench/flops_counted.hpp"
#include "bench/flops_model.hpp"
#include "bench/text_table.hpp"
#include "cli/bench/parts.hpp"

namespace vbo::cli {
namespace {

using namespace vbo::bench;

struct FlopsFlags {
  std::string model = "paper", file, figure, save, from;
  CountOptions count;
  bool json = false;
};

Result<CountReport> read_report(const std::string& path) {
  std::ifstream in(path);
  if (!in) return Error{ErrorKind::not_found, "cannot read " + path};
  std::stringstream text;
  text << in.rdbuf();
  auto report = count_report_from(text.str());
  if (report) return report;
  return Error{report.error().kind, path + ": " + report.error().message};
}

int show(const FlopsFlags& flags, const Result<CountReport>& report) {
  if (!report) return complain(report.error());
  if (!flags.figure.empty()) {
    if (auto written = write_file(flags.figure, to_svg(figure_of(*report))); !written) {
      return complain(written.error());
    }
  }
  if (!flags.save.empty()) {
    if (auto written = write_file(flags.save, to_json(*report)); !written) {
      return complain(written.error());
    }
  }
  return deliver(flags.json ? to_json(*report) : to_markdown(*report), flags.file);
}

int flops(FlopsFlags flags) {
  if (flags.model != "counted") {
    const CostModel model = flags.model == "paper" ? published_model() : realistic_model();
    return deliver(flags.json ? to_json(model) : to_markdown(model), flags.file);
  }
  if (!flags.from.empty()) return show(flags, read_report(flags.from));
  if (flags.count.methods.empty()) {
    for (const MethodInfo& method : methods()) flags.count.methods.push_back(method.name);
  }
  const auto report = count_operations(flags.count, [](const CountedCost& cell) {
    if (!cell.measured) {
      std::fprintf(stderr, "%s, n = %lld: left out, would take too long\n", cell.method.c_str(),
                   static_cast<long long>(cell.observations));
      return;
    }
    std::fprintf(stderr, "%s, n = %lld: %s FLOP in %s s\n", cell.method.c_str(),
                 static_cast<long long>(cell.observations),
                 number_text(static_cast<double>(cell.flops()), 4).c_str(),
                 number_text(cell.tell_seconds + cell.ask_seconds, 3).c_str());
  });
  return show(flags, report);
}

}  // namespace

void add_bench_flops(CLI::App& bench, int& exit_code) {
  CLI::App* command = bench.add_subcommand(
      "flops", "Cost of one round: as published, with constants put back, or counted");
  const auto flags = std::make_shared<FlopsFlags>();
  command->add_option("--model", flags->model, "paper, realistic or counted")
      ->check(CLI::IsMember({"paper", "realistic", "counted"}));
  const auto counted = [command](const std::string& name, auto& value, const std::string& help) {
    return command->add_option(name, value, help)->group("For --model counted");
  };
  counted("-m,--method", flags->count.methods, "Only these methods (default: all)");
  counted("-n,--observations", flags->count.observations,
          "Numbers of observations (default 100,500,1000,5000)")
      ->delimiter(',')
      ->check(CLI::Range(1, 10000000));
  counted("-t,--task", flags->count.task, "The function (default ackley, 10-d)");
  counted("-b,--batch", flags->count.batch, "Batch (default 64)")->check(CLI::Range(1, 1000000));
  counted("--threads", flags->count.threads, "Threads (default 1, 0 = all cores)");
  counted("--limit", flags->count.limit_seconds,
          "Leave out what would take longer, in seconds (default 600)");
  counted("--figure", flags->figure, "Write a figure to this SVG file");
  counted("--from", flags->from, "Do not count: read what --save wrote");
  counted("--save", flags->save, "Also write the numbers to this JSON file");
  command->add_flag("--json", flags->json, "As JSON");
  command->add_option("-o,--out", flags->file, "Write to this file instead of standard output");
  command->footer(
      "Examples:\n  vbo bench flops --model paper\n"
      "  vbo bench flops --model counted -m vbo -m hmc --figure flops.svg\n");
  command->callback([flags, &exit_code] { exit_code = flops(*flags); });
}

}  // namespace vbo::cli
