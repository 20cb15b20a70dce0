// SPDX-License-Identifier: MIT
// Opens a study file. Looks before it touches: whatever is not an intact study of a known schema is
// reported and left as it is.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "vbo/storage.hpp"

namespace vbo {

// Coordinate: takes the lock, creates the file when it is absent or empty. Whoever may write brings
// an older schema up to date. Read: works beside writers, leaves no files behind, and works on
// read-only file systems when no writer left a log behind. Error kinds as open_storage().
Result<std::unique_ptr<Storage>> open_sqlite(const std::string& path, Access access,
                                             double wait_seconds);

// "NFS" and the like for a type of statfs(2) that is not a place for an SQLite file; "" otherwise.
std::string_view network_file_system(std::int64_t type);

}  // namespace vbo
