// SPDX-License-Identifier: MIT
#pragma once

namespace vbo::cli {

// What the words of the command line ask for; the exit code. May throw what the system cannot give.
int run_program(int argc, char** argv);

}  // namespace vbo::cli
