// SPDX-License-Identifier: MIT
// Who a process is, so that others on the same machine notice its end at once instead of waiting
// for its lease, and numbers nobody else has.
#pragma once

#include <cstdint>
#include <string>

namespace vbo {

// True only when it is certain: the process was one of this machine, since this start of it and in
// this process namespace, and is no more. A process elsewhere is never "gone".
bool process_is_gone(const std::string& process);

std::int64_t new_token();  // random, above 0
double system_seconds();   // since 1970, by this machine's clock

}  // namespace vbo
