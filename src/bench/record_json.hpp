// SPDX-License-Identifier: MIT
// The lines of a result file as JSON.
#pragma once

#include "bench/record.hpp"
#include "core/json.hpp"

namespace vbo::bench {

Json header_json(const JobResult& result);
Json round_json(const Job& job, const RoundRecord& record);

// Throw what nlohmann::json throws, or std::runtime_error, when the line is not what it should be.
void read_header(const Json& json, JobResult& result);
RoundRecord read_round(const Json& json);

}  // namespace vbo::bench
