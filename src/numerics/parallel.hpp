// SPDX-License-Identifier: MIT
// Independent pieces of work over threads. Results must not depend on which thread runs which
// piece: each writes only what belongs to its index.
#pragma once

#include <functional>

namespace vbo {

// Calls work(0) ... work(n-1), each once, on at most `threads` threads (0 = all cores); returns
// when all are done. The first exception is rethrown. Runs in the calling thread when threads or n
// is 1, or when called from inside another parallel_for.
void parallel_for(int threads, int n, const std::function<void(int)>& work);

}  // namespace vbo
