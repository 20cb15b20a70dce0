// SPDX-License-Identifier: MIT
// A study in one SQLite file, in write-ahead mode: one writer, any number of readers at the same
// time, and nothing that was committed is lost when the process is killed or the power fails.
#pragma once

#include <memory>
#include <string>

#include "vbo/storage.hpp"

namespace vbo {

Result<std::unique_ptr<Storage>> open_sqlite(const std::string& path, Access access);

}  // namespace vbo
