// SPDX-License-Identifier: MIT
// Bytes of an optimizer's snapshot: numbers and arrays of numbers one after the other, in the
// machine's own order and width, exact to the bit. A reader that runs out of bytes, or meets a
// length larger than what is left, turns !ok() and returns zeros from then on, so a damaged
// snapshot is one check at the end and never an allocation of somebody else's size.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "numerics/linalg.hpp"

namespace vbo {

class StateWriter {
 public:
  template <class T>
  requires std::is_arithmetic_v<T> StateWriter& put(T value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  StateWriter& put(ConstMatrixRef m) {  // rows, columns, entries column by column
    put<std::int64_t>(m.rows()).put<std::int64_t>(m.cols());
    for (Eigen::Index j = 0; j < m.cols(); ++j) {
      for (Eigen::Index i = 0; i < m.rows(); ++i) put(m(i, j));
    }
    return *this;
  }

  // Length, then the numbers as they are.
  template <class T>
  requires std::is_arithmetic_v<T> StateWriter& put_array(std::span<const T> values) {
    put<std::int64_t>(static_cast<std::int64_t>(values.size()));
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    return *this;
  }

  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class StateReader {
 public:
  explicit StateReader(std::string_view bytes) : rest_(bytes) {}

  template <class T>
  requires std::is_arithmetic_v<T> T get() {
    T value{};
    if (rest_.size() < sizeof value) {
      ok_ = false;
      return value;
    }
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
    return value;
  }
  Matrix get_matrix() {
    const auto rows = get<std::int64_t>(), cols = get<std::int64_t>();
    const auto left = static_cast<std::int64_t>(rest_.size() / sizeof(double));
    if (!ok_ || rows < 0 || cols < 0 || (cols > 0 && rows > left / cols)) {
      ok_ = false;
      return {};
    }
    Matrix m(rows, cols);
    for (double& entry : m.reshaped()) entry = get<double>();
    return m;
  }
  Vector get_vector() {
    const Matrix m = get_matrix();
    if (m.cols() != 1) ok_ = false;
    return ok_ ? Vector(m.col(0)) : Vector();
  }

  // Fills `values`; a stored length other than theirs is damage.
  template <class T>
  requires std::is_arithmetic_v<T>
  void get_array(std::span<T> values) {
    const auto length = get<std::int64_t>();
    if (!ok_ || length != static_cast<std::int64_t>(values.size()) ||
        rest_.size() < values.size_bytes()) {
      ok_ = false;
      return;
    }
    std::memcpy(values.data(), rest_.data(), values.size_bytes());
    rest_.remove_prefix(values.size_bytes());
  }

  void fail() { ok_ = false; }  // what was read makes no sense to its owner
  bool ok() const { return ok_; }
  bool complete() const { return ok_ && rest_.empty(); }  // everything read, nothing left over

 private:
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace vbo
