// SPDX-License-Identifier: MIT
// The messages all storages share.
#pragma once

#include <string>

#include "vbo/error.hpp"
#include "vbo/trial.hpp"

namespace vbo::storage_error {

inline Error no_trial(TrialId id) {
  return {ErrorKind::not_found, "there is no trial " + std::to_string(id)};
}
inline Error already_ended(TrialId id) {
  return {ErrorKind::conflict, "trial " + std::to_string(id) + " has already ended"};
}
inline Error id_used(TrialId id) {
  return {ErrorKind::conflict, "trial " + std::to_string(id) + " is already stored"};
}
inline Error study_exists() { return {ErrorKind::conflict, "the storage already holds a study"}; }
inline Error no_study() { return {ErrorKind::not_found, "the storage holds no study yet"}; }

}  // namespace vbo::storage_error
