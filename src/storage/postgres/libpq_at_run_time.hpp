// SPDX-License-Identifier: MIT
// Whether libpq is on this machine, for builds that look for it only when a study is in PostgreSQL.
#pragma once

namespace vbo {

bool libpq_is_here();

}  // namespace vbo
