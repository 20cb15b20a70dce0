// SPDX-License-Identifier: MIT
// Problems with measured limits to develop methods on: objectives of several kinds whose optimum
// lies where one or many bent planes meet (5 to 20 parameters, 1 to 60 limits), inequality problems
// of the CEC 2006 collection (Liang et al.), a thin ring and islands. All are minimized.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace limited {

using Numbers = std::vector<double>;

struct Measured {
  double cost;
  Numbers excesses;  // feasible where all are <= 0
};

struct Problem {
  std::string name;
  Numbers low, high;
  double best;  // known optimum
  std::size_t limits;
  std::function<Measured(const Numbers&)> measure;
};

std::vector<Problem> problems();

}  // namespace limited
