// SPDX-License-Identifier: MIT
// For targets that read a file: a folder of their own, in memory where possible, and changes of
// bytes as an input tells them.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "fuzz/fuzz.hpp"

namespace vbo::fuzz {

class Folder {
 public:
  Folder() {
    const bool memory = access("/dev/shm", W_OK) == 0;
    path_ = std::string(memory ? "/dev/shm" : "/tmp") + "/vbo-fuzz-XXXXXX";
    REQUIRE_THAT(mkdtemp(path_.data()) != nullptr);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Gone when the program ends.
inline const std::string& folder() {
  static const Folder folder;
  return folder.path();
}

inline std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {(std::istreambuf_iterator<char>(in)), {}};
}

// `bytes` after a list of changes: three bytes of offset, how many bytes, the bytes. Some lists
// also cut the end.
inline std::string changed(std::string bytes, const std::uint8_t* data, std::size_t size) {
  for (std::size_t at = 0; at + 4 < size;) {
    const std::size_t offset =
        (std::size_t{data[at]} << 16U | std::size_t{data[at + 1]} << 8U | data[at + 2]) %
        bytes.size();
    const std::size_t length = std::min<std::size_t>(data[at + 3] % 32 + 1, size - at - 4);
    for (std::size_t i = 0; i < length && offset + i < bytes.size(); ++i) {
      bytes[offset + i] = static_cast<char>(data[at + 4 + i]);
    }
    at += 4 + length;
  }
  if (size % 5 == 4) bytes.resize(bytes.size() - data[size - 1] * 16U);
  return bytes;
}

}  // namespace vbo::fuzz
