// SPDX-License-Identifier: MIT
// Problems with several objectives, all minimized, over the unit cube, for benchmarks: ZDT
// (Zitzler, Deb, Thiele 2000), DTLZ (Deb et al. 2002), C-DTLZ (Jain and Deb 2014), WFG (Huband et
// al. 2006) and RE (Tanabe and Ishibuchi 2020).
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace vbo::bench {

using Numbers = std::vector<double>;

struct MultiObjectiveProblem {
  std::string name;
  std::size_t inputs = 0;
  Numbers ideal, nadir;      // of the front
  double hypervolume = 1.0;  // of the front, in units of nadir - ideal, below nadir + 10%
  // Values, and at the end how far constraints are violated where `constrained`.
  std::function<Numbers(const Numbers& u)> evaluate;
  bool constrained = false;

  std::size_t objectives() const { return ideal.size(); }
};

std::vector<MultiObjectiveProblem> multi_objective_problems();

}  // namespace vbo::bench
