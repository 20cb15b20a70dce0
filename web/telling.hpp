// SPDX-License-Identifier: MIT
// What a client tells over HTTP: the body of POST /api/tell.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/json.hpp"
#include "vbo/storage.hpp"

namespace vbo::web {

struct Telling {
  Outcome outcome;                     // of outcome.id, without `at`
  std::optional<Point> at;             // a point nobody suggested
  std::vector<std::string> actual;     // NAME=VALUE that were really set; the others as suggested
  std::optional<std::string> replace;  // why it takes the place of the result there is
};

// {"id": 7, "value": 1.2, "sem": 0.1, "metrics": {...}}, {"id": 7, "error": "..."}, "at": {...}
// instead of the id, "actual": {...} and "replace": "why" beside it; with several objectives
// "values": {NAME: number, ...}. An error names the field.
Result<Telling> telling_from(const std::string& body, const StudyRecord& record);

// What is wrong with a field of a body.
Error wrong_field(const std::string& field, const std::string& right);
Result<Json> object_in(const std::string& body);

}  // namespace vbo::web
