// SPDX-License-Identifier: MIT
// Figures from raw results: curves per task with the median and the quartiles over seeds, overviews
// of all tasks, sensitivity to the batch size and to any swept option. All recomputed, none typed.
#pragma once

#include <string>
#include <vector>

#include "bench/chart.hpp"
#include "bench/record.hpp"

namespace vbo::bench {

struct NamedFigure {
  std::string name;  // file name without extension
  Figure figure;
};

// For each task and batch size NAME-best and NAME-reward; overview-best and overview-reward when
// there are several; batch-reward and batch-best when batch sizes vary within a task;
// OPTION-reward and OPTION-best for each numeric option that varies within a method.
std::vector<NamedFigure> figures_of(const std::vector<JobResult>& jobs);

}  // namespace vbo::bench
