// SPDX-License-Identifier: MIT
#include "storage/postgres/url.hpp"

#include <libpq-fe.h>

#include <cctype>
#include <cstring>
#include <memory>

#include "storage/postgres/libpq_at_run_time.hpp"

namespace vbo::postgres {
namespace {

std::string decoded(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto digit = [&](std::size_t at) {
      return at < text.size() && std::isxdigit(static_cast<unsigned char>(text[at])) != 0;
    };
    if (text[i] == '%' && digit(i + 1) && digit(i + 2)) {
      plain += static_cast<char>(std::stoi(std::string(text.substr(i + 1, 2)), nullptr, 16));
      i += 2;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

// Passwords as libpq marks them (to be shown as asterisks), and keys that stand for one.
bool is_secret(const PQconninfoOption& option) {
  const std::string_view keyword = option.keyword;
  return std::strchr(option.dispchar ? option.dispchar : "", '*') ||
         keyword.starts_with("scram_") || keyword.ends_with("secret");
}

}  // namespace

Result<Url> parse_url(const std::string& url) {
  Url parsed;
  parsed.study = "study";
  const auto question = url.find('?');
  parsed.server = url.substr(0, question);
  if (question != std::string::npos) {
    std::string rest;
    for (std::size_t at = question + 1; at <= url.size();) {
      const auto end = std::min(url.find('&', at), url.size());
      const std::string part = url.substr(at, end - at);
      if (part.starts_with("study=")) {
        parsed.study = decoded(part.substr(6));
      } else if (!part.empty()) {
        rest += (rest.empty() ? "?" : "&") + part;
      }
      at = end + 1;
    }
    parsed.server += rest;
  }
  if (parsed.study.empty()) {
    return Error{ErrorKind::invalid_input,
                 "storage: found an empty name in \"study=\", expected the study's, e.g. "
                 "postgresql://host/database?study=name"};
  }
#ifdef VBO_LIBPQ_AT_RUN_TIME
  if (!libpq_is_here()) {
    return Error{
        ErrorKind::unsupported,
        "storage: libpq.so.5 is not on this machine, expected it for a study in PostgreSQL "
        "(Debian and Ubuntu: apt-get install libpq5)"};
  }
#endif
  char* problem = nullptr;
  const std::unique_ptr<PQconninfoOption, void (*)(PQconninfoOption*)> options(
      PQconninfoParse(parsed.server.c_str(), &problem), PQconninfoFree);
  if (!options) {
    if (problem) PQfreemem(problem);  // it repeats the URL, and a password may be in it
    return Error{ErrorKind::invalid_input,
                 "storage: found a URL that PostgreSQL does not understand, expected "
                 "postgresql://user@host:port/database?study=name"};
  }
  std::string host = "its default host";
  std::string port;
  std::string database;
  for (const PQconninfoOption* option = options.get(); option->keyword; ++option) {
    if (!option->val || !*option->val) continue;
    const std::string_view keyword = option->keyword;
    if (is_secret(*option)) {
      const bool own = keyword == "password";
      return Error{ErrorKind::invalid_input,
                   "storage: found " +
                       (own ? std::string("a password") : "\"" + std::string(keyword) + "\"") +
                       " in the URL, expected none: it would be stored and shown. Put it into " +
                       (own ? "PGPASSFILE, PGPASSWORD or a service file" : "a service file")};
    }
    if (keyword == "host" || keyword == "hostaddr") host = option->val;
    if (keyword == "port") port = ":" + std::string(option->val);
    if (keyword == "dbname") database = ", database " + std::string(option->val);
    if (keyword == "service") host = "service " + std::string(option->val);
  }
  parsed.where = "PostgreSQL at " + host + port + database;
  return parsed;
}

}  // namespace vbo::postgres
