// SPDX-License-Identifier: MIT
// The storages every contract is tried on: one in memory, a file, and a server where there is one.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "support/temporary_folder.hpp"
#ifdef VBO_TEST_POSTGRES
#include "support/postgres_server.hpp"
#endif
#include "vbo/storage.hpp"

namespace vbo::testing {

class StorageContract : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    url_ = GetParam() == "memory" ? "memory:" : folder_ / "study.db";
#ifdef VBO_TEST_POSTGRES
    if (GetParam() == "postgres") url_ = PostgresServer::instance().fresh_study();
#endif
    storage_ = open_storage(url_, Access::coordinate).value();
  }
  // Closes and opens again, where there is something to open.
  void reopen() {
    if (GetParam() == "memory") return;
    storage_.reset();
    storage_ = open_storage(url_, Access::coordinate).value();
  }
  // Another process, as far as the storage can tell.
  std::unique_ptr<Storage> other(Access access = Access::queue) {
    return storage_->connect(access).value();
  }

  TemporaryFolder folder_;
  std::string url_;
  std::unique_ptr<Storage> storage_;
};

inline auto all_storages() {
#ifdef VBO_TEST_POSTGRES
  return ::testing::Values("memory", "sqlite", "postgres");
#else
  return ::testing::Values("memory", "sqlite");
#endif
}

}  // namespace vbo::testing
