// SPDX-License-Identifier: MIT
// The whole public face of vbo in one include.
// Stability: a minor version of 0.x may change it.
// Threads: see each header.
#pragma once

#include "vbo/error.hpp"
#include "vbo/executor.hpp"
#include "vbo/front.hpp"
#include "vbo/minimize.hpp"
#include "vbo/optimizer.hpp"
#include "vbo/program_files.hpp"
#include "vbo/random.hpp"
#include "vbo/report.hpp"
#include "vbo/space.hpp"
#include "vbo/stop_rule.hpp"
#include "vbo/storage.hpp"
#include "vbo/study.hpp"
#include "vbo/study_file.hpp"
#include "vbo/trade_offs.hpp"
#include "vbo/trial.hpp"
#include "vbo/version.hpp"
#include "vbo/worker.hpp"
