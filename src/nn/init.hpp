// SPDX-License-Identifier: MIT
// Starting values for parameters. The fill functions write one array; the init functions a whole
// network, layer by layer in the order of its flat array, so a stream of random numbers gives the
// same network in float (rounded) and double.
#pragma once

#include <span>

#include "nn/mlp.hpp"
#include "vbo/random.hpp"

namespace vbo::nn {

template <class T>
void fill_uniform(std::span<T> values, double limit, Rng& rng);  // U(-limit, limit)
template <class T>
void fill_normal(std::span<T> values, double sigma, Rng& rng);  // N(0, sigma^2)
// W (rows, cols) column-major: gain times orthonormal columns (rows >= cols) or rows, uniformly
// distributed (QR of a Gaussian matrix with the signs of R's diagonal, Mezzadri 2007).
template <class T>
void fill_orthogonal(std::span<T> W, Index rows, Index cols, double gain, Rng& rng);

// W, b ~ U(-1/sqrt(fan_in), 1/sqrt(fan_in))
template <class T>
void init_uniform_fan_in(const MlpShape& shape, std::span<T> parameters, Rng& rng);
// W ~ U(+-sqrt(6/(fan_in + fan_out))), b = 0 (Glorot and Bengio 2010)
template <class T>
void init_glorot(const MlpShape& shape, std::span<T> parameters, Rng& rng);
// W orthogonal times `gain`, b = 0
template <class T>
void init_orthogonal(const MlpShape& shape, std::span<T> parameters, double gain, Rng& rng);
// W, b ~ N(0, sigma^2)
template <class T>
void init_normal(const MlpShape& shape, std::span<T> parameters, double sigma, Rng& rng);
// W = b = 0 in the last layer only: the network starts as phi(0), whatever its input.
template <class T>
void zero_last_layer(const MlpShape& shape, std::span<T> parameters);

}  // namespace vbo::nn
