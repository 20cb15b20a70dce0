// SPDX-License-Identifier: MIT
// A thin owner of one connection to PostgreSQL: prepared statements, transactions, notifications.
// Inside this folder failures travel as the exception Fault; attempt() turns them into a Result at
// the border. A connection that broke is made anew by the next call. Not thread-safe.
#pragma once

#include <libpq-fe.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "vbo/error.hpp"

namespace vbo::postgres {

struct Fault {
  Error error;
};

template <class Work>
auto attempt(Work&& work) -> Result<std::invoke_result_t<Work>> {
  try {
    if constexpr (std::is_void_v<std::invoke_result_t<Work>>) {
      work();
      return {};
    } else {
      return work();
    }
  } catch (Fault& failure) {
    return std::move(failure.error);
  }
}

// One parameter of a statement, as text; nothing is NULL.
class Parameter {
 public:
  Parameter(std::int64_t number) : text_(std::to_string(number)) {}
  Parameter(int number) : text_(std::to_string(number)) {}
  Parameter(bool flag) : text_(flag ? "t" : "f") {}
  Parameter(double number);
  Parameter(std::string_view text) : text_(text) {}
  Parameter(const std::string& text) : text_(text) {}
  Parameter(const char* text) : text_(text) {}
  Parameter(std::nullopt_t) {}
  template <class T>
  Parameter(const std::optional<T>& value) {
    if (value) text_ = Parameter(*value).text_;
  }
  static Parameter bytes(std::string_view bytes);  // any bytes, for a column of type bytea
  const char* data() const { return text_ ? text_->c_str() : nullptr; }

 private:
  std::optional<std::string> text_;
};

class Rows {
 public:
  explicit Rows(PGresult* result) : result_(result) {}
  int size() const { return PQntuples(result_.get()); }
  bool empty() const { return size() == 0; }
  std::int64_t changed() const;  // rows a statement without answer has touched

  bool is_null(int row, int column) const { return PQgetisnull(result_.get(), row, column) != 0; }
  std::string_view text(int row, int column) const {
    return {PQgetvalue(result_.get(), row, column),
            static_cast<std::size_t>(PQgetlength(result_.get(), row, column))};
  }
  std::int64_t integer(int row, int column) const;  // 0 for NULL
  double real(int row, int column) const;
  bool flag(int row, int column) const { return text(row, column) == "t"; }
  std::string bytes(int row, int column) const;
  const PGresult* get() const { return result_.get(); }

 private:
  struct Clear {
    void operator()(PGresult* result) const { PQclear(result); }
  };
  std::unique_ptr<PGresult, Clear> result_;
};

class Connection {
 public:
  // `url` as libpq takes it; `where` is how messages name the server.
  Connection(std::string url, std::string where) : url_(std::move(url)), where_(std::move(where)) {}

  // `sql` is prepared when it comes for the first time; its address is its name.
  Rows query(const char* sql, const std::vector<Parameter>& parameters = {});
  // The same statement with many sets of parameters, sent together: they cost one turn of waiting
  // for the server, not one each. The first that fails throws.
  std::vector<Rows> query_each(const char* sql,
                               const std::vector<std::vector<Parameter>>& parameters);
  void script(const std::string& sql);  // several statements, no parameters
  void listen(const std::string& channel);
  void unlisten();  // all channels
  // Returns true when a notification has come, false after `at_most`.
  int socket() const { return handle_ ? PQsocket(handle_.get()) : -1; }
  bool wait(std::chrono::milliseconds at_most);

  const std::string& url() const { return url_; }
  const std::string& where() const { return where_; }

 private:
  void connect();
  const std::string& prepared(const char* sql);
  Rows check(PGresult* result);
  void check(const Rows& rows);
  [[noreturn]] void fail(const std::string& state, const std::string& message);

  struct Finish {
    void operator()(PGconn* connection) const { PQfinish(connection); }
  };
  std::string url_, where_;
  std::unique_ptr<PGconn, Finish> handle_;
  std::map<const char*, std::string> prepared_;
  std::vector<std::string> channels_;
  bool in_transaction_ = false;  // as its owner sees it, also when the connection broke
  friend class Transaction;
};

// All or nothing: rolls back unless commit() succeeded.
class Transaction {
 public:
  explicit Transaction(Connection& connection) : connection_(connection) {
    connection_.query("BEGIN");
    connection_.in_transaction_ = true;
  }
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit() {
    connection_.query("COMMIT");
    connection_.in_transaction_ = open_ = false;
  }

 private:
  Connection& connection_;
  bool open_ = true;
};

}  // namespace vbo::postgres
