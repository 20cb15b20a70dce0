// SPDX-License-Identifier: MIT
// Bytes of an optimizer's snapshot: numbers and arrays of numbers one after the other, in the
// machine's own order and width, exact to the bit. The bytes may come from a stranger whose
// checksum fits, so a reader states what each value may be: there is no way to read one unchecked.
// Whatever lies outside, and a length larger than what is left, turns the reader !ok(); from then
// on it returns values that are allowed. A damaged snapshot is one check at the end, never an
// allocation of somebody else's size, an index out of range or a number that is none.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "numerics/linalg.hpp"
#include "numerics/platform.hpp"

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
  static constexpr std::int64_t kMostCount = std::int64_t{1} << 53;
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  explicit StateReader(std::string_view bytes) : rest_(bytes) {}

  bool expect(std::uint32_t format) {
    if (get<std::uint32_t>() != format) fail();
    return ok_;
  }
  bool get_flag() { return checked<std::uint8_t>(0, 1) != 0; }
  // An integer of [low, high].
  std::int64_t get_count(std::int64_t high = kMostCount, std::int64_t low = 0) {
    return checked<std::int64_t>(low, high);
  }
  std::int32_t get_small(std::int32_t low, std::int32_t high) {
    return checked<std::int32_t>(low, high);
  }
  // A number of [low, high]; one that is none is outside.
  double get_number(double low, double high) { return checked<double>(low, high); }
  double get_any_number() { return get_number(-kInfinity, kInfinity); }
  // A result as methods compare them: finite, or -infinity for a failure.
  double get_outcome() { return get_number(-kInfinity, std::numeric_limits<double>::max()); }

  // (rows,cols), entries of [-most, most].
  Matrix get_matrix(Eigen::Index rows, Eigen::Index cols, double most) {
    const auto r = get<std::int64_t>(), c = get<std::int64_t>();
    if (r != rows || c != cols) fail();
    return entries(rows, cols, most);
  }
  // (rows,n) with n <= cols; an empty one may be of any shape.
  Matrix get_columns(Eigen::Index rows, Eigen::Index cols, double most) {
    const auto r = get<std::int64_t>(), c = get<std::int64_t>();
    if (r == 0 || c == 0) return Matrix(rows, 0);
    if (r != rows || c < 0 || c > cols) fail();
    return entries(rows, ok_ ? c : 0, most);
  }
  Vector get_vector(Eigen::Index size, double most) { return get_matrix(size, 1, most).reshaped(); }
  // Of any size: who takes it says whether it fits.
  Vector get_numbers(double most) {
    const auto size = get<std::int64_t>();
    if (get<std::int64_t>() != 1) fail();
    return entries(size, 1, most).reshaped();
  }

  // Fills `values`; a stored length other than theirs is damage.
  void get_bytes(std::span<char> values) { fill(values); }
  template <class T>
  requires std::is_floating_point_v<T>
  void get_array(std::span<T> values, double low, double high) {
    fill(values);
    for (const T value : values) {
      if (!(value >= low && value <= high)) fail();
    }
  }
  std::string get_text(std::int64_t longest) {  // printable ASCII
    std::string text(static_cast<std::size_t>(get_length(longest, 1)), ' ');
    for (char& c : text) c = checked<char>(' ', '~');
    return text;
  }
  // How many entries follow, of at least `bytes_each`: not more than there is room for.
  std::int64_t get_length(std::int64_t most, std::size_t bytes_each) {
    const auto room = static_cast<std::int64_t>(rest_.size() / bytes_each);
    const auto length = get<std::int64_t>();
    if (length < 0 || length > most || length > room) fail();
    return ok_ ? length : 0;
  }

  void fail() { ok_ = false; }  // what was read makes no sense to its owner
  bool ok() const { return ok_; }
  bool complete() const { return ok_ && rest_.empty(); }  // everything read, nothing left over

 private:
  template <class T>
  T get() {
    T value{};
    if (!ok_ || rest_.size() < sizeof value) {
      ok_ = false;
      return value;
    }
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
    return value;
  }
  template <class T>
  T checked(T low, T high) {
    const T value = get<T>();
    if (!(value >= low && value <= high)) fail();
    return ok_ ? value : low;
  }
  // REQUIRES: sizes that the caller has checked, or !ok().
  Matrix entries(Eigen::Index rows, Eigen::Index cols, double most) {
    const auto left = static_cast<Eigen::Index>(rest_.size() / sizeof(double));
    if (rows < 0 || cols < 0 || (cols > 0 && rows > left / cols)) fail();
    if (!ok_) return Matrix::Zero(0, 0);
    Matrix m(rows, cols);
    for (double& entry : m.reshaped()) entry = get_number(-most, most);
    return m;
  }
  template <class T>
  void fill(std::span<T> values) {
    const auto length = get<std::int64_t>();
    if (length != static_cast<std::int64_t>(values.size()) || rest_.size() < values.size_bytes()) {
      fail();
    }
    if (!ok_) return;
    std::memcpy(values.data(), rest_.data(), values.size_bytes());
    rest_.remove_prefix(values.size_bytes());
  }

  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace vbo
