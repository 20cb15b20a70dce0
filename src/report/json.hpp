// SPDX-License-Identifier: MIT
// The JSON form of a report, shared by `vbo status --json`, `vbo importance --json`, the HTTP
// interface and the page. Fields are added, never renamed.
#pragma once

#include <string>

#include "core/json.hpp"
#include "vbo/report.hpp"

namespace vbo {

Json json_of(const NoiseEstimate& noise);
Json json_of(const PointEstimate& point);
Json json_of(const Improvement& step);
Json json_of(const FrontStep& step);
Json json_of(const RoundSummary& round);
Json json_of(const SourceSummary& source);
Json json_of(const FailureGroup& group);
Json json_of(const WorkerSummary& worker);
Json json_of(const Pace& pace);
Json json_of(const std::optional<Outlook>& outlook);

// {"source","acquisition","unit","terms":[{"name","value","unit","meaning"}],"sum","notes":[...]};
// acquisition, unit and sum are null where there is no score, unit and meaning where `ledger` does
// not declare them.
Json ledger_json(const Ledger& ledger, const Rationale& rationale);

// {"objectives": [...], "size", "hypervolume", "exact", "reference": {NAME: number, ...},
// "trials": [{"id", "params", "values": {NAME: number, ...}}, ...], "extremes": {NAME: id, ...},
// "knee": id or null, "trade_offs": [{"first", "second", "stops": [{"id", "first", "second",
// "buys"}, ...]}, ...]}; the last stop has no "buys".
Json front_json(const Space& space, const Front& front);

// What `vbo status --json` prints: everything but the single trials. `url` is where the study was
// read from.
Json status_json(const StudyReport& report, const std::string& url);

// [{"parameter","nats","low","high","together":[{"with","nats","low","high"}, ...]}, ...]
Json json_of(const Importance& importance);
// The same of every objective, one after the other; with several each entry names its "objective".
// As many as there are objectives.
Json importances_json(const std::vector<Objective>& objectives,
                      const std::vector<Importance>& importances);

}  // namespace vbo
