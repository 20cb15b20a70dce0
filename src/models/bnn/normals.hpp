// SPDX-License-Identifier: MIT
// Many standard normal numbers at once, several times faster than Rng::normal() one by one: each
// 64-bit word of the stream gives two uniforms of 32 bits and, by Box and Muller, two normals in
// single precision. Tails end at 6.7 standard deviations, beyond which lies 3e-11 of the mass. For
// the noise of samplers, where millions are needed; the stream is Rng's, so equal seeds give equal
// numbers.
#pragma once

#include "numerics/linalg.hpp"
#include "vbo/random.hpp"

namespace vbo {

void fill_normals(Rng& rng, VectorRef out);

}  // namespace vbo
