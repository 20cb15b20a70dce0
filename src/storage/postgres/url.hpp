// SPDX-License-Identifier: MIT
// "postgresql://user@host/database?study=name&...": the part that names the study is ours, the rest
// libpq's. Passwords have no place in it: it is stored in study files and printed.
#pragma once

#include <string>

#include "vbo/error.hpp"

namespace vbo::postgres {

struct Url {
  std::string server;  // for libpq, without the study
  std::string study;   // "study" when the URL names none
  std::string where;   // for messages: PostgreSQL at HOST:PORT, database DB
};

Result<Url> parse_url(const std::string& url);

}  // namespace vbo::postgres
