// SPDX-License-Identifier: MIT
// What a study would recommend where there is no sign of noise.
#pragma once

#include <optional>

#include "vbo/storage.hpp"

namespace vbo {

// The best result of a study with one objective: the best feasible one; the least violating where
// none is feasible; the lowest id among equals. nullopt when nothing has a value.
Result<std::optional<Trial>> best_result(Storage& storage, const StudyRecord& record);

}  // namespace vbo
