// SPDX-License-Identifier: MIT
#include "bench/record.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <system_error>

#include "bench/record_json.hpp"
#include "core/from_chars.hpp"

namespace vbo::bench {
namespace {

namespace fs = std::filesystem;

constexpr int record_format = 1;

Json settings_json(const Job& job) {
  Json settings = Json::object();
  const Result<MethodSpec> spec = parse_method(job.method);
  if (!spec) return settings;
  for (const auto& [option, value] : spec->settings) {
    Json& setting = settings[option];  // clang 14 captures no structured binding
    std::visit([&](const auto& v) { setting = v; }, value);
  }
  return settings;
}

// JSON has no NaN; it is written as null.
double number_or_missing(const Json& json) { return json.is_null() ? missing : json.get<double>(); }

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string observations_csv(const JobResult& r) {
  std::string csv = "round,value";
  for (const std::string& name : r.parameter_names) csv += "," + csv_field(name);
  csv += "\n";
  for (const Observation& o : r.observations) {
    csv +=
        std::to_string(o.round) + "," + (std::isnan(o.value) ? "" : vbo::to_string(Value{o.value}));
    for (const Value& value : o.point) csv += "," + csv_field(vbo::to_string(value));
    csv += "\n";
  }
  return csv;
}

Error damaged(const fs::path& path, std::size_t line, const std::string& what) {
  return {ErrorKind::damaged, path.string() + ", line " + std::to_string(line) + ": " + what};
}

}  // namespace

Json header_json(const JobResult& r) {
  Json json = {{"kind", "header"},
               {"format", record_format},
               {"task", r.job.task},
               {"method", r.job.method},
               {"settings", settings_json(r.job)},
               {"batch", r.job.batch},
               {"rounds", r.job.rounds},
               {"initial_rounds", r.job.initial_rounds},
               {"seed", r.job.seed},
               {"threads", 1},
               {"parameters", r.task.parameters},
               {"optimum", nullptr},
               {"optimum_proven", r.task.optimum_proven},
               {"negated", r.task.negated},
               {"noise", r.task.noise},
               {"version", r.origin.version},
               {"commit", r.origin.commit},
               {"compiler", r.origin.compiler},
               {"build_type", r.origin.build_type},
               {"optimized", r.origin.optimized},
               {"machine", r.origin.machine},
               {"cores", r.origin.cores}};
  if (r.task.optimum) json["optimum"] = *r.task.optimum;
  return json;
}

Json round_json(const Job& job, const RoundRecord& r) {
  Json json = {{"task", job.task}, {"method", job.method},         {"seed", job.seed},
               {"round", r.round}, {"evaluations", r.evaluations}, {"best", r.best}};
  if (r.incumbent) json["incumbent"] = *r.incumbent;
  json["batch_mean"] = r.batch_mean;
  json["average_reward"] = r.average_reward;
  json["seconds_ask"] = r.seconds_ask;
  json["seconds_tell"] = r.seconds_tell;
  json["flops"] = r.flops;
  return json;
}

void read_header(const Json& json, JobResult& r) {
  if (json.at("kind") != "header" || json.at("format") != record_format) {
    throw std::runtime_error("not a header of format " + std::to_string(record_format));
  }
  json.at("task").get_to(r.job.task);
  json.at("method").get_to(r.job.method);
  json.at("batch").get_to(r.job.batch);
  json.at("rounds").get_to(r.job.rounds);
  json.at("initial_rounds").get_to(r.job.initial_rounds);
  json.at("seed").get_to(r.job.seed);
  json.at("parameters").get_to(r.task.parameters);
  if (!json.at("optimum").is_null()) r.task.optimum = json["optimum"].get<double>();
  json.at("optimum_proven").get_to(r.task.optimum_proven);
  json.at("negated").get_to(r.task.negated);
  json.at("noise").get_to(r.task.noise);
  json.at("version").get_to(r.origin.version);
  json.at("commit").get_to(r.origin.commit);
  json.at("compiler").get_to(r.origin.compiler);
  json.at("build_type").get_to(r.origin.build_type);
  json.at("optimized").get_to(r.origin.optimized);
  json.at("machine").get_to(r.origin.machine);
  json.at("cores").get_to(r.origin.cores);
}

RoundRecord read_round(const Json& json) {
  RoundRecord r;
  json.at("round").get_to(r.round);
  json.at("evaluations").get_to(r.evaluations);
  r.best = number_or_missing(json.at("best"));
  if (json.contains("incumbent")) r.incumbent = number_or_missing(json["incumbent"]);
  r.batch_mean = number_or_missing(json.at("batch_mean"));
  r.average_reward = number_or_missing(json.at("average_reward"));
  json.at("seconds_ask").get_to(r.seconds_ask);
  json.at("seconds_tell").get_to(r.seconds_tell);
  json.at("flops").get_to(r.flops);
  return r;
}

Result<void> write_file(const fs::path& path, const std::string& content) {
  const auto failed = [&](const std::string& what) {
    return Error{ErrorKind::io, "cannot write " + path.string() + ": " + what};
  };
  std::error_code error;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), error);
  if (error) return failed(error.message());
  fs::path temporary = path;
  temporary += ".tmp";
  std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
  out << content;
  out.close();
  if (!out) return failed("the disk is full or the directory is not writable");
  fs::rename(temporary, path, error);
  if (error) return failed(error.message());
  return {};
}

