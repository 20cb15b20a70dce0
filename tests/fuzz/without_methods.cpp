// SPDX-License-Identifier: MIT
// The methods' own checks of their options, left out of fuzzers: they would bring all methods
// along, and every option is tried at its bounds in tests/optim/conformance_options_test.cpp.
#include "vbo/optimizer.hpp"

namespace vbo {

Result<void> check_optimizer(const Space&, const OptimizerOptions&) { return {}; }

}  // namespace vbo
