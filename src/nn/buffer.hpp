// SPDX-License-Identifier: MIT
// Memory for kernels: grows, never shrinks, aligned to a cache line, contents undefined after
// growing. A training step that asks for no more than before allocates nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace vbo::nn {

template <class T>
class Buffer {
 public:
  // At least `count` elements.
  T* reserve(std::int64_t count) {
    if (count > capacity_) {
      const auto bytes = static_cast<std::size_t>(count) * sizeof(T);
      data_.reset(static_cast<T*>(::operator new (bytes, std::align_val_t{kAlignment})));
      capacity_ = count;
    }
    return data_.get();
  }
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }

 private:
  static constexpr std::size_t kAlignment = 64;
  struct Free {
    void operator()(T* p) const { ::operator delete (p, std::align_val_t{kAlignment}); }
  };
  std::unique_ptr<T, Free> data_;
  std::int64_t capacity_ = 0;
};

}  // namespace vbo::nn
