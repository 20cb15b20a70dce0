// SPDX-License-Identifier: MIT
// A PostgreSQL server for the tests of one program, started by the first one that needs it and
// stopped at the end. Tests fail when it cannot be had.
#pragma once

#include <array>
#include <cstdio>
#include <stdexcept>
#include <string>

#include "support/temporary_folder.hpp"

namespace vbo::testing {

class PostgresServer {
 public:
  static PostgresServer& instance() {
    static PostgresServer server;
    return server;
  }
  ~PostgresServer() { call("stop", "immediate"); }

  // A study nobody else has.
  std::string fresh_study() { return url_ + "&study=test" + std::to_string(++studies_); }
  const std::string& url() const { return url_; }
  std::string call(const std::string& action, const std::string& mode = "") const {
    const std::string command =
        std::string(VBO_TEST_POSTGRES) + " " + action + " " + (folder_ / "server") + " " + mode;
    FILE* pipe = popen(command.c_str(), "r");
    std::string output;
    std::array<char, 256> line{};
    while (pipe && std::fgets(line.data(), line.size(), pipe)) output += line.data();
    if (!pipe || pclose(pipe) != 0) {
      throw std::runtime_error("no PostgreSQL server could be started: " + command);
    }
    return output;
  }
  // Runs a statement, without double quotes in it, as the superuser of the server.
  std::string sql(const std::string& statement) const { return call("sql", '"' + statement + '"'); }

 private:
  PostgresServer() : url_(call("start")) { url_.erase(url_.find_last_not_of('\n') + 1); }
  TemporaryFolder folder_;
  std::string url_;
  int studies_ = 0;
};

}  // namespace vbo::testing
