// SPDX-License-Identifier: MIT
// Opens a study in a PostgreSQL database; see url.hpp for the form of the URL.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "vbo/storage.hpp"

namespace vbo {

// Coordinate: makes the tables and the study's row, and takes the lead unless somebody has it.
Result<std::unique_ptr<Storage>> open_postgres(const std::string& url, Access access,
                                               double wait_seconds);

// URLs of the studies in a database, by name; `database` is a URL without "study=".
Result<std::vector<std::string>> list_postgres(const std::string& database);

}  // namespace vbo
