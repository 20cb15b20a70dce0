// SPDX-License-Identifier: MIT
#include "storage/postgres/connection.hpp"
#include "storage/postgres/open.hpp"
#include "storage/postgres/url.hpp"

namespace vbo {
namespace {

// So that it can stand in a URL, and unquoted in most shells.
std::string encoded(std::string_view text) {
  constexpr std::string_view hex = "0123456789ABCDEF";
  std::string url;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || c == '.';
    if (plain) {
      url += c;
    } else {
      url += {'%', hex[byte >> 4U], hex[byte & 15U]};
    }
  }
  return url;
}

}  // namespace

Result<std::vector<std::string>> list_postgres(const std::string& database) {
  const Result<postgres::Url> parsed = postgres::parse_url(database);
  if (!parsed) return parsed.error();
  return postgres::attempt([&] {
    postgres::Connection connection(parsed->server, parsed->where);
    std::vector<std::string> urls;
    if (connection.query("SELECT to_regclass('vbo.studies')").is_null(0, 0)) return urls;
    const postgres::Rows rows =
        connection.query("SELECT key FROM vbo.studies WHERE space IS NOT NULL ORDER BY key");
    const char joint = parsed->server.find('?') == std::string::npos ? '?' : '&';
    for (int i = 0; i < rows.size(); ++i) {
      urls.push_back(parsed->server + joint + "study=" + encoded(rows.text(i, 0)));
    }
    return urls;
  });
}

}  // namespace vbo
