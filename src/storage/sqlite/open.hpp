// SPDX-License-Identifier: MIT
// Opens a study file. Looks before it touches: whatever is not an intact study of a known schema is
// reported and left as it is.
#pragma once

#include <memory>
#include <string>

#include "vbo/storage.hpp"

namespace vbo {

// Write: takes the writer's lock, creates the file when it is absent or empty, and brings an older
// schema up to date. Read: works beside a writer, and on read-only file systems when no writer left
// a log behind. Error kinds as open_storage().
Result<std::unique_ptr<Storage>> open_sqlite(const std::string& path, Access access);

}  // namespace vbo
