// SPDX-License-Identifier: MIT
#include <algorithm>
#include <filesystem>

#include "storage/memory/memory.hpp"
#include "storage/sqlite/open.hpp"
#ifdef VBO_HAVE_POSTGRES
#include "storage/postgres/open.hpp"
#endif

namespace vbo {
namespace {

bool is_postgres(const std::string& url) {
  return url.starts_with("postgresql://") || url.starts_with("postgres://");
}

}  // namespace

Result<std::unique_ptr<Storage>> open_storage(const std::string& url, Access access,
                                              double wait_seconds) {
  if (url.empty()) return Error{ErrorKind::invalid_input, "storage is empty, expected a file name"};
  if (url == "memory:") return std::unique_ptr<Storage>(std::make_unique<MemoryStorage>());
  if (is_postgres(url)) {
#ifdef VBO_HAVE_POSTGRES
    return open_postgres(url, access, wait_seconds);
#else
    return Error{ErrorKind::unsupported,
                 "this build has no PostgreSQL (libpq was not found when it was configured), so "
                 "only files can be opened"};
#endif
  }
  if (const auto scheme = url.find("://"); scheme != std::string::npos) {
    return Error{ErrorKind::unsupported,
                 "storage \"" + url.substr(0, scheme) +
                     "://...\" is of a kind this build does not have, expected a file name, "
                     "\"postgresql://user@host/database?study=name\" or \"memory:\""};
  }
#ifdef VBO_HAVE_SQLITE
  return open_sqlite(url, access, wait_seconds);
#else
  (void)access;
  (void)wait_seconds;
  return Error{ErrorKind::unsupported,
               "this build has no SQLite, so \"" + url + "\" cannot be opened; use \"memory:\""};
#endif
}

Result<std::vector<std::string>> list_studies(const std::string& database) {
  namespace fs = std::filesystem;
  if (is_postgres(database)) {
#ifdef VBO_HAVE_POSTGRES
    return list_postgres(database);
#else
    return open_storage(database, Access::read).error();
#endif
  }
  std::error_code failed;
  if (fs::is_regular_file(database, failed)) return std::vector<std::string>{database};
  std::vector<std::string> files;
  for (fs::directory_iterator entry(database, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    if (entry->path().extension() == ".db") files.push_back(entry->path().string());
  }
  if (failed) {
    return Error{ErrorKind::not_found, "cannot list \"" + database + "\" (" + failed.message() +
                                           "), expected a folder, a storage (.db) or "
                                           "\"postgresql://user@host/database\""};
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace vbo
