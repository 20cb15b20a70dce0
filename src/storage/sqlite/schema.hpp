// SPDX-License-Identifier: MIT
// The tables of a study file and how they change between versions; src/storage/FORMAT.md
// draws them. A file is ours when its application_id says so; user_version numbers the schema.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "storage/sqlite/database.hpp"
#include "vbo/error.hpp"

namespace vbo::sqlite {

inline constexpr std::int64_t kApplicationId = 0x76626f31;  // "vbo1"

// Statements, run in order. The first migration makes the tables of kFirstSchema, each further one
// takes a file to the next schema. Never edited once released.
using Migration = std::span<const std::string_view>;
std::span<const Migration> migrations();

inline constexpr std::int64_t kFirstSchema = 4;
std::int64_t newest_schema(std::span<const Migration> steps = migrations());

enum class FileKind { absent, empty, ours };
// Looks at the first bytes only and changes nothing. Error damaged: some other kind of file.
Result<FileKind> inspect_file(const std::string& path);

// Makes a new study file, complete and on the disk before it appears under its name.
// REQUIRES: the writer's lock; the file is absent or empty.
void create_file(const std::string& path);

// Throws damaged for a schema this build does not know or that has been changed (schema_check.hpp)
// and, when `exactly`, unsupported for an older one, which only a writer can bring up to date.
void require_known_schema(Database& database, const std::string& path, bool exactly);

// Throws damaged when SQLite finds the file's structure broken, or an index that does not agree
// with its table.
void require_intact(Database& database, const std::string& path);

// Brings an older file up to the newest schema, one transaction per step.
void migrate(Database& database, std::span<const Migration> steps);

}  // namespace vbo::sqlite
