// SPDX-License-Identifier: MIT
// A small HTTP/1.1 server for one page and its interface: one thread, no thread per connection, so
// that a thousand slow clients cost a thousand buffers and nothing else. Everything from outside is
// bounded before memory is taken: header, body, number of connections, time. When all connections
// are taken, the one that has been silent for longest makes room. Answers are bounded too: a text
// that many ask for is kept once, and beyond a number of bytes under way the connection that has
// not read for longest is closed.
//
// Checked here for every request: the Host header (against DNS rebinding), the Origin header of
// requests that change something, and the token where there is one.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "vbo/error.hpp"

namespace vbo::web {

struct Request {
  std::string method;  // "GET", "POST"; HEAD arrives as GET
  std::string path;    // decoded, without the query
  std::map<std::string, std::string> query;
  std::string body;  // POST only, JSON by its content type
};

struct Response {
  int status = 200;
  std::string type = "application/json";
  std::string body;
  std::map<std::string, std::string> headers{};
  std::shared_ptr<const std::string> shared{};  // instead of the body: one text for all who ask
};

// {"error": message}
Response error_response(int status, const std::string& message);

struct ServerOptions {
  std::string host = "127.0.0.1";  // an address of this machine, or a name for one
  unsigned short port = 0;         // 0 = any free one
  std::string token;               // "" = nobody is asked for one
  std::size_t most_connections = 512;
  std::size_t longest_body = 1 << 20;  // bytes
  int request_seconds = 10;            // until a request has arrived whole
  int idle_seconds = 30;               // between requests on one connection
  // Of all answers that are being sent, each text counted once; above it slow readers are closed.
  std::size_t most_unsent = std::size_t{64} << 20;  // bytes
};

class HttpServer {
 public:
  using Respond = std::function<void(Response)>;
  // Called in the server's thread; may answer later, from any thread, exactly once.
  using Handler = std::function<void(const Request&, Respond)>;

  HttpServer(ServerOptions options, Handler handler, std::function<void(const std::string&)> log);
  ~HttpServer();

  // Binds the address; afterwards port() is known. Errors: address in use, not ours.
  Result<void> listen();
  unsigned short port() const;
  bool loopback() const;

  void run();   // until stop()
  void stop();  // from any thread
  // From any thread: an event for everybody who follows GET /api/events.
  void publish(const std::string& event, const std::string& data);
  // What a new follower hears first.
  void set_greeting(std::function<std::string()> greeting);

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace vbo::web
