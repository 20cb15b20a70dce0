// SPDX-License-Identifier: MIT
// A study as files that other programs read. Each writes to a new place: what exists already is an
// Error::conflict, and nothing is changed.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "vbo/error.hpp"
#include "vbo/storage.hpp"
#include "vbo/trial.hpp"

namespace vbo::cli {

// An experiment of MLflow's file store (MLFLOW_TRACKING_URI=DIR), with a run per ended trial.
// Trials of a second study go beside it, under its name.
Result<void> export_mlflow(const StudyRecord& record, std::span<const Trial> trials,
                           const std::filesystem::path& folder);

// Event files for `tensorboard --logdir DIR`: values, best value and metrics over the ids of
// trials, and for every ended trial a run with its parameters, for the HParams page.
Result<void> export_tensorboard(const StudyRecord& record, std::span<const Trial> trials,
                                const std::filesystem::path& folder);

// Bytes into a file that does not exist yet, and the folders it needs.
Result<void> write_new_file(const std::filesystem::path& path, const std::string& bytes);

// A name of a file or tag: letters, digits and "_-. /"; others become "_".
std::string plain_name(const std::string& name, bool slashes = false);

}  // namespace vbo::cli
