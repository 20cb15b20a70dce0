// SPDX-License-Identifier: MIT
// On Boost.Beast and Asio. The only file that includes them: they are heavy to compile.
#include "web/http.hpp"

#include <unistd.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <deque>
#include <list>
#include <optional>
#include <set>

#include "core/json.hpp"
#include "web/page.hpp"

namespace vbo::web {

Response error_response(int status, const std::string& message) {
  return {status, "application/json", dump(Json{{"error", message}}) + "\n"};
}

namespace {

namespace beast = boost::beast;
namespace http = beast::http;
namespace asio = boost::asio;
using tcp = asio::ip::tcp;
using std::chrono::steady_clock;

constexpr std::size_t kLongestHeader = std::size_t{16} * 1024;
constexpr std::size_t kMostWaitingBytes = 64 << 20;  // of a follower that does not read
constexpr auto kHeartbeat = std::chrono::seconds(10);

using RawRequest = http::request<http::string_body>;

std::string text(beast::string_view view) { return {view.data(), view.size()}; }

int hex(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string decoded(std::string_view in) {
  std::string out;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (in[i] == '%' && i + 2 < in.size() && hex(in[i + 1]) >= 0 && hex(in[i + 2]) >= 0) {
      out += static_cast<char>(hex(in[i + 1]) * 16 + hex(in[i + 2]));
      i += 2;
    } else {
      out += in[i] == '+' ? ' ' : in[i];
    }
  }
  return out;
}

Request plain(const RawRequest& raw) {
  Request request;
  request.method = raw.method() == http::verb::head ? "GET" : text(raw.method_string());
  const std::string target = text(raw.target());
  const std::size_t question = target.find('?');
  request.path = decoded(std::string_view(target).substr(0, question));
  if (question != std::string::npos) {
    for (std::size_t at = question + 1; at < target.size();) {
      const std::size_t end = std::min(target.find('&', at), target.size());
      const std::string_view pair = std::string_view(target).substr(at, end - at);
      const std::size_t equals = std::min(pair.find('='), pair.size());
      request.query[decoded(pair.substr(0, equals))] =
          equals < pair.size() ? decoded(pair.substr(equals + 1)) : "";
      at = end + 1;
    }
  }
  request.body = raw.body();
  return request;
}

// "name:8080", "[::1]:8080", "127.0.0.1" without the port.
std::string host_without_port(std::string host) {
  if (!host.empty() && host.front() == '[') {
    const std::size_t end = host.find(']');
    return end == std::string::npos ? host : host.substr(1, end - 1);
  }
  return host.substr(0, host.find(':'));
}

// Compares in a time that does not depend on where the difference is.
bool same_secret(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0U : 1U;
  for (std::size_t i = 0; i < b.size(); ++i) {
    difference |=
        static_cast<unsigned>(static_cast<unsigned char>(b[i]) ^
                              static_cast<unsigned char>(a.empty() ? 0 : a[i % a.size()]));
  }
  return difference == 0U;
}

// Where a request ends, and whose it is, must be as plain to us as to a proxy before us: what one
// of the two takes for a body would be the next request for the other.
std::optional<Response> refuse_framing(const RawRequest& raw) {
  const auto codings = raw.count(http::field::transfer_encoding);
  if (codings > 0 && raw.count(http::field::content_length) > 0) {
    return error_response(400, "both Content-Length and Transfer-Encoding are given");
  }
  if (codings > 1 ||
      (codings == 1 && !beast::iequals(raw[http::field::transfer_encoding], "chunked"))) {
    return error_response(501, "the only transfer coding understood is \"chunked\"");
  }
  if (raw.count(http::field::content_length) > 1) {
    return error_response(400, "Content-Length is given twice");
  }
  if (raw.count(http::field::host) > 1) return error_response(400, "Host is given twice");
  return std::nullopt;
}

}  // namespace

struct HttpServer::Impl : std::enable_shared_from_this<HttpServer::Impl> {
  struct Session;

  Impl(ServerOptions given, Handler handle, std::function<void(const std::string&)> write_log)
      : options(std::move(given)), handler(std::move(handle)), log(std::move(write_log)) {}

