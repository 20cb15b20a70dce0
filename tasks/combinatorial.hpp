// SPDX-License-Identifier: MIT
// Test problems without a continuous landscape: purely categorical ones (labs, ising) and two that
// mix reals with categories (mixed, switches). All minimized, all with a known optimum.
#pragma once

#include "tasks/basic_task.hpp"

namespace vbo::tasks {

// A spin of labs and ising: the category "+1" or "-1".
int spin(const Value& value);

// Low-autocorrelation binary sequences, s in {-1,+1}^dim:
//   E(s) = sum_{k=1}^{dim-1} (sum_i s_i s_{i+k})^2
std::unique_ptr<BasicTask> make_labs(TaskOptions& options);

// A planar spin glass on a size x size torus, s in {-1,+1}^(size^2): E(s) = -sum_{bonds} J_ij s_i
// s_j. The ground state is planted, tile by tile, so it is known exactly.
std::unique_ptr<BasicTask> make_ising(TaskOptions& options);

// `groups` triples of a real x_g, an integer n_g and a category c_g that decides where the best x_g
// and n_g lie. With e_g = x_g - t_g(c_g):
//   f = sum_g [price_g(c_g) + e_g^2 + 1 - cos(2 pi e_g) + (n_g - m_g(c_g))^2/10] + (sum_g e_g)^2/10
// price is 0 for one category of each group and at least 1/2 for the others.
std::unique_ptr<BasicTask> make_mixed(TaskOptions& options);

// `binary` switches with a right position each and `floats` reals. With w_i = 1 where switch i is
// wrong, and real j moved by the wrong ones among i = j, j + floats, ...:
//   f = sum_i w_i weight_i + sum_{i>1} |w_i - w_{i-1}| pair_i + sum_j (x_j - t_j - shift_j(w))^2
std::unique_ptr<BasicTask> make_switches(TaskOptions& options);

}  // namespace vbo::tasks
