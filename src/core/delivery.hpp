// SPDX-License-Identifier: MIT
// Results of points nobody suggested, on their way to whoever coordinates the study: the text that
// Storage::bring() takes, {"once": true, "results": [{"params", "values"|"error", ...}, ...]}.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "vbo/study.hpp"

namespace vbo {

struct Delivery {
  std::vector<Evaluated> results;
  bool once = false;  // leave out what is stored already
};

std::string delivery_text(const Space& space, const Delivery& delivery);
Result<Delivery> delivery_from(const Space& space, std::string_view text);

// Without those that are stored already: the same point with the same outcome, as often as it is.
std::vector<Evaluated> without_known(std::vector<Evaluated> results,
                                     const std::vector<Trial>& stored);

}  // namespace vbo
