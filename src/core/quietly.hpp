// SPDX-License-Identifier: MIT
// For destructors, which nothing may leave: what cannot be done while memory is short or a server
// is away is left undone. Only for work that is harmless to leave, or whose caller looks at the
// answer.
#pragma once

#include <utility>

namespace vbo {

// Whether `work` came to its end.
template <class Work>
bool quietly(Work&& work) noexcept {
  try {
    std::forward<Work>(work)();
    return true;
  } catch (...) {
    return false;
  }
}

}  // namespace vbo
