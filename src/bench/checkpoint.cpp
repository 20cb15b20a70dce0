// SPDX-License-Identifier: MIT
#include "bench/checkpoint.hpp"

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "bench/record_json.hpp"

namespace vbo::bench {
namespace {

Json trial_json(const Trial& trial) {
  Json point = Json::array();
  for (const Value& value : trial.point) {
    std::visit([&](const auto& v) { point.push_back(v); }, value);
  }
  return {{"id", trial.id},
          {"value", trial.value ? Json(*trial.value) : Json()},
          {"asked_in", trial.asked_in},
          {"told_in", trial.told_in},
          {"point", std::move(point)}};
}

Trial trial_from(const Json& json) {
  Trial trial{.id = json.at("id").get<TrialId>(), .point = {}};
  for (const Json& value : json.at("point")) {
    if (value.is_string()) {
      trial.point.emplace_back(value.get<std::string>());
    } else if (value.is_number_integer()) {
      trial.point.emplace_back(value.get<std::int64_t>());
    } else {
      trial.point.emplace_back(value.get<double>());
    }
  }
  json.at("asked_in").get_to(trial.asked_in);
  json.at("told_in").get_to(trial.told_in);
  trial.attempts = 1;
  if (json.at("value").is_null()) {
    trial.state = TrialState::failed;
    trial.failure = Failure{FailureCause::non_finite, "the task returned a non-finite value"};
  } else {
    trial.state = TrialState::completed;
    trial.value = json["value"].get<double>();
  }
  return trial;
}

}  // namespace

Result<void> write_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint) {
  JobResult header{.job = checkpoint.job, .origin = checkpoint.origin};
  Json json = {
      {"header", header_json(header)},
      {"rounds", Json::array()},
      {"trials", Json::array()},
      {"next_id", checkpoint.next_id},
      {"snapshot", Json::binary({checkpoint.snapshot.begin(), checkpoint.snapshot.end()})}};
  for (const RoundRecord& r : checkpoint.rounds) {
    json["rounds"].push_back(round_json(checkpoint.job, r));
  }
  for (const Trial& trial : checkpoint.trials) json["trials"].push_back(trial_json(trial));
  const std::vector<std::uint8_t> bytes = Json::to_cbor(json);
  return write_file(path, std::string(bytes.begin(), bytes.end()));
}

std::optional<Checkpoint> read_checkpoint(const std::filesystem::path& path, const Job& job) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  try {
    const Json json = Json::from_cbor(in);
    JobResult header;
    read_header(json.at("header"), header);
    if (header.job != job || header.origin != this_origin()) return std::nullopt;
    Checkpoint checkpoint{.job = header.job, .origin = header.origin};
    for (const Json& round : json.at("rounds")) checkpoint.rounds.push_back(read_round(round));
    for (const Json& trial : json.at("trials")) checkpoint.trials.push_back(trial_from(trial));
    json.at("next_id").get_to(checkpoint.next_id);
    const auto& bytes = json.at("snapshot").get_binary();
    checkpoint.snapshot.assign(bytes.begin(), bytes.end());
    const auto told = static_cast<std::int64_t>(checkpoint.trials.size());
    if (checkpoint.rounds.empty() || checkpoint.rounds.back().evaluations != told) {
      return std::nullopt;
    }
    return checkpoint;
  } catch (const std::exception&) {
    return std::nullopt;  // damaged: the job begins again
  }
}

}  // namespace vbo::bench
