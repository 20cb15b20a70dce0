// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "cli/commands.hpp"
#include "exec/command_template.hpp"
#include "vbo/optimizer.hpp"

namespace vbo::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTemplate =
    R"(# A study: what to optimize, over which parameters, with which program.
# Check it with `vbo check {file}`, run or resume it with `vbo run {file}`.

[study]
name = "{name}"
goal = "minimize"            # or "maximize"
budget = 128                 # evaluations in all; raise it later to continue
batch = 8                    # suggestions per round
seed = 1
storage = "{name}.db"        # every suggestion and result is kept here

# [[objective]]              # two to eight of these instead of study.goal; the program then prints
# name = "error"             # {{"values": {{"error": 0.07, "latency_ms": 12.1}}}}
# goal = "minimize"
# reference = 1.0            # optional: a value nobody would accept

[optimizer]
method = "{method}"               # `vbo methods` lists them; options of the method go here too

[[parameter]]
name = "x1"
type = "float"               # float | int | categorical | ordinal
low = -5.0
high = 10.0

[[parameter]]
name = "x2"
type = "float"
low = 0.0
high = 15.0

# [[parameter]]
# name = "rate"
# type = "float"
# low = 1e-5
# high = 1e-1
# log = true                 # search the logarithm; float and int

# [[parameter]]
# name = "layers"
# type = "int"
# low = 1
# high = 8

# [[parameter]]
# name = "solver"
# type = "categorical"
# choices = ["adam", "sgd"]

# [[start]]                  # a point to evaluate first; what it leaves out is the method's choice
# x1 = 2.5

[evaluate]
# Started directly, not through a shell, in the folder of this file. {{x1}} becomes the value of
# parameter x1; the environment has VBO_PARAMS (JSON) and VBO_TRIAL_ID. The last line it prints that
# is a number, or a JSON object with "value", is the result.
command = ["python3", "{script}", "{{x1}}", "{{x2}}"]
workers = 4                  # evaluations at the same time
timeout = 60.0               # seconds, per evaluation
retries = 1                  # after a crash
mode = "once"                # or "serve": one long-lived process per worker

# [[template]]               # a simulator with input and output files: {{x1}} in input.txt.in becomes
# from = "input.txt.in"      # the value; each trial runs in a folder of its own
# to = "input.txt"
# [[extract]]                # and the value stands in a file it writes, or in what it prints
# metric = "value"
# file = "output.log"
# pattern = 'drag\s*=\s*(\S+)'   # or json = "results.drag", or column = "drag" of a CSV file

# [stop]
# information = 0.02         # stop when the predicted information of a round falls below this, in nats, ...
# rounds = 5                 # ... so many times in a row
# failures_in_a_row = 20     # pause after so many failures in a row
# seconds = 3600.0           # wall time of the study over all its runs
# value = 0.4                # good enough: a result at least as good ends it
)";

constexpr const char* kScript = R"(#!/usr/bin/env python3
"""An example evaluator: the Branin function. Replace it with your own program."""
import math
import sys

x1, x2 = (float(text) for text in sys.argv[1:3])
b, c, t = 5.1 / (4 * math.pi**2), 5 / math.pi, 1 / (8 * math.pi)
value = (x2 - b * x1**2 + c * x1 - 6) ** 2 + 10 * (1 - t) * math.cos(x1) + 10
print(value)
)";

// Creates the file, never overwrites one. Errors: errno.
bool write_new(const std::string& path, const std::string& text, mode_t mode) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (fd < 0) return false;
  const bool written = write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const int reason = errno;
  close(fd);
  if (!written) unlink(path.c_str());
  errno = reason;
  return written;
}

// A text that can stand between double quotes in TOML.
bool is_plain(const std::string& text) {
  return text.find_first_of("\"\\\n{}") == std::string::npos;
}

int init(const std::string& path, const Console& console) {
  const std::string stem = fs::path(path).stem().string();
  if (!is_plain(stem) || stem.empty()) {
    return fail(kWrongUsage,
                path + ": expected a file name without quotes, backslashes and braces");
  }
  if (!path.ends_with(".toml")) {
    return fail(kWrongUsage,
                path + ": found a name without .toml, expected e.g. " + path + ".toml");
  }
  const std::string script = stem + ".py";
  const std::string script_path = (fs::path(path).parent_path() / script).string();
  const std::string study =
      fmt::format(kTemplate, fmt::arg("file", path), fmt::arg("name", stem),
                  fmt::arg("method", OptimizerOptions{}.method), fmt::arg("script", script));
  if (!write_new(path, study, 0644)) {
    const std::string why = errno == EEXIST ? "it exists already and is not overwritten"
                                            : std::string(std::strerror(errno));
    return fail(kWrongUsage, path + ": cannot write: " + why);
  }
  print_out("wrote " + path + "\n");
  if (write_new(script_path, kScript, 0755)) {
    print_out("wrote " + script_path + ", an example program; replace it with yours\n");
  } else if (errno == EEXIST) {
    print_out(script_path + " exists already and stays as it is\n");
  } else {
    return fail(kFailed, script_path + ": cannot write: " + std::strerror(errno));
  }
  std::fflush(stdout);
  if (!console.quiet) {
    const std::string file = shell_quoted(path);
    print_err("\nNext:\n  vbo check " + file + "\n  vbo run " + file + "\n");
  }
  return kDone;
}

}  // namespace

Action define_init(CLI::App& app, const Console& console) {
  auto path = std::make_shared<std::string>("study.toml");
  Arguments(app).optional_positional("FILE", *path, "Study file to write");
  return [path, &console] { return init(*path, console); };
}

}  // namespace vbo::cli
