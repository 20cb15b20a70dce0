// SPDX-License-Identifier: MIT
// Writes a study as an SQLite file of Optuna (RDBStorage), which Optuna 3.2 and later and
// optuna-dashboard read. What is kept, and how, is as in vbo.to_optuna() of the Python package.
#pragma once

#include <span>
#include <string>

#include "vbo/error.hpp"
#include "vbo/storage.hpp"
#include "vbo/trial.hpp"

namespace vbo {

// A file that exists already is an Error::conflict.
Result<void> write_optuna(const StudyRecord& record, std::span<const Trial> trials,
                          const std::string& path);

}  // namespace vbo
