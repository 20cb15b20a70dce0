// SPDX-License-Identifier: MIT
#include "storage/sqlite/open.hpp"
#include "storage/memory/memory.hpp"
#include "vbo/storage.hpp"

namespace vbo {

Result<std::unique_ptr<Storage>> open_storage(const std::string& url, Access access) {
  if (url.empty()) return Error{ErrorKind::invalid_input, "storage is empty, expected a file name"};
  if (url == "memory:") return std::unique_ptr<Storage>(std::make_unique<MemoryStorage>());
  if (url.find("://") != std::string::npos) {
    return Error{ErrorKind::unsupported, "storage \"" + url +
                                             "\" is of a kind this build does not have, expected "
                                             "a file name or \"memory:\""};
  }
#ifdef VBO_HAVE_SQLITE
  return open_sqlite(url, access);
#else
  (void)access;
  return Error{ErrorKind::unsupported,
               "this build has no SQLite, so \"" + url + "\" cannot be opened; use \"memory:\""};
#endif
}

}  // namespace vbo
