// SPDX-License-Identifier: MIT
// Bytes sent to the server of `vbo serve` over a real connection: it answers or hangs up, and
// serves the next one. What reaches the handler has passed the checks of host, origin, type and
// token.
#include "web/http.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <string>
#include <thread>

#include "core/json.hpp"
#include "fuzz/fuzz.hpp"

namespace {

using namespace vbo;

std::atomic<bool> token_sent = false;

struct Server {
  web::HttpServer server;
  std::thread thread;

  Server() : server(options(), &Server::answer, [](const std::string&) {}) {
    REQUIRE_THAT(server.listen());
    server.set_greeting([] { return std::string("{}"); });
    thread = std::thread([this] { server.run(); });
  }
  ~Server() {
    server.stop();
    thread.join();
  }

  static web::ServerOptions options() {
    web::ServerOptions options;
    options.token = "secret";
    options.longest_body = 4096;
    options.request_seconds = 1;
    options.idle_seconds = 1;
    return options;
  }

  static void answer(const web::Request& request, const web::HttpServer::Respond& respond) {
    REQUIRE_THAT(request.method == "GET" || request.method == "POST");
    REQUIRE_THAT(request.body.size() <= 4096);
    REQUIRE_THAT(token_sent || !request.path.starts_with("/api/"));
    if (const Result<Json> json = parse_json(request.body)) (void)dump(*json);
    respond(web::error_response(404, request.path));
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Server server;
  token_sent = fuzz::text_of(data, size).find("secret") != std::string_view::npos;
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  REQUIRE_THAT(fd >= 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(server.server.port());
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    // libFuzzer's clock interrupts; the connection is made all the same.
    REQUIRE_THAT(errno == EINTR);
    pollfd made{fd, POLLOUT, 0};
    while (poll(&made, 1, 5000) < 0) REQUIRE_THAT(errno == EINTR);
    REQUIRE_THAT((made.revents & POLLOUT) != 0);
  }
  const timeval limit{5, 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  // No lingering states of closed connections: there are thousands a second.
  const linger at_once{1, 0};
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  (void)!send(fd, data, size, MSG_NOSIGNAL);
  shutdown(fd, SHUT_WR);
  std::string answer;
  char buffer[4096];
  while (answer.size() < 65536) {
    const ssize_t got = recv(fd, buffer, sizeof buffer, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    answer.append(buffer, static_cast<std::size_t>(got));
  }
  REQUIRE_THAT(answer.empty() || answer.starts_with("HTTP/1.1 "));
  // Without the token nothing of /api/ is told.
  if (!token_sent)
    REQUIRE_THAT(answer.find("\r\nContent-Type: text/event-stream\r\n") == std::string::npos);
  close(fd);
  return 0;
}
