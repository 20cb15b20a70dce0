// SPDX-License-Identifier: MIT
// Sets of points compared by domination. Points Y (M,n) are minimized in every coordinate and
// finite; a dominates b when it is nowhere larger and somewhere smaller.
#pragma once

#include <vector>

#include "numerics/linalg.hpp"

namespace vbo {

bool dominates(ConstVectorRef a, ConstVectorRef b);

// The points that none dominates, in their order. Of equal points all stay.
std::vector<Eigen::Index> non_dominated(ConstMatrixRef Y);

// 0 for the points that none dominates, k for those that only points of ranks below k dominate.
std::vector<int> non_domination_ranks(ConstMatrixRef Y);

// The volume of { z : y <= z <= reference for some y in Y }, exact. Points that are not below the
// reference (M) in every coordinate add nothing. O(n log n) for up to three objectives; beyond, the
// time grows with a power of n that rises with M.
double hypervolume(ConstMatrixRef Y, ConstVectorRef reference);

// What each point adds to the hypervolume of the others: hypervolume(Y) - hypervolume(Y without i).
Vector hypervolume_contributions(ConstMatrixRef Y, ConstVectorRef reference);

}  // namespace vbo
