// SPDX-License-Identifier: MIT
#include "cluster/slurm.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "core/checksum.hpp"

namespace vbo {
namespace {

constexpr double kCommandSeconds = 60.0;  // Slurm's own commands give up earlier
constexpr std::int64_t kLargestArray = 1000;
constexpr std::size_t kCancelAtOnce = 500;  // ids on one command line
constexpr std::streamoff kLogTail = 4096;

using State = ClusterJob::State;

// Of "JOB STATE CODES" in squeue(1). What is not here is taken for running.
const std::map<std::string, State, std::less<>> kStates = {
    {"PENDING", State::waiting},      {"CONFIGURING", State::waiting},
    {"REQUEUED", State::waiting},     {"REQUEUE_HOLD", State::waiting},
    {"REQUEUE_FED", State::waiting},  {"RESV_DEL_HOLD", State::waiting},
    {"SPECIAL_EXIT", State::waiting}, {"RUNNING", State::running},
    {"COMPLETING", State::leaving},   {"COMPLETED", State::done},
    {"CANCELLED", State::ended},      {"TIMEOUT", State::ended},
    {"NODE_FAIL", State::ended},      {"PREEMPTED", State::ended},
    {"DEADLINE", State::ended},       {"REVOKED", State::ended},
    {"BOOT_FAIL", State::ended},      {"FAILED", State::failed},
    {"OUT_OF_MEMORY", State::failed},
};

// What Slurm's commands say when the controller is away, and not when it refuses.
constexpr std::array<std::string_view, 6> kAway = {
    "Unable to contact",           "Socket timed out",
    "Connection refused",          "Connection timed out",
    "Zero Bytes were transmitted", "temporarily unable"};

std::string_view without_prefix(std::string_view line, const std::string& command) {
  for (const std::string& prefix : {command + ": error: ", command + ": fatal: ", command + ": "}) {
    if (line.starts_with(prefix)) return line.substr(prefix.size());
  }
  return line;
}

class Slurm final : public Scheduler {
 public:
  Slurm(SlurmOptions options, RunCommand run) : options_(std::move(options)), run_(std::move(run)) {
    if (!run_) {
      run_ = [](const std::vector<std::string>& arguments) {
        return run_command(arguments, kCommandSeconds);
      };
    }
  }

  Result<void> submit(std::int64_t count, std::vector<std::string>& accepted) override {
    if (largest_array_ < 0) {
      const Result<std::string> config = call({"scontrol", "show", "config"});
      if (!config) return config.error();
      const Result<std::int64_t> largest = parse_max_array_size(*config);
      if (!largest) return largest.error();
      largest_array_ = std::min(*largest, kLargestArray);
    }
    std::error_code ignored;  // Slurm says it better when it cannot write there
    std::filesystem::create_directories(options_.log_folder, ignored);
    while (count > 0) {
      const std::int64_t chunk =
          std::clamp<std::int64_t>(count, 1, std::max<std::int64_t>(largest_array_, 1));
      const Result<std::string> submitted = call(submission(chunk));
      if (!submitted) return submitted.error();
      // JOB or JOB;CLUSTER, and parts of an array as squeue spells them.
      const std::string id = submitted->substr(0, submitted->find_first_of(";\n"));
      for (std::int64_t part = 0; part < chunk; ++part) {
        accepted.push_back(largest_array_ > 0 ? id + "_" + std::to_string(part) : id);
      }
      count -= chunk;
    }
    return {};
  }

  Result<std::vector<ClusterJob>> jobs() override {
    const Result<std::string> listed =
        call({"squeue", "--noheader", "--array", "--states=all", "--name=" + options_.job_name,
              "--user=" + std::to_string(getuid()), "--format=%i|%T|%r"});
    if (!listed) return listed.error();
    return parse_squeue(*listed);
  }

  Result<void> cancel(std::span<const std::string> ids) override {
    for (std::size_t first = 0; first < ids.size(); first += kCancelAtOnce) {
      const auto some = ids.subspan(first, std::min(kCancelAtOnce, ids.size() - first));
      std::vector<std::string> arguments = {"scancel"};
      arguments.insert(arguments.end(), some.begin(), some.end());
      if (const auto cancelled = call(arguments); !cancelled) return cancelled.error();
    }
    return {};
  }

  Result<void> cancel_all() override {
    const auto cancelled =
        call({"scancel", "--name=" + options_.job_name, "--user=" + std::to_string(getuid())});
    return cancelled ? Result<void>() : cancelled.error();
  }

