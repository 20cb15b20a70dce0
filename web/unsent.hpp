// SPDX-License-Identifier: MIT
// Bytes of the answers that are being sent. A text that several connections send is counted once.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>

namespace vbo::web {

class UnsentBytes {
 public:
  using Text = std::shared_ptr<const std::string>;

  void add(const Text& text) {
    if (users_[text.get()]++ == 0) total_ += text->size();
  }
  // REQUIRES: added before, and alive still.
  void remove(const Text& text) {
    const auto it = users_.find(text.get());
    if (--it->second > 0) return;
    users_.erase(it);
    total_ -= text->size();
  }
  std::size_t total() const { return total_; }

 private:
  std::map<const std::string*, int> users_;
  std::size_t total_ = 0;
};

}  // namespace vbo::web