  ServerOptions options;
  Handler handler;
  std::function<void(const std::string&)> log;
  std::function<std::string()> greeting;
  asio::io_context io{1};
  tcp::acceptor acceptor{io};
  asio::steady_timer heartbeat{io};
  asio::steady_timer again{io};
  std::set<std::shared_ptr<Session>> sessions;
  std::string machine_name;
  steady_clock::time_point last_refusal{};
  std::int64_t refusals = 0;
  bool closed = false;  // nobody is answered any more

  void accept();
  void beat();
  void close();
  void make_room();
  bool host_is_ours(const std::string& host) const;
  // What is wrong with a request before anybody looks at its content.
  // `path` is what the handler will see, %61 decoded: who may see it depends on it.
  std::optional<Response> refuse(const RawRequest& raw, const std::string& path) const;
  void count_refusal(const std::string& why);
};

// One connection. Lives while an operation on it is pending.
struct HttpServer::Impl::Session : std::enable_shared_from_this<Session> {
  Session(tcp::socket socket, std::shared_ptr<Impl> of)
      : stream(std::move(socket)), server(std::move(of)), since(steady_clock::now()) {}

  beast::tcp_stream stream;
  std::shared_ptr<Impl> server;
  beast::flat_buffer buffer{kLongestHeader + (64U << 10U)};
  std::optional<http::request_parser<http::string_body>> parser;
  steady_clock::time_point since;  // last sign of life
  bool busy = false;               // a request is being answered
  bool follower = false;           // of /api/events
  std::deque<std::string> outbox;  // follower only
  std::size_t outbox_bytes = 0;
  bool writing = false;

  void read(int seconds) {
    parser.emplace();
    parser->header_limit(kLongestHeader);
    parser->body_limit(server->options.longest_body);
    stream.expires_after(std::chrono::seconds(seconds));
    http::async_read(stream, buffer, *parser,
                     [self = shared_from_this()](beast::error_code error, std::size_t) {
                       self->arrived(error);
                     });
  }

  void arrived(beast::error_code error) {
    since = steady_clock::now();
    if (error == http::error::end_of_stream || server->closed) return end();
    if (error == http::error::body_limit) {
      server->count_refusal("a body larger than " + std::to_string(server->options.longest_body) +
                            " bytes");
      return send(error_response(413, "the body is larger than " +
                                          std::to_string(server->options.longest_body) + " bytes"),
                  false, false);
    }
    if (error == beast::error::timeout || error == asio::error::operation_aborted ||
        error == asio::error::connection_reset) {
      return end();
    }
    if (error) {
      server->count_refusal("a malformed request (" + error.message() + ")");
      return send(error_response(400, "not an HTTP request this server understands"), false, false);
    }
    RawRequest raw = parser->release();
    const bool keep = raw.keep_alive(), head = raw.method() == http::verb::head;
    const Request request = plain(raw);
    if (std::optional<Response> refused = server->refuse(raw, request.path)) {
      server->count_refusal(text(raw.method_string()) + " with status " +
                            std::to_string(refused->status));
      return send(std::move(*refused), false, head);
    }
    busy = true;
    if (request.path == "/api/events" && request.method == "GET") return follow();
    server->handler(request, [self = shared_from_this(), keep, head](Response response) {
      asio::post(self->stream.get_executor(),
                 [self, keep, head, response = std::move(response)]() mutable {
                   self->send(std::move(response), keep, head);
                 });
    });
  }

  void send(Response response, bool keep, bool head) {
    auto reply = std::make_shared<http::response<http::string_body>>(
        http::int_to_status(static_cast<unsigned>(response.status)), 11);
    reply->set(http::field::content_type, response.type);
    reply->set(http::field::cache_control, "no-store");
    reply->set("X-Content-Type-Options", "nosniff");
    reply->set("Referrer-Policy", "no-referrer");
    reply->set("Cross-Origin-Resource-Policy", "same-origin");
    for (const auto& [name, value] : response.headers) reply->set(name, value);
    reply->keep_alive(keep);
    reply->body() = std::move(response.body);
    reply->prepare_payload();
    if (head) reply->body().clear();
    stream.expires_after(std::chrono::seconds(60));
    http::async_write(
        stream, *reply,
        [self = shared_from_this(), reply, keep](beast::error_code error, std::size_t) {
          self->busy = false;
          self->since = steady_clock::now();
          if (error || !keep) return self->end();
          self->read(self->server->options.idle_seconds);
        });
  }

