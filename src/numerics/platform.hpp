// SPDX-License-Identifier: MIT
// What stored bytes assume of the machine: snapshots have numbers in its own order and width.
// Included where such bytes are read or written, so that another machine is refused there.
#pragma once

#include <bit>
#include <cstddef>
#include <limits>

static_assert(std::endian::native == std::endian::little,
              "vbo stores numbers with the lowest byte first; big-endian machines are unsupported");
static_assert(sizeof(std::size_t) == 8 && sizeof(std::ptrdiff_t) == 8,
              "vbo stores sizes in 64 bits; 32-bit machines are unsupported");
static_assert(std::numeric_limits<double>::is_iec559 && std::numeric_limits<float>::is_iec559,
              "vbo stores numbers in the formats of IEEE 754; other ones are unsupported");
