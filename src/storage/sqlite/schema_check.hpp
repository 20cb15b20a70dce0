// SPDX-License-Identifier: MIT
// What a study file from elsewhere may make SQLite do: a file has the tables and indexes that our
// migrations make, written as they are there, and nothing else. No view, no trigger, no computed
// column that is not ours.
#pragma once

#include <string>

#include "storage/sqlite/schema.hpp"

namespace vbo::sqlite {

// Throws damaged, naming what is there or missing. REQUIRES: a schema version that this build
// knows.
void require_own_schema(Database& database, const std::string& path);

}  // namespace vbo::sqlite