  void follow() {
    follower = true;
    stream.expires_never();
    say("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n"
        "X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n");
    if (server->greeting) say("event: hello\ndata: " + server->greeting() + "\n\n");
  }

  void say(std::string words) {
    if (outbox_bytes + words.size() > kMostWaitingBytes) return end();  // it comes back if it can
    outbox_bytes += words.size();
    outbox.push_back(std::move(words));
    if (!writing) write_next();
  }

  void write_next() {
    if (outbox.empty()) return;
    writing = true;
    stream.expires_after(std::chrono::seconds(60));
    asio::async_write(stream, asio::buffer(outbox.front()),
                      [self = shared_from_this()](beast::error_code error, std::size_t) {
                        self->writing = false;
                        if (error) return self->end();
                        self->since = steady_clock::now();
                        self->outbox_bytes -= self->outbox.front().size();
                        self->outbox.pop_front();
                        self->stream.expires_never();
                        self->write_next();
                      });
  }

  void end() {
    beast::error_code ignored;
    stream.socket().shutdown(tcp::socket::shutdown_both, ignored);
    stream.close();
    server->sessions.erase(shared_from_this());
  }
};

bool HttpServer::Impl::host_is_ours(const std::string& host) const {
  const std::string name = host_without_port(host);
  if (name == "localhost" || name == options.host || name == machine_name) return true;
  // An attacker's name can be made to point here; an address cannot be anybody's name.
  beast::error_code error;
  asio::ip::make_address(name, error);
  return !error;
}

std::optional<Response> HttpServer::Impl::refuse(const RawRequest& raw,
                                                 const std::string& path) const {
  if (std::optional<Response> refused = refuse_framing(raw)) return refused;
  const std::string host = text(raw[http::field::host]);
  if (!host_is_ours(host)) return error_response(403, "this host name is not served here");
  const bool post = raw.method() == http::verb::post;
  if (!post && raw.method() != http::verb::get && raw.method() != http::verb::head) {
    Response response = error_response(405, "only GET and POST are understood");
    response.headers["Allow"] = "GET, HEAD, POST";
    return response;
  }
  const std::string origin = text(raw[http::field::origin]);
  if (!origin.empty() && origin != "http://" + host) {
    return error_response(403, "requests from other sites are not answered");
  }
  if (post) {
    const std::string type = text(raw[http::field::content_type]);
    if (type.substr(0, type.find(';')) != "application/json") {
      return error_response(415, "the body has to be application/json");
    }
  }
  if (raw.target().size() > 4096) return error_response(414, "the address is too long");
  // The page itself holds nothing; all data come from /api/.
  if (!options.token.empty() && path.rfind("/api/", 0) == 0) {
    const std::string given = text(raw[http::field::authorization]);
    if (given.rfind("Bearer ", 0) != 0 || !same_secret(given.substr(7), options.token)) {
      Response response = error_response(401, "a token is needed: Authorization: Bearer TOKEN");
      response.headers["WWW-Authenticate"] = "Bearer";
      return response;
    }
  }
  return std::nullopt;
}

// One line a minute however many there are.
void HttpServer::Impl::count_refusal(const std::string& why) {
  ++refusals;
  const auto now = steady_clock::now();
  if (last_refusal != steady_clock::time_point{} && now - last_refusal < std::chrono::minutes(1)) {
    return;
  }
  last_refusal = now;
  log("refused " + why + (refusals > 1 ? "; " + std::to_string(refusals) + " so far" : ""));
}

void HttpServer::Impl::make_room() {
  std::shared_ptr<Session> silent;
  for (const auto& session : sessions) {
    if (session->busy || session->follower) continue;
    if (!silent || session->since < silent->since) silent = session;
  }
  if (!silent) {  // all are followers or being answered: the oldest follower comes back if it can
    for (const auto& session : sessions) {
      if (session->follower && (!silent || session->since < silent->since)) silent = session;
    }
  }
  if (!silent) return;
  count_refusal("connections beyond " + std::to_string(options.most_connections));
  silent->end();
}

void HttpServer::Impl::accept() {
  acceptor.async_accept(
      io, [self = shared_from_this()](beast::error_code error, tcp::socket socket) {
        if (error == asio::error::operation_aborted || self->closed) return;
        if (error) {  // out of file descriptors: wait a moment, or this would spin
          self->make_room();
          self->again.expires_after(std::chrono::milliseconds(50));
          self->again.async_wait([self](beast::error_code stopped) {
            if (!stopped) self->accept();
          });
          return;
        }
        if (self->sessions.size() >= self->options.most_connections) self->make_room();
        if (self->sessions.size() < self->options.most_connections) {
          socket.set_option(tcp::no_delay(true), error);
          auto session = std::make_shared<Session>(std::move(socket), self);
          self->sessions.insert(session);
          session->read(self->options.request_seconds);
        }
        self->accept();
      });
}

void HttpServer::Impl::beat() {
  heartbeat.expires_after(kHeartbeat);
  heartbeat.async_wait([self = shared_from_this()](beast::error_code error) {
    if (error) return;
    const auto all = self->sessions;  // say() may end one
    for (const auto& session : all) {
      if (session->follower) session->say(": alive\n\n");
    }
    self->beat();
  });
}

void HttpServer::Impl::close() {
  closed = true;
  beast::error_code ignored;
  acceptor.close(ignored);
  heartbeat.cancel();
  again.cancel();
  const auto all = sessions;
  for (const auto& session : all) session->end();
}

HttpServer::HttpServer(ServerOptions options, Handler handler,
                       std::function<void(const std::string&)> log)
    : impl_(std::make_shared<Impl>(std::move(options), std::move(handler), std::move(log))) {
  char name[256] = {};
  if (gethostname(name, sizeof name - 1) == 0) impl_->machine_name = name;
}

// What still waits in the queue owns the server that owns the queue: it comes to its end first.
HttpServer::~HttpServer() {
  impl_->close();
  impl_->io.restart();
  impl_->io.poll();
}

Result<void> HttpServer::listen() {
  beast::error_code error;
  tcp::resolver resolver(impl_->io);
  const auto found = resolver.resolve(impl_->options.host, std::to_string(impl_->options.port),
                                      tcp::resolver::passive, error);
  if (error || found.empty()) {
    return Error{ErrorKind::invalid_input,
                 "host \"" + impl_->options.host +
                     "\" is not an address of this machine: " + error.message()};
  }
  const tcp::endpoint endpoint = found.begin()->endpoint();
  impl_->acceptor.open(endpoint.protocol(), error);
  if (!error) impl_->acceptor.set_option(asio::socket_base::reuse_address(true), error);
  if (!error) impl_->acceptor.bind(endpoint, error);
  if (!error) impl_->acceptor.listen(1024, error);
  if (error) {
    return Error{ErrorKind::io, "cannot listen on " + impl_->options.host + ":" +
                                    std::to_string(impl_->options.port) + ": " + error.message()};
  }
  return {};
}

unsigned short HttpServer::port() const { return impl_->acceptor.local_endpoint().port(); }
bool HttpServer::loopback() const {
  return impl_->acceptor.local_endpoint().address().is_loopback();
}

void HttpServer::run() {
  impl_->accept();
  impl_->beat();
  impl_->io.run();
}

void HttpServer::stop() {
  asio::post(impl_->io, [impl = impl_] {
    impl->close();
    impl->io.stop();
  });
}

void HttpServer::publish(const std::string& event, const std::string& data) {
  asio::post(impl_->io, [impl = impl_, words = "event: " + event + "\ndata: " + data + "\n\n"] {
    const auto all = impl->sessions;
    for (const auto& session : all) {
      if (session->follower) session->say(words);
    }
  });
}

void HttpServer::set_greeting(std::function<std::string()> greeting) {
  impl_->greeting = std::move(greeting);
}

}  // namespace vbo::web
