// SPDX-License-Identifier: MIT
// vbo bench consistency
#include "bench/consistency.hpp"

#include <cstdio>
#include <fstream>
#include <sstream>

#include "bench/text_table.hpp"
#include "cli/bench/parts.hpp"

namespace vbo::cli {
namespace {

using namespace vbo::bench;

struct ConsistencyFlags {
  ConsistencyOptions options;
  std::string from, figure, save;
  bool json = false;
};

Result<std::vector<ConsistencyRow>> rows_of(const ConsistencyFlags& flags) {
  if (flags.from.empty()) {
    return check_consistency(flags.options, [](const ConsistencyRow& row) {
      std::fprintf(stderr, "%s %s, N = %lld, seed %llu: truth %s, own %s, fresh %s\n",
                   row.channel.c_str(), row.quantity.c_str(), static_cast<long long>(row.samples),
                   static_cast<unsigned long long>(row.seed), number_text(row.truth, 4).c_str(),
                   number_text(row.own, 4).c_str(), number_text(row.fresh, 4).c_str());
    });
  }
  std::ifstream in(flags.from);
  if (!in) return Error{ErrorKind::not_found, "cannot read " + flags.from};
  std::stringstream text;
  text << in.rdbuf();
  auto rows = consistency_from(text.str());
  if (rows) return rows;
  return Error{rows.error().kind, flags.from + ": " + rows.error().message};
}

int consistency(const ConsistencyFlags& flags) {
  const auto rows = rows_of(flags);
  if (!rows) return complain(rows.error());
  if (!flags.figure.empty()) {
    if (auto written = write_file(flags.figure, to_svg(figure_of(*rows))); !written) {
      return complain(written.error());
    }
  }
  if (!flags.save.empty()) {
    if (auto written = write_file(flags.save, to_json(*rows)); !written) {
      return complain(written.error());
    }
  }
  return deliver(flags.json ? to_json(*rows) : to_markdown(*rows), "");
}

}  // namespace

void add_bench_consistency(CLI::App& bench, int& exit_code) {
  CLI::App* command = bench.add_subcommand(
      "consistency", "Estimates of the LSTM helper against known information, as samples grow");
  const auto flags = std::make_shared<ConsistencyFlags>();
  command
      ->add_option("-n,--samples", flags->options.samples,
                   "Numbers of samples (default 256,1024,4096,16384)")
      ->delimiter(',')
      ->check(CLI::Range(2, 100000000));
  command->add_option("--seeds", flags->options.seeds, "Seeds (default 3)")
      ->check(CLI::Range(1, 1000));
  command->add_option("--steps", flags->options.steps, "Training steps (default 1500)")
      ->check(CLI::Range(0, 10000000));
  command->add_option("--length", flags->options.length, "Steps of a sequence (default 8)")
      ->check(CLI::Range(1, 1000));
  command->add_option("--jobs", flags->options.jobs, "At a time (default: one per core)");
  command->add_option("--from", flags->from, "Do not estimate: read what --save wrote");
  command->add_option("--save", flags->save, "Also write the numbers to this JSON file");
  command->add_option("--figure", flags->figure, "Write a figure to this SVG file");
  command->add_flag("--json", flags->json, "As JSON");
  command->footer(
      "Example:\n  vbo bench consistency --samples 256,1024 --figure consistency.svg\n");
  command->callback([flags, &exit_code] { exit_code = consistency(*flags); });
}

}  // namespace vbo::cli
