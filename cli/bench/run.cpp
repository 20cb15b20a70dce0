// SPDX-License-Identifier: MIT
// vbo bench run
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

#include "bench/protocol.hpp"
#include "bench/runner.hpp"
#include "bench/text_table.hpp"
#include "cli/bench/parts.hpp"
#include "core/spelling.hpp"
#include "vbo/optimizer.hpp"

namespace vbo::cli {
namespace {

using namespace vbo::bench;

struct RunFlags {
  std::vector<std::string> protocols, tasks, methods, settings;
  std::int64_t batch = 0, rounds = 0, initial_rounds = 0;
  std::string seeds, directory;
  int jobs = 0;
  double limit = 0.0;
  bool points = false, redo = false, skip_missing = false, dry_run = false, quiet = false,
       json = false;
};

std::atomic<int> interrupts{0};

// The first Ctrl-C ends each job after its round, the second ends the program.
extern "C" void on_interrupt(int signal) {
  if (interrupts.fetch_add(1) > 0) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}

std::string duration(double seconds) {
  char text[32];
  if (seconds < 90) {
    std::snprintf(text, sizeof text, "%.0f s", seconds);
  } else if (seconds < 5400) {
    std::snprintf(text, sizeof text, "%.0f min", seconds / 60);
  } else {
    std::snprintf(text, sizeof text, "%.1f h", seconds / 3600);
  }
  return text;
}

void show(const Progress& p, bool terminal) {
  std::string line = "[" + std::to_string(p.finished) + "/" + std::to_string(p.total) + "] " +
                     p.job->task + "  " + p.job->method + "  batch " +
                     std::to_string(p.job->batch) + "  seed " + std::to_string(p.job->seed);
  if (p.result != nullptr) {
    line += "  best " + number_text(p.result->rounds.back().best, 6) + "  in " +
            number_text(p.job_seconds, 3) + " s  (" + duration(p.seconds_left) + " left)";
  } else {
    line += "  FAILED: " + p.error;
  }
  if (!terminal) {
    std::fprintf(stderr, "%s\n", line.c_str());
    return;
  }
  if (p.result == nullptr) {
    std::fprintf(stderr, "\r\033[K%s\n", line.c_str());
    return;
  }
  constexpr std::size_t width = 110;
  std::fprintf(stderr, "\r\033[K%s", line.substr(0, width).c_str());
  if (p.finished == p.total) std::fputc('\n', stderr);
}

std::string with_settings(std::string method, const std::vector<std::string>& settings) {
  for (const std::string& setting : settings) {
    method += (method.find('?') == std::string::npos ? "?" : "&") + setting;
  }
  return method;
}

// Flags alone make a protocol; with files they narrow or override what the files say.
Result<std::vector<Job>> requested_jobs(const RunFlags& flags) {
  std::vector<Protocol> protocols;
  for (const std::string& file : flags.protocols) {
    Result<Protocol> read = read_protocol(file);
    if (!read) return read.error();
    protocols.push_back(*std::move(read));
  }
  if (protocols.empty()) {
    if (flags.tasks.empty() || flags.methods.empty()) {
      return Error{ErrorKind::invalid_input,
                   "nothing to run: give --protocol FILE, or --task and --method"};
    }
    Protocol protocol{.name = "flags", .summary = "", .entries = {}, .seeds = *parse_seeds("5")};
    for (const std::string& task : flags.tasks) {
      protocol.entries.push_back({.task = task, .methods = flags.methods});
    }
    protocols.push_back(std::move(protocol));
  }
  std::vector<Job> jobs;
  for (Protocol& protocol : protocols) {
    if (!flags.seeds.empty()) {
      auto seeds = parse_seeds(flags.seeds);
      if (!seeds) return seeds.error();
      protocol.seeds = *std::move(seeds);
      for (ProtocolEntry& entry : protocol.entries) entry.seeds.clear();
    }
    for (ProtocolEntry& entry : protocol.entries) {
      if (flags.batch > 0) entry.batch = flags.batch;
      if (flags.rounds > 0) entry.rounds = flags.rounds;
      if (flags.initial_rounds > 0) entry.initial_rounds = flags.initial_rounds;
      if (!flags.methods.empty()) entry.methods = swept(flags.methods, protocol.sweep);
      for (std::string& method : entry.methods) method = with_settings(method, flags.settings);
      if (entry.rounds < entry.initial_rounds) {
        return Error{ErrorKind::invalid_input,
                     std::to_string(entry.rounds) + " rounds cannot hold " +
                         std::to_string(entry.initial_rounds) + " rounds of initial design"};
      }
    }
    for (Job& job : jobs_of(protocol)) {
      const bool wanted = flags.tasks.empty() || std::find(flags.tasks.begin(), flags.tasks.end(),
                                                           job.task) != flags.tasks.end();
      if (wanted && std::find(jobs.begin(), jobs.end(), job) == jobs.end()) {
        jobs.push_back(std::move(job));
      }
    }
  }
  if (jobs.empty()) {
    return Error{ErrorKind::invalid_input, "none of the protocol's tasks was named by --task"};
  }
  return jobs;
}

// "; did you mean gp-logei?", for those that look like typing errors.
std::string closest_methods(const std::vector<std::string>& missing) {
  std::string guesses;
  for (const std::string& method : missing) {
    const std::string_view name = std::string_view(method).substr(0, method.find('?'));
    for (const MethodInfo& known : methods()) {
      if (edit_distance(known.name, name) > 2) continue;
      guesses += (guesses.empty() ? "; did you mean " : ", ") + known.name;
    }
  }
  return guesses.empty() ? "" : guesses + "?";
}

// Takes out what this build lacks, or says so.
Result<void> check_jobs(std::vector<Job>& jobs, bool skip_missing) {
  std::vector<std::string> missing_methods;
  const std::vector<std::string> problems = problems_of(jobs, missing_methods);
  std::string message;
  for (const std::string& problem : problems) message += (message.empty() ? "" : "\n") + problem;
  if (!missing_methods.empty()) {
    std::string list;
    for (const std::string& method : missing_methods) list += (list.empty() ? "" : ", ") + method;
    if (skip_missing) {
      std::fprintf(stderr, "not in this build, left out: %s\n", list.c_str());
      std::erase_if(jobs, [&](const Job& job) {
        return std::find(missing_methods.begin(), missing_methods.end(), job.method) !=
               missing_methods.end();
      });
    } else {
      message += std::string(message.empty() ? "" : "\n") +
                 "methods this build does not have: " + list + " (--skip-missing leaves them out" +
                 closest_methods(missing_methods) + ")";
    }
  }
  if (!message.empty()) return Error{ErrorKind::invalid_input, message};
  if (jobs.empty()) return Error{ErrorKind::invalid_input, "nothing is left to run"};
  return {};
}

int run(const RunFlags& flags) {
  Result<std::vector<Job>> jobs = requested_jobs(flags);
  if (!jobs) return complain(jobs.error());
  if (const auto checked = check_jobs(*jobs, flags.skip_missing); !checked) {
    return complain(checked.error());
  }
  if (flags.dry_run) {
    for (const Job& job : *jobs) std::cout << file_stem(job) << "\n";
    return 0;
  }
  if (!this_origin().optimized) {
    std::fprintf(stderr, "warning: built without optimization; times will say nothing\n");
  }
  interrupts = 0;
  const auto old_handler = std::signal(SIGINT, on_interrupt);
  const bool terminal = isatty(STDERR_FILENO) == 1;
  const auto report = run_jobs(*jobs,
                               {.directory = flags.directory,
                                .jobs = flags.jobs,
                                .keep_points = flags.points,
                                .redo = flags.redo,
                                .interrupts = &interrupts,
                                .limit_seconds = flags.limit},
                               [&](const Progress& p) {
                                 if (!flags.quiet || p.result == nullptr) show(p, terminal);
                               });
  std::signal(SIGINT, old_handler);
  if (!report) return complain(report.error());
  if (flags.json) {
    const nlohmann::ordered_json json = {
        {"directory", flags.directory}, {"run", report->run},
        {"found", report->found},       {"failed", report->failed},
        {"left", report->left},         {"interrupted", report->interrupted},
        {"errors", report->errors}};
    std::cout << json.dump(2) << "\n";
  } else {
    std::cout << report->run << " jobs run, " << report->found << " found finished, "
              << report->failed << " failed, in " << flags.directory << "\n";
  }
  if (report->found_elsewhere > 0) {
    std::fprintf(stderr,
                 "%zu of the jobs found were made by another commit, build or machine; --redo runs "
                 "them again\n",
                 report->found_elsewhere);
  }
  if (report->interrupted) {
    std::fprintf(stderr, "interrupted; the same command continues with what is missing\n");
    return 130;
  }
  if (report->left > 0) {
    std::fprintf(stderr, "time is up; %zu jobs are left for the same command to run\n",
                 report->left);
  }
  return report->failed > 0 ? 1 : 0;
}

}  // namespace

void add_bench_run(CLI::App& bench, int& exit_code) {
  CLI::App* command = bench.add_subcommand("run", "Run methods on tasks, or continue such a run");
  const auto flags = std::make_shared<RunFlags>();
  command->add_option("-p,--protocol", flags->protocols, "Protocol file(s); flags override it");
  command->add_option("-t,--task", flags->tasks,
                      "Task(s), e.g. hartmann6 or \"ackley?dim=20&shift=1\"; with a protocol: only "
                      "these of it");
  command->add_option("-m,--method", flags->methods,
                      "Method(s), settings behind a question mark: \"vbo?beta=0.5\"");
  command->add_option("-b,--batch", flags->batch, "Evaluations per round (default 64)")
      ->check(CLI::Range(1, 1000000));
  command->add_option("-r,--rounds", flags->rounds, "Rounds, initial design included (default 40)")
      ->check(CLI::Range(1, 1000000));
  command
      ->add_option("--initial-rounds", flags->initial_rounds,
                   "Rounds of the common initial design (default 1)")
      ->check(CLI::Range(1, 1000000));
  command->add_option("-s,--seeds", flags->seeds, "5 (1 to 5), 3-7 or 1,4,9 (default 5)");
  command->add_option("--set", flags->settings, "option=value for every method")
      ->check([](const std::string& text) {
        return text.find('=') == std::string::npos ? "expected option=value, found " + text : "";
      });
  command->add_option("-o,--out", flags->directory, "Directory of results")->required();
  command->add_option("-j,--jobs", flags->jobs, "Jobs at a time (default: one per core)")
      ->check(CLI::Range(1, 4096));
  command->add_option("--limit", flags->limit, "Stop after so many seconds; run again to continue")
      ->check(CLI::PositiveNumber);
  command->add_flag("--points", flags->points, "Keep the parameters of every observation too");
  command->add_flag("--redo", flags->redo, "Run finished jobs again");
  command->add_flag("--skip-missing", flags->skip_missing,
                    "Leave out methods this build does not have");
  command->add_flag("--dry-run", flags->dry_run, "Only list the jobs");
  command->add_flag("-q,--quiet", flags->quiet, "Progress: failures only");
  command->add_flag("--json", flags->json, "What was done, as JSON");
  command->footer(
      "Example:\n  vbo bench run --task hartmann6 --method vbo --method cmaes --batch 64 --rounds "
      "40 --seeds 5 --out results\n");
  command->callback([flags, &exit_code] { exit_code = run(*flags); });
}

}  // namespace vbo::cli
