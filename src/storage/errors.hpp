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
inline Error already_ended(const Trial& stored) {
  return {ErrorKind::conflict,
          "trial " + std::to_string(stored.id) +
              " has already ended: " + std::string(to_string(stored.state)) + ", " +
              (!stored.values.empty() ? "value " + to_string(Value(stored.values.front()))
                                      : stored.failure.value_or(Failure{}).message)};
}
inline Error not_waiting(const Trial& stored) {
  const std::string who = "trial " + std::to_string(stored.id);
  if (stored.state == TrialState::running) {
    return {ErrorKind::conflict, who + " is being evaluated by \"" + stored.worker +
                                     "\", expected a suggestion that waits"};
  }
  return {ErrorKind::conflict, who + " has already ended (" + std::string(to_string(stored.state)) +
                                   "), expected a suggestion that waits"};
}
inline Error is_retry(TrialId id) {
  return {ErrorKind::conflict, "trial " + std::to_string(id) +
                                   " waits to be evaluated again after a failure, and cannot be "
                                   "taken back; tell that it failed instead"};
}
inline Error not_failed(const Trial& stored) {
  return {ErrorKind::conflict, "trial " + std::to_string(stored.id) + " is " +
                                   std::string(to_string(stored.state)) +
                                   ", expected one that has failed"};
}
inline Error still_open(const Trial& stored) {
  return {ErrorKind::conflict, "trial " + std::to_string(stored.id) + " is " +
                                   std::string(to_string(stored.state)) +
                                   ": it has no result yet that could be replaced"};
}
inline Error no_revision(std::int64_t id) {
  return {ErrorKind::not_found, "there is no revision " + std::to_string(id)};
}
inline Error not_ended(TrialId id) {
  return {ErrorKind::conflict,
          "trial " + std::to_string(id) + " has not ended, was told before, or was revised"};
}
inline Error id_used(TrialId id) {
  return {ErrorKind::conflict, "trial " + std::to_string(id) + " is already stored"};
}
inline Error study_exists() { return {ErrorKind::conflict, "the storage already holds a study"}; }
inline Error no_study() { return {ErrorKind::not_found, "the storage holds no study yet"}; }
inline Error no_request(std::int64_t id) {
  return {ErrorKind::not_found, "there is no request " + std::to_string(id)};
}
inline Error not_coordinating() {
  return {ErrorKind::conflict, "only the coordinator of a study may do this"};
}
inline Failure lost_too_often(int losses) {
  return {FailureCause::lost, "its worker was lost " + std::to_string(losses) + " times"};
}

}  // namespace vbo::storage_error
