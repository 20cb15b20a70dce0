// SPDX-License-Identifier: MIT
// Slurm by its commands: sbatch, squeue, scancel, scontrol. Job arrays, as large as the site allows
// at a time; jobs of a study are found by their name. No accounting (sacct) is needed.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cluster/command.hpp"
#include "cluster/scheduler.hpp"

namespace vbo {

struct SlurmOptions {
  std::string job_name;              // no commas
  std::vector<std::string> command;  // what a job runs; absolute paths
  std::string directory;             // in which it runs
  std::string log_folder;            // for one file a job: ID.log
  std::int64_t workers = 1;          // evaluations of a job at a time
  std::vector<std::string> options;  // the user's, for sbatch; they come last and win
};

using RunCommand = std::function<Result<CommandEnd>(const std::vector<std::string>&)>;

// `run` null: the commands of this machine.
std::unique_ptr<Scheduler> make_slurm(SlurmOptions options, RunCommand run = nullptr);

// The name of the jobs of a study: the same for every coordinator of it, and no other's.
std::string slurm_job_name(const std::string& study, const std::string& storage_url);

// -- Parts, for tests. --
// The lines of squeue --format=%i|%T|%r.
Result<std::vector<ClusterJob>> parse_squeue(const std::string& text);
// MaxArraySize in the output of scontrol show config; indices stay below it.
Result<std::int64_t> parse_max_array_size(const std::string& text);
// What a command of Slurm complains about, as an error of one line.
Error slurm_error(const std::string& command, const std::string& complaint);

}  // namespace vbo
