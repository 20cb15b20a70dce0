// SPDX-License-Identifier: MIT
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <system_error>

#include "cli/console.hpp"
#include "cli/exit_codes.hpp"
#include "cli/program.hpp"

namespace {

constexpr std::string_view no_memory =
    "vbo: out of memory (see ulimit -v); what was told is stored, and the same command goes on "
    "from there\n";
constexpr std::string_view show_cursor = "\x1b[?25h";

// Ends the program at once, as kill -9 would, which loses nothing. Unwinding instead would run
// destructors, and those of JSON values allocate: the program would abort without a word.
[[noreturn]] void out_of_memory() {
  for (const std::string_view text : {isatty(STDERR_FILENO) ? show_cursor : "", no_memory}) {
    if (write(STDERR_FILENO, text.data(), text.size()) < 0) break;
  }
  _exit(vbo::cli::kFailed);
}

// Eigen and libraries allocate with malloc() and throw by themselves; when that meets a destructor
// or the end of a thread, no handler is left. Everything else ends as it would without this.
[[noreturn]] void on_terminate() {
  if (std::current_exception()) {
    try {
      throw;
    } catch (const std::bad_alloc&) {
      out_of_memory();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "vbo: internal error: %s\n", error.what());
    } catch (...) {
      std::fputs("vbo: internal error\n", stderr);
    }
  }
  std::abort();
}

}  // namespace

int main(int argc, char** argv) {
#ifdef __AVX2__
  // A package is compiled for x86-64-v3; better a sentence than an illegal instruction later.
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
    return vbo::cli::fail(vbo::cli::kFailed,
                          "this vbo was compiled for processors with AVX2 (x86-64-v3), which this "
                          "one lacks; build it here with: make program");
  }
#endif
  std::set_new_handler(out_of_memory);
  std::set_terminate(on_terminate);
  signal(SIGCHLD, SIG_DFL);  // may be inherited as ignored, and then no exit code would be seen
  try {
    return vbo::cli::run_program(argc, argv);
  } catch (const std::bad_alloc&) {
    out_of_memory();  // malloc() by a library, and sizes beyond any memory
  } catch (const std::system_error& error) {
    const bool limit = error.code() == std::errc::resource_unavailable_try_again;
    return vbo::cli::fail(vbo::cli::kFailed,
                          limit
                              ? "no thread can be started (see ulimit -u and ulimit -v); what was "
                                "told is stored, and the same command goes on from there"
                              : std::string("unexpected: ") + error.what());
  } catch (const std::exception& error) {
    return vbo::cli::fail(vbo::cli::kFailed, std::string("unexpected: ") + error.what());
  }
}