Result<void> write_job(const fs::path& directory, const JobResult& result) {
  const fs::path stem = directory / file_stem(result.job);
  if (auto written = write_file(stem.string() + ".csv", observations_csv(result)); !written) {
    return written;
  }
  std::string lines = header_json(result).dump() + "\n";
  for (const RoundRecord& round : result.rounds)
    lines += round_json(result.job, round).dump() + "\n";
  return write_file(stem.string() + ".jsonl", lines);
}

Result<JobResult> read_job(const fs::path& jsonl) {
  std::ifstream in(jsonl);
  if (!in) return Error{ErrorKind::not_found, "cannot read " + jsonl.string()};
  JobResult result;
  std::string line;
  std::size_t number = 0;
  while (std::getline(in, line)) {
    ++number;
    try {
      const Result<Json> json = parse_json(line);
      if (!json) return damaged(jsonl, number, json.error().message);
      if (number == 1) {
        read_header(*json, result);
      } else {
        result.rounds.push_back(read_round(*json));
      }
    } catch (const std::exception& e) {
      return damaged(jsonl, number, e.what());
    }
  }
  if (static_cast<std::int64_t>(result.rounds.size()) != result.job.rounds || number == 0) {
    return damaged(jsonl, number,
                   "the file ends after " + std::to_string(result.rounds.size()) + " of " +
                       std::to_string(result.job.rounds) + " rounds");
  }
  return result;
}

Result<std::vector<Observation>> read_observations(const fs::path& csv) {
  std::ifstream in(csv);
  if (!in) return Error{ErrorKind::not_found, "cannot read " + csv.string()};
  std::vector<Observation> observations;
  std::string line;
  std::size_t number = 1;
  if (!std::getline(in, line) || !line.starts_with("round,value")) {
    return damaged(csv, number, "expected a first line that starts with round,value");
  }
  while (std::getline(in, line)) {
    ++number;
    Observation o;
    const char* const end = line.data() + line.size();
    const auto round = from_chars(line.data(), end, o.round);
    if (round.ec != std::errc{} || round.ptr == end || *round.ptr != ',') {
      return damaged(csv, number, "expected round,value, found " + line);
    }
    const char* const text = round.ptr + 1;
    if (text != end && *text != ',') {
      const auto value = from_chars(text, end, o.value);
      if (value.ec != std::errc{}) return damaged(csv, number, "expected a number, found " + line);
    }
    observations.push_back(std::move(o));
  }
  return observations;
}

Result<std::vector<fs::path>> result_files(const fs::path& directory) {
  std::error_code error;
  if (!fs::is_directory(directory, error)) {
    return Error{ErrorKind::not_found, directory.string() + " is not a directory of results"};
  }
  std::vector<fs::path> paths;
  for (const auto& entry : fs::recursive_directory_iterator(directory, error)) {
    if (entry.path().extension() == ".jsonl") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  if (paths.empty()) {
    return Error{ErrorKind::not_found, directory.string() + " holds no results (*.jsonl)"};
  }
  return paths;
}

}  // namespace vbo::bench
