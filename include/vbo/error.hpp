// SPDX-License-Identifier: MIT
// How vbo reports what went wrong: a Result carries either a value or an Error that names what was
// found and what would be right. Bad input and a misbehaving world (files, processes, servers) are
// Results; a broken invariant of vbo itself is an assertion. The library never prints or exits.
// Stability: a minor version of 0.x may change it.
// Threads: plain values.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

namespace vbo {

enum class ErrorKind {
  invalid_input,  // the caller's data is wrong: study file, space, option, value
  not_found,      // no such trial, study, method, file
  conflict,       // contradicts what is stored: told twice, other bounds than before
  busy,           // somebody else is writing
  damaged,        // the stored data is not ours or not intact
  io,             // disk full, read-only, connection lost
  unsupported,    // this build or method cannot do it
};

struct Error {
  ErrorKind kind = ErrorKind::invalid_input;
  std::string message;  // one or more full sentences for a person; no trailing newline
  std::string field;    // what it concerns, e.g. "parameter.x1.low" or "beta"; "" = no one field
  int line = 0;         // of the text it was found in, counted from 1; 0 = unknown
};

// Thrown only by Result::value() on an error, for callers who prefer exceptions.
class BadResult : public std::runtime_error {
 public:
  explicit BadResult(Error error) : std::runtime_error(error.message), error_(std::move(error)) {}
  const Error& error() const { return error_; }

 private:
  Error error_;
};

// A value or an Error, in the manner of std::expected<T, Error> of C++23.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& value() & { return check(), std::get<0>(state_); }
  const T& value() const& { return check(), std::get<0>(state_); }
  // By value, so that `for (auto& x : f().value())` does not outlive what it walks over.
  T value() && { return check(), std::get<0>(std::move(state_)); }

  // REQUIRES: has_value().
  T& operator*() & { return std::get<0>(state_); }
  const T& operator*() const& { return std::get<0>(state_); }
  T operator*() && { return std::get<0>(std::move(state_)); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }

  // REQUIRES: !has_value().
  const Error& error() const { return std::get<1>(state_); }

 private:
  void check() const {
    if (!has_value()) throw BadResult(std::get<1>(state_));
  }
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  bool has_value() const { return !error_.has_value(); }
  explicit operator bool() const { return has_value(); }
  void value() const {
    if (error_) throw BadResult(*error_);
  }
  const Error& error() const { return *error_; }

 private:
  std::optional<Error> error_;
};

}  // namespace vbo
