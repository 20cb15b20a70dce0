// SPDX-License-Identifier: MIT
// A whole study from one storage into another: definition, trials, reports, snapshot, with the ids
// and events they have, so that the copy resumes exactly where the original stands.
#pragma once

#include "vbo/storage.hpp"

namespace vbo {

// REQUIRES: `to` holds no study; one that does is an Error and stays as it is. A copy that fails
// half-way leaves a part in `to`.
Result<void> copy_study(Storage& from, Storage& to);

}  // namespace vbo
