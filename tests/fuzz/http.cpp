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

#include <algorithm>
#include <atomic>
#include <cctype>
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

// Whether the first request has a framing that a proxy may understand otherwise: a transfer coding
// beside "chunked", or with a length. What follows it must not be taken for a request.
bool is_ambiguous(std::string_view text) {
  const auto end = text.find("\r\n\r\n");
  if (end == std::string_view::npos) return false;
  int codings = 0, lengths = 0, unknown = 0;
  for (std::size_t line = text.find("\r\n"); line < end; line = text.find("\r\n", line + 2)) {
    const std::string_view field = text.substr(line + 2, text.find("\r\n", line + 2) - line - 2);
    std::string lower(field);
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
    lengths += lower.starts_with("content-length:") ? 1 : 0;
    constexpr std::string_view coding = "transfer-encoding:";
    if (!lower.starts_with(coding)) continue;
    ++codings;
    const auto from = lower.find_first_not_of(" \t", coding.size());
    const auto to = lower.find_last_not_of(" \t");
    unknown += from > to || lower.substr(from, to - from + 1) != "chunked" ? 1 : 0;
  }
  return codings > 0 && (codings > 1 || lengths > 0 || unknown > 0);
}

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
  constexpr std::string_view begin = "HTTP/1.1 ";
  if (is_ambiguous(fuzz::text_of(data, size))) {
    REQUIRE_THAT(answer.find(begin, begin.size()) == std::string::npos);
  }
  // Without the token nothing of /api/ is told.
  if (!token_sent)
    REQUIRE_THAT(answer.find("\r\nContent-Type: text/event-stream\r\n") == std::string::npos);
  close(fd);
  return 0;
}
