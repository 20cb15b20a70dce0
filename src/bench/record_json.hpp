// SPDX-License-Identifier: MIT
// The lines of a result file as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "bench/record.hpp"

namespace vbo::bench {

using Json = nlohmann::ordered_json;

Json header_json(const JobResult& result);
Json round_json(const Job& job, const RoundRecord& record);

// Throw what nlohmann::json throws, or std::runtime_error, when the line is not what it should be.
void read_header(const Json& json, JobResult& result);
RoundRecord read_round(const Json& json);

}  // namespace vbo::bench
