// SPDX-License-Identifier: MIT
// A study whose method is watched: what every ask and tell of the method cost, without the storage
// and the evaluation around them. The costs travel inside the method's snapshots, so a study that
// is stopped and resumed knows them all; what is replayed is measured again.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "vbo/study.hpp"

namespace vbo::bench {

struct CallCost {
  double seconds = 0.0;
  std::uint64_t flops = 0;
};

using Meter = std::vector<CallCost>;  // one entry per ask or tell, in their order

struct MeteredStudy {
  Study study;
  std::shared_ptr<const Meter> meter;
};

// As Study::open. Without a storage among the parts it is played in memory.
Result<MeteredStudy> open_metered(StudyOptions options, StudyParts parts = {});

}  // namespace vbo::bench