  std::string last_words(const std::string& id) override {
    const std::string path = options_.log_folder + "/" + id + ".log";
    std::ifstream log(path, std::ios::binary | std::ios::ate);
    if (!log) return "";
    const std::streamoff size = log.tellg();
    log.seekg(std::max<std::streamoff>(0, size - kLogTail));
    std::string line, last;
    while (std::getline(log, line)) {
      if (line.find_first_not_of(" \t\r") != std::string::npos) last = line;
    }
    return last.empty() ? "see " + path : last + " (" + path + ")";
  }

 private:
  // Ours first, so that the user's win; --no-requeue because vbo itself replaces what was lost.
  std::vector<std::string> submission(std::int64_t count) const {
    const bool array = largest_array_ > 0;
    std::vector<std::string> arguments = {
        "sbatch",
        "--parsable",
        "--no-requeue",
        "--job-name=" + options_.job_name,
        "--chdir=" + options_.directory,
        "--cpus-per-task=" + std::to_string(options_.workers),
        "--output=" + options_.log_folder + (array ? "/%A_%a.log" : "/%j.log")};
    if (array) arguments.push_back("--array=0-" + std::to_string(count - 1));
    arguments.insert(arguments.end(), options_.options.begin(), options_.options.end());
    std::string script = "exec";
    for (const std::string& word : options_.command) script += " " + shell_word(word);
    script += " --name \"slurm-${SLURM_ARRAY_JOB_ID:-$SLURM_JOB_ID}_${SLURM_ARRAY_TASK_ID:-0}\"";
    arguments.push_back("--wrap=" + script);
    return arguments;
  }

  Result<std::string> call(const std::vector<std::string>& arguments) const {
    Result<CommandEnd> end = run_(arguments);
    if (!end && end.error().kind == ErrorKind::not_found) {
      return Error{ErrorKind::not_found,
                   "there is no " + arguments.front() +
                       " on this machine: --on slurm has to be started where Slurm's commands are"};
    }
    if (!end) return Error{end.error().kind, "Slurm: " + end.error().message};
    if (!end->succeeded) return slurm_error(arguments.front(), end->err);
    return std::move(end->out);
  }

  SlurmOptions options_;
  RunCommand run_;
  std::int64_t largest_array_ = -1;  // 0: this site has no arrays; -1: not asked yet
};

}  // namespace

std::unique_ptr<Scheduler> make_slurm(SlurmOptions options, RunCommand run) {
  return std::make_unique<Slurm>(std::move(options), std::move(run));
}

std::string slurm_job_name(const std::string& study, const std::string& storage_url) {
  std::string name = "vbo-";
  for (const char c : study) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '-';
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::uint64_t sum = checksum(storage_url);
  name += "-";
  for (int i = 0; i < 8; ++i, sum >>= 4U) name += kDigits[sum & 15U];
  return name;
}

Result<std::vector<ClusterJob>> parse_squeue(const std::string& text) {
  std::vector<ClusterJob> jobs;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) continue;
    const std::size_t first = line.find('|');
    const std::size_t second = first == std::string::npos ? first : line.find('|', first + 1);
    if (second == std::string::npos || first == 0) {
      return Error{ErrorKind::io, "Slurm: found \"" + line +
                                      "\" in the answer of squeue, expected ID|STATE|REASON"};
    }
    ClusterJob job;
    job.id = line.substr(0, first);
    const std::string state = line.substr(first + 1, second - first - 1);
    const auto known = kStates.find(state);
    job.state = known == kStates.end() ? State::running : known->second;
    job.word = job.state == State::waiting ? line.substr(second + 1) : state;
    jobs.push_back(std::move(job));
  }
  return jobs;
}

Result<std::int64_t> parse_max_array_size(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("MaxArraySize")) continue;
    const std::size_t digits = line.find_first_of("0123456789");
    std::int64_t size = 0;
    if (digits == std::string::npos) break;
    std::from_chars(line.data() + digits, line.data() + line.size(), size);
    return size;
  }
  return Error{ErrorKind::io, "Slurm: found no MaxArraySize in the answer of scontrol show config"};
}

Error slurm_error(const std::string& command, const std::string& complaint) {
  std::string text;
  std::istringstream lines(complaint);
  for (std::string line; std::getline(lines, line);) {
    const std::string_view said = without_prefix(line, command);
    if (said.empty() || said.starts_with("Try \"")) continue;
    if (!text.empty()) text += "; ";
    text += said;
  }
  if (text.empty()) text = "no reason was given";
  const bool away = std::any_of(kAway.begin(), kAway.end(), [&](std::string_view words) {
    return text.find(words) != std::string::npos;
  });
  if (away) return {ErrorKind::io, "Slurm cannot be reached: " + text};
  return {ErrorKind::invalid_input, "Slurm refuses (" + command + "): " + text};
}

}  // namespace vbo
