// SPDX-License-Identifier: MIT
// The tables in a PostgreSQL database: all in the schema "vbo", for any number of studies. They are
// those of the SQLite file (src/storage/FORMAT.md) with a study's number in front.
#pragma once

#include "storage/postgres/connection.hpp"

namespace vbo::postgres {

// Makes the tables, or brings older ones up to date; refuses newer ones.
void bring_up_to_date(Connection& connection);
// Throws unsupported for tables of an older version, which readers leave as they are.
void require_up_to_date(Connection& connection);

}  // namespace vbo::postgres
