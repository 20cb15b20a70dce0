// SPDX-License-Identifier: MIT
// A Delivery as text, {"once": true, "results": [{"params", "values"|"error", ...}, ...]}, and
// points to evaluate first, [{"x": 0.5}, ...], as storages keep them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "vbo/trial.hpp"

namespace vbo {

std::string delivery_text(const Space& space, const Delivery& delivery);
Result<Delivery> delivery_from(const Space& space, std::string_view text);

// "" when there are none. REQUIRES: values that their parameters have.
std::string start_text(const Space& space, const std::vector<PartialPoint>& start);
Result<std::vector<PartialPoint>> start_from(const Space& space, std::string_view text);

// Without those that are stored already: the same point with the same outcome, as often as it is.
std::vector<Evaluated> without_known(std::vector<Evaluated> results,
                                     const std::vector<Trial>& stored);

}  // namespace vbo
