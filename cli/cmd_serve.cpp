// SPDX-License-Identifier: MIT
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "cli/ask_and_tell.hpp"
#include "cli/commands.hpp"
#include "cli/file_kind.hpp"
#include "cli/signals.hpp"
#include "cli/target.hpp"
#include "core/one_line.hpp"
#ifdef VBO_HAVE_PAGE
#include "web/http.hpp"
#include "web/service.hpp"
#endif

namespace vbo::cli {
namespace {

constexpr std::int64_t kLastPort = 65535;
constexpr std::size_t kShortestToken = 16;
[[maybe_unused]] constexpr double kWait = 10.0;  // seconds for others who write

struct ServeArguments {
  std::string study;
  std::string host = "127.0.0.1";
  std::int64_t port = 8080;
  std::string token_file;
  bool allow_tell = false;
};

#ifdef VBO_HAVE_PAGE

Result<std::vector<Trial>> ask(const std::string& argument, std::int64_t count, bool over_budget) {
  Result<Answer> answer = ask_for({.study = argument,
                                   .count = count,
                                   .wait_seconds = kWait,
                                   .over_budget = over_budget,
                                   .results = {}});
  if (!answer) return answer.error();
  if (answer->trials.empty()) {
    return Error{ErrorKind::conflict, "the space has no more points to suggest"};
  }
  return std::move(answer->trials);
}

Result<Trial> tell(const std::string& argument, const web::Telling& telling) {
  if (telling.at) {
    const auto results = [&](const StudyRecord&) -> Result<Delivery> {
      return Delivery{.results = {{*telling.at, telling.outcome}}};
    };
    Result<Answer> answer = ask_for({.study = argument, .wait_seconds = kWait, .results = results});
    if (!answer) return answer.error();
    if (answer->trials.empty()) {
      return Error{ErrorKind::conflict, "the result was not stored; tell it again"};
    }
    return std::move(answer->trials.front());
  }
  const Result<Told> told = tell_result({.study = argument,
                                         .outcome = telling.outcome,
                                         .actual = telling.actual,
                                         .replace = telling.replace,
                                         .wait_seconds = kWait});
  return told ? Result<Trial>(told->trial) : told.error();
}

Result<void> drop(const std::string& argument, const std::vector<TrialId>& ids,
                  const std::string& reason) {
  const Result<OpenedStudy> study = open_queue(argument, kWait);
  if (!study) return study.error();
  for (const TrialId id : ids) {
    const Result<std::optional<Trial>> stored = study->storage->load_trial(id);
    if (!stored) return stored.error();
    if (!*stored) return no_such_trial(*study->storage, id, argument);
  }
  return study->storage->drop(ids, reason);
}

Result<std::string> token_in(const std::string& file_name) {
  std::ifstream file(file_name);
  std::string token;
  if (!file || !(file >> token)) {
    return Error{ErrorKind::invalid_input,
                 "--token-file " + file_name + ": cannot be read, or is empty"};
  }
  if (token.size() < kShortestToken) {
    return Error{ErrorKind::invalid_input, "--token-file " + file_name + ": the token has " +
                                               std::to_string(token.size()) +
                                               " characters, expected at least 16"};
  }
  return token;
}

// Each connection needs a file descriptor; the usual limit of 1024 is the system's, not ours.
void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, 4096);
  setrlimit(RLIMIT_NOFILE, &limit);
}

// The study; with --allow-tell one that is not there yet begins.
Result<OpenedStudy> study_to_serve(const ServeArguments& options) {
  Result<OpenedStudy> study = open_to_read(options.study);
  const bool begins = !study && study.error().kind == ErrorKind::not_found && options.allow_tell &&
                      is_study_file(options.study);
  if (!begins) return study;
  if (Result<Study> made = open_to_write(options.study); !made) {
    if (made.error().kind != ErrorKind::busy) return made.error();  // busy: somebody else makes it
  } else if (const Result<void> closed = made->close(); !closed) {
    return closed.error();
  }
  return open_to_read(options.study);
}

int serve(const ServeArguments& options, const Console& console) {
  const Result<OpenedStudy> study = study_to_serve(options);
  if (!study) return fail(study.error());
  web::ServerOptions server_options;
  server_options.host = options.host;
  server_options.port = static_cast<unsigned short>(options.port);
  if (!options.token_file.empty()) {
    Result<std::string> token = token_in(options.token_file);
    if (!token) return fail(token.error());
    server_options.token = std::move(*token);
  }
  web::StudyWriter writer;
  if (options.allow_tell) {
    writer.ask = [&](std::int64_t count, bool over_budget) {
      return ask(options.study, count, over_budget);
    };
    writer.tell = [&](const web::Telling& telling) { return tell(options.study, telling); };
    writer.drop = [&](const std::vector<TrialId>& ids, const std::string& reason) {
      return drop(options.study, ids, reason);
    };
  }
  const auto open = [url = study->url] { return open_storage(url, Access::read); };
  auto service = std::make_unique<web::StudyService>(
      study->url, open, ledger_of(study->record.space, study->record.method_options()), writer);
  if (const Result<void> loaded = service->load(); !loaded) return fail(loaded.error());

  raise_descriptor_limit();
  web::HttpServer server(
      server_options,
      [&service](const web::Request& request, const web::HttpServer::Respond& respond) {
        service->handle(request, respond);
      },
      [&console](const std::string& line) {
        if (!console.quiet) print_err("vbo serve: " + one_line(line) + "\n");
      });
  if (const Result<void> bound = server.listen(); !bound) return fail(bound.error());
  if (!server.loopback() && options.token_file.empty()) {
    return fail(kWrongUsage, "--host " + options.host +
                                 " can be reached from other machines, which needs --token-file");
  }
  const std::atomic<int>& interrupts = watch_interrupts();
  server.set_greeting([&service] { return service->greeting(); });
  const std::string shown =
      options.host.find(':') == std::string::npos ? options.host : "[" + options.host + "]";
  print_out("http://" + shown + ":" + std::to_string(server.port()) + "/\n");
  std::fflush(stdout);

  std::atomic<bool> stop{false};
  std::thread watcher([&] {
    service->watch([&server](const std::string& event,
                             const std::string& data) { server.publish(event, data); },
                   stop);
  });
  std::thread signals([&] {
    while (interrupts == 0) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop = true;
    server.stop();
  });
  server.run();
  signals.join();
  watcher.join();
  service.reset();  // its last answers go to the server, which forgets them
  return kDone;
}

#else

int serve(const ServeArguments&, const Console&) {
  return fail(kWrongUsage, "this build has no page: it was made without zlib or D3");
}

#endif

}  // namespace

Action define_serve(CLI::App& app, const Console& console) {
  auto options = std::make_shared<ServeArguments>();
  Arguments arguments(app);
  arguments.positional("STUDY", options->study, "Storage (.db) or study file (.toml)");
  arguments.option("--port", options->port, "N", "Port to listen on; 0 = any free one", 0,
                   kLastPort);
  arguments.option("--host", options->host, "H", "Address to listen on; 127.0.0.1 if not given");
  arguments.option("--token-file", options->token_file, "FILE",
                   "File with the token that clients send");
  arguments.flag("--allow-tell", options->allow_tell,
                 "Also take POST /api/ask, /api/tell and /api/drop");
  return [options, &console] { return serve(*options, console); };
}

}  // namespace vbo::cli
