// SPDX-License-Identifier: MIT
// On Boost.Beast and Asio. The only file that includes them: they are heavy to compile.
#include "web/http.hpp"

#include <unistd.h>

#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <deque>
#include <optional>
#include <set>
#include <sstream>

#include "core/json.hpp"
#include "web/address.hpp"
#include "web/page.hpp"
#include "web/unsent.hpp"

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
constexpr std::size_t kMostWaitingBytes = 1 << 20;  // of a follower that does not read
// What one write hands over, and how long a reader may take for it: the time says that somebody
// reads, whatever the length of the whole answer.
constexpr std::size_t kPieceBytes = std::size_t{64} << 10;
constexpr auto kMostForPiece = std::chrono::seconds(30);
constexpr auto kStalled = std::chrono::seconds(5);  // since the last piece: may make room
constexpr int kKernelBytes = 256 << 10;             // that the system keeps of one connection
constexpr auto kHeartbeat = std::chrono::seconds(10);

using RawRequest = http::request<http::string_body>;

std::string text(beast::string_view view) { return {view.data(), view.size()}; }

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
  UnsentBytes unsent;
  std::string machine_name;
  steady_clock::time_point last_refusal{};
  std::int64_t refusals = 0;
  bool closed = false;  // nobody is answered any more

  void accept();
  void beat();
  void close();
  void make_room();
  void close_slow_readers(const Session& newest);
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
  bool open = true;
  std::string head;                      // of the answer that is being sent, until it has gone
  UnsentBytes::Text body;                // of the same; counted by the server while it is here
  std::size_t sent = 0;                  // bytes of the body
  bool keep = false;                     // the connection, after the answer
  std::deque<UnsentBytes::Text> outbox;  // follower only
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

  void send(Response response, bool keep_open, bool head_only) {
    http::response<http::empty_body> reply(
        http::int_to_status(static_cast<unsigned>(response.status)), 11);
    reply.set(http::field::content_type, response.type);
    reply.set(http::field::cache_control, "no-store");
    reply.set("X-Content-Type-Options", "nosniff");
    reply.set("Referrer-Policy", "no-referrer");
    reply.set("Cross-Origin-Resource-Policy", "same-origin");
    for (const auto& [name, value] : response.headers) reply.set(name, value);
    reply.keep_alive(keep_open);
    UnsentBytes::Text text = std::move(response.shared);
    if (!text) text = std::make_shared<const std::string>(std::move(response.body));
    reply.content_length(text->size());
    if (head_only) text = std::make_shared<const std::string>();
    std::ostringstream words;
    words << reply.base();
    if (!open || server->closed) return;
    head = words.str();
    body = std::move(text);
    sent = 0;
    keep = keep_open;
    since = steady_clock::now();
    server->unsent.add(body);
    server->close_slow_readers(*this);
    send_piece();
  }

  void send_piece() {
    const std::size_t size = std::min(kPieceBytes, body->size() - sent);
    const std::array<asio::const_buffer, 2> buffers{asio::buffer(head),
                                                    asio::buffer(body->data() + sent, size)};
    stream.expires_after(kMostForPiece);
    asio::async_write(stream, buffers,
                      [self = shared_from_this(), size](beast::error_code error, std::size_t) {
                        self->since = steady_clock::now();
                        if (error || !self->open) return self->end();
                        self->head.clear();
                        self->sent += size;
                        if (self->sent < self->body->size()) return self->send_piece();
                        self->forget_body();
                        self->busy = false;
                        if (!self->keep) return self->end();
                        self->read(self->server->options.idle_seconds);
                      });
  }

  void forget_body() {
    if (body) server->unsent.remove(body);
    body.reset();
  }

  void follow() {
    follower = true;
    stream.expires_never();
    say_text(
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n"
        "X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n");
    if (server->greeting) say_text("event: hello\ndata: " + server->greeting() + "\n\n");
  }

  void say_text(std::string words) { say(std::make_shared<const std::string>(std::move(words))); }

  void say(const UnsentBytes::Text& words) {
    if (outbox_bytes + words->size() > kMostWaitingBytes) return end();  // it comes back if it can
    outbox_bytes += words->size();
    outbox.push_back(words);
    if (!writing) write_next();
  }

  void write_next() {
    if (outbox.empty()) return;
    writing = true;
    stream.expires_after(kMostForPiece);
    asio::async_write(stream, asio::buffer(*outbox.front()),
                      [self = shared_from_this()](beast::error_code error, std::size_t) {
                        self->writing = false;
                        if (error) return self->end();
                        self->since = steady_clock::now();
                        self->outbox_bytes -= self->outbox.front()->size();
                        self->outbox.pop_front();
                        self->stream.expires_never();
                        self->write_next();
                      });
  }

  void end() {
    if (!open) return;
    open = false;
    // The body itself stays until the write that uses it has come back.
    if (body) server->unsent.remove(body);
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

// The one that was sent the newest answer stays, so that an answer larger than the limit arrives.
void HttpServer::Impl::close_slow_readers(const Session& newest) {
  while (unsent.total() > options.most_unsent) {
    std::shared_ptr<Session> slowest;
    for (const auto& session : sessions) {
      if (!session->body || session.get() == &newest) continue;
      if (!slowest || session->since < slowest->since) slowest = session;
    }
    if (!slowest) return;
    count_refusal("readers that do not read: more than " + std::to_string(options.most_unsent) +
                  " bytes of answers were waiting");
    slowest->end();
  }
}

void HttpServer::Impl::make_room() {
  std::shared_ptr<Session> silent;
  const auto stalled = steady_clock::now() - kStalled;
  for (const auto& session : sessions) {
    const bool reads_nothing = session->body && session->since < stalled;
    if ((session->busy && !reads_nothing) || session->follower) continue;
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
          socket.set_option(asio::socket_base::send_buffer_size(kKernelBytes), error);
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
    const auto alive = std::make_shared<const std::string>(": alive\n\n");
    for (const auto& session : all) {
      if (session->follower) session->say(alive);
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
  auto words = std::make_shared<const std::string>("event: " + event + "\ndata: " + data + "\n\n");
  asio::post(impl_->io, [impl = impl_, words = std::move(words)] {
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
