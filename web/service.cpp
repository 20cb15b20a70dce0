// SPDX-License-Identifier: MIT
#include "web/service.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <random>
#include <thread>

#include "core/limits.hpp"
#include "core/users_sign.hpp"
#include "report/json.hpp"
#include "web/page.hpp"
#include "web/payload.hpp"

namespace vbo::web {
namespace {

using std::chrono::steady_clock;

constexpr auto kLookEvery = std::chrono::milliseconds(250);
constexpr std::size_t kMostOpen = 2000;  // open trials read one by one; more: read everything
constexpr auto kReloadEvery = std::chrono::seconds(30);  // finds corrections of old results
constexpr std::int64_t kMostTrials = 10000;              // in one answer of /api/trials
constexpr std::int64_t kMostAsked = 10000;
constexpr int kFailuresToTell = 4;  // in a row
constexpr auto kLongestLook = std::chrono::seconds(2);
constexpr int kRest = 4;  // importance may take a fifth of one processor

Response json_response(const Json& json, int status = 200) {
  return {status, "application/json", dump(json) + "\n"};
}

int status_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::invalid_input:
      return 400;
    case ErrorKind::not_found:
      return 404;
    case ErrorKind::conflict:
      return 409;
    case ErrorKind::busy:
      return 503;
    case ErrorKind::damaged:
    case ErrorKind::io:
      return 500;
    case ErrorKind::unsupported:
      return 501;
  }
  return 500;
}

Response response_of(const Error& error) {
  Response response = error_response(status_of(error.kind), error.message);
  if (error.kind == ErrorKind::busy) response.headers["Retry-After"] = "1";
  return response;
}

std::string random_name() {
  std::random_device device;
  return std::to_string(device()) + "-" + std::to_string(device());
}

std::optional<std::int64_t> whole_number(const std::string& text) {
  if (text.empty() || text.size() > 18) return std::nullopt;
  if (!std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; })) {
    return std::nullopt;
  }
  return std::stoll(text);
}

EventId last_event(const Trial& trial) { return std::max(trial.asked_in, trial.told_in); }

// Nothing more happens to it: it has ended, and the method has heard of it.
bool settled(const Trial& trial) {
  const bool ended = trial.state == TrialState::completed || trial.state == TrialState::failed;
  return ended && trial.told_in > 0;
}

// What followers would notice.
bool differs(const Trial& a, const Trial& b) {
  return a.state != b.state || a.value != b.value || a.failure != b.failure ||
         a.told_in != b.told_in || a.attempts != b.attempts || a.worker != b.worker ||
         a.started_at != b.started_at || a.metrics != b.metrics;
}

Json with_history(const Space& space, const Trial& trial) {
  Json json = trial_json(space, trial);
  json["asked_in"] = trial.asked_in;
  json["told_in"] = trial.told_in;
  json["asked_at"] = trial.asked_at;
  json["started_at"] = trial.started_at;
  json["finished_at"] = trial.finished_at;
  json["worker"] = trial.worker;
  json["metrics"] = trial.metrics;
  return json;
}

Result<Json> object_in(const std::string& body) {
  Result<Json> json = parse_json(body);
  if (!json) return json.error();
  if (!json->is_object()) return Error{ErrorKind::invalid_input, "expected a JSON object"};
  return json;
}

Error wrong_field(const std::string& field, const std::string& right) {
  return {ErrorKind::invalid_input, "field \"" + field + "\": expected " + right, field};
}

// {"id": 7, "value": 1.2, "metrics": {...}} or {"id": 7, "error": "..."}
Result<Trial> told_in_body(const std::string& body) {
  const Result<Json> json = object_in(body);
  if (!json) return json.error();
  Trial trial;
  for (const auto& item : json->items()) {
    if (item.key() != "id" && item.key() != "value" && item.key() != "error" &&
        item.key() != "metrics") {
      return Error{ErrorKind::invalid_input,
                   "field \"" + item.key() + "\" is unknown; expected id, value, metrics, error",
                   item.key()};
    }
  }
  if (!json->contains("id") || !(*json)["id"].is_number_integer()) {
    return wrong_field("id", "the id of a suggestion");
  }
  trial.id = (*json)["id"].get<TrialId>();
  if (json->contains("value") == json->contains("error")) {
    return wrong_field("value", "either a value or an error");
  }
  if (json->contains("error")) {
    if (!(*json)["error"].is_string()) return wrong_field("error", "text");
    trial.state = TrialState::failed;
    trial.failure = Failure{FailureCause::reported, (*json)["error"].get<std::string>()};
    return trial;
  }
  if (!(*json)["value"].is_number()) return wrong_field("value", "a number");
  trial.state = TrialState::completed;
  trial.value = (*json)["value"].get<double>();
  if (!json->contains("metrics")) return trial;
  if (!(*json)["metrics"].is_object()) return wrong_field("metrics", "an object of numbers");
  for (const auto& item : (*json)["metrics"].items()) {
    if (!item.value().is_number()) return wrong_field("metrics." + item.key(), "a number");
    trial.metrics[item.key()] = item.value().get<double>();
  }
  return trial;
}

}  // namespace

// One thread that does one thing after the other.
struct StudyService::Worker {
  Worker() : thread([this] { loop(); }) {}
  ~Worker() {
    {
      const std::lock_guard lock(mutex);
      ending = true;
    }
    ready.notify_one();
    thread.join();
  }
  bool add(std::function<void()> work) {
    {
      const std::lock_guard lock(mutex);
      if (queue.size() >= 256) return false;
      queue.push_back(std::move(work));
    }
    ready.notify_one();
    return true;
  }
  void loop() {
    std::unique_lock lock(mutex);
    for (;;) {
      ready.wait(lock, [this] { return ending || !queue.empty(); });
      if (ending) return;
      const std::function<void()> work = std::move(queue.front());
      queue.pop_front();
      lock.unlock();
      work();
      lock.lock();
    }
  }

  std::mutex mutex;
  std::condition_variable ready;
  std::deque<std::function<void()>> queue;
  bool ending = false;
  std::thread thread;
};

StudyService::StudyService(std::string url, std::function<Result<std::unique_ptr<Storage>>()> open,
                           Ledger ledger, StudyWriter writer)
    : url_(std::move(url)),
      open_(std::move(open)),
      ledger_(std::move(ledger)),
      writer_(std::move(writer)),
      instance_(random_name()),
      worker_(std::make_unique<Worker>()) {}

StudyService::~StudyService() = default;

Result<void> StudyService::load() {
  const Result<bool> done = reload();
  if (!done) return done.error();
  return {};
}

Result<bool> StudyService::reload() {
  if (!storage_) {
    Result<std::unique_ptr<Storage>> opened = open_();
    if (!opened) return opened.error();
    storage_ = std::move(*opened);
  }
  Result<StudyReport> fresh = make_report(*storage_);
  if (!fresh) return fresh.error();
  const std::lock_guard lock(mutex_);
  std::vector<std::size_t> changed;
  for (std::size_t i = 0; i < fresh->trials.size(); ++i) {
    if (i >= report_.trials.size() || differs(report_.trials[i], fresh->trials[i])) {
      changed.push_back(i);
    }
  }
  report_ = std::move(*fresh);
  open_ids_.clear();
  for (const Trial& trial : report_.trials) {
    if (!settled(trial)) open_ids_.insert(trial.id);
  }
  if (changed.empty() && version_ > 0) return false;
  changed_.insert(changed_.end(), changed.begin(), changed.end());
  ++version_;
  return true;
}

// Only what can have changed is read: open trials one by one, and trials after the last.
Result<bool> StudyService::refresh() {
  const Result<TrialCounts> counts = storage_->counts();
  if (!counts) return counts.error();
  const TrialCounts& before = report_.counts;
  if (counts->completed == before.completed && counts->failed == before.failed &&
      counts->running == before.running && counts->waiting == before.waiting &&
      static_cast<std::int64_t>(open_ids_.size()) == before.running + before.waiting) {
    return false;
  }
  const bool shrunk = counts->completed + counts->failed < before.completed + before.failed;
  if (open_ids_.size() > kMostOpen || shrunk || report_.trials.empty()) return reload();
  std::vector<Trial> fresh;
  for (const TrialId id : open_ids_) {
    Result<std::optional<Trial>> trial = storage_->load_trial(id);
    if (!trial) return trial.error();
    if (!*trial) return reload();
    (*trial)->stderr_tail.clear();
    fresh.push_back(std::move(**trial));
  }
  Result<std::vector<Trial>> added = storage_->load_trials(report_.trials.back().id + 1);
  if (!added) return added.error();
  const Result<std::vector<RoundReport>> rounds = storage_->load_reports();
  if (!rounds) return rounds.error();
  Result<std::optional<StudyRecord>> record = storage_->load_study();
  if (!record) return record.error();
  if (!*record) return Error{ErrorKind::not_found, "the study is gone"};

  const std::lock_guard lock(mutex_);
  std::vector<Trial> trials = std::move(report_.trials);
  for (Trial& trial : fresh) {
    const auto it = std::lower_bound(trials.begin(), trials.end(), trial.id,
                                     [](const Trial& t, TrialId id) { return t.id < id; });
    if (!differs(*it, trial)) continue;
    changed_.push_back(static_cast<std::size_t>(it - trials.begin()));
    if (settled(trial)) open_ids_.erase(trial.id);
    *it = std::move(trial);
  }
  for (Trial& trial : *added) {
    changed_.push_back(trials.size());
    if (!settled(trial)) open_ids_.insert(trial.id);
    trial.stderr_tail.clear();
    trials.push_back(std::move(trial));
  }
  report_ = make_report(std::move(**record), std::move(trials), *rounds);
  if (changed_.empty()) return false;
  ++version_;
  return true;
}

std::string StudyService::greeting() const {
  const std::lock_guard lock(mutex_);
  return dump(Json{{"instance", instance_},
                   {"version", version_},
                   {"writable", static_cast<bool>(writer_.tell)}});
}

void StudyService::publish_changes(const Publish& publish) {
  std::string data;
  {
    const std::lock_guard lock(mutex_);
    std::sort(changed_.begin(), changed_.end());
    changed_.erase(std::unique(changed_.begin(), changed_.end()), changed_.end());
    PayloadParts parts;
    parts.url = url_;
    parts.ledger = &ledger_;
    data = dump(Json{{"instance", instance_},
                     {"version", version_},
                     {"payload", base64(payload_of(report_, changed_, parts))}});
    changed_.clear();
  }
  publish("change", data);
}

void StudyService::refresh_importance(const Publish& publish) {
  std::vector<Trial> trials;
  Space space;
  {
    const std::lock_guard lock(mutex_);
    space = report_.record.space;
    trials = report_.trials;
    importance_results_ = report_.counts.completed;
  }
  Importance fresh = importance(space, trials, {.threads = 1});
  std::string data;
  {
    const std::lock_guard lock(mutex_);
    importance_ = std::move(fresh);
    data = dump(importance_json(importance_));
  }
  if (publish) publish("importance", data);
}

bool StudyService::importance_is_old() const {
  const std::lock_guard lock(mutex_);
  return importance_results_ != report_.counts.completed;
}

// Until the next look, or until somebody has written something through us.
void StudyService::rest(steady_clock::duration time, const std::atomic<bool>& stop) {
  const auto end = steady_clock::now() + time;
  std::unique_lock lock(mutex_);
  ++looks_;
  looked_.notify_all();
  while (!stop && !hurry_ && steady_clock::now() < end) {
    looked_.wait_until(lock, std::min(end, steady_clock::now() + std::chrono::milliseconds(50)));
  }
  hurry_ = false;
}

// So that who has told something finds it when he asks: returns when the study has been looked at
// again, from begin to end.
void StudyService::look_again() const {
  std::unique_lock lock(mutex_);
  if (!watching_) return;
  const std::int64_t enough = looks_ + 2;  // the look under way may have begun too early
  const auto end = steady_clock::now() + kLongestLook;
  while (looks_ < enough && steady_clock::now() < end) {
    hurry_ = true;
    looked_.notify_all();
    looked_.wait_for(lock, std::chrono::milliseconds(20));
  }
}

void StudyService::tell_problem(const Publish& publish, const std::string& problem) {
  {
    const std::lock_guard lock(mutex_);
    if (problem_ == problem) return;
    problem_ = problem;
  }
  publish("problem", dump(Json{{"error", problem.empty() ? Json() : Json(problem)}}));
}

void StudyService::watch(const Publish& publish, const std::atomic<bool>& stop) {
  {
    const std::lock_guard lock(mutex_);
    watching_ = true;
  }
  auto last_reload = steady_clock::now();
  auto next_importance = steady_clock::now();
  int failures = 0;  // in a row
  while (!stop) {
    const auto begin = steady_clock::now();
    const bool whole = failures > 0 || begin - last_reload > kReloadEvery;
    const Result<bool> changed = whole ? reload() : refresh();
    if (whole) last_reload = begin;
    if (changed) {
      failures = 0;
      tell_problem(publish, "");
      if (*changed) publish_changes(publish);
      if (steady_clock::now() >= next_importance && importance_is_old()) {
        const auto start = steady_clock::now();
        refresh_importance(publish);
        next_importance = steady_clock::now() + kRest * (steady_clock::now() - start) + kLookEvery;
      }
    } else {
      // A file that is being replaced, a server that restarts: look again, and say so if it lasts.
      storage_.reset();
      if (++failures >= kFailuresToTell) tell_problem(publish, changed.error().message);
    }
    // Looking may take a third of the time, not more.
    rest(std::max<steady_clock::duration>(kLookEvery, 2 * (steady_clock::now() - begin)), stop);
  }
  const std::lock_guard lock(mutex_);
  watching_ = false;
}

Response StudyService::study() const {
  const std::lock_guard lock(mutex_);
  if (!problem_.empty()) return error_response(503, problem_);
  Json json = status_json(report_, url_);
  EventId event = 0;
  for (const Trial& trial : report_.trials) event = std::max(event, last_event(trial));
  json["event"] = event;
  json["space"] = parameters_json(report_.record.space);
  json["constraints"] = report_.record.space.constraints();
  json["limits"] = limits_json(report_.record.space);
  return json_response(json);
}

Response StudyService::trials(const Request& request) const {
  std::int64_t after = 0;
  for (const auto& [name, value] : request.query) {
    const std::optional<std::int64_t> number = whole_number(value);
    if (name != "after" || !number) {
      return error_response(400, "expected /api/trials?after=EVENT with a whole number");
    }
    after = *number;
  }
  const std::lock_guard lock(mutex_);
  std::vector<const Trial*> found;
  for (const Trial& trial : report_.trials) {
    if (last_event(trial) > after) found.push_back(&trial);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Trial* a, const Trial* b) { return last_event(*a) < last_event(*b); });
  std::size_t many = std::min(found.size(), static_cast<std::size_t>(kMostTrials));
  // Trials of one event stay together, so that "after" never skips one.
  while (many > 0 && many < found.size() &&
         last_event(*found[many]) == last_event(*found[many - 1])) {
    ++many;
  }
  Json list = Json::array();
  for (std::size_t i = 0; i < many; ++i) {
    list.push_back(with_history(report_.record.space, *found[i]));
  }
  return json_response({{"event", many > 0 ? last_event(*found[many - 1]) : after},
                        {"more", many < found.size()},
                        {"trials", std::move(list)}});
}

Response StudyService::trial(const std::string& id_text) {
  const std::optional<std::int64_t> id = whole_number(id_text);
  if (!id) return error_response(404, "expected /api/trials/ID with a whole number");
  const Result<std::unique_ptr<Storage>> storage = open_();
  if (!storage) return response_of(storage.error());
  const Result<std::optional<Trial>> found = (*storage)->load_trial(*id);
  if (!found) return response_of(found.error());
  if (!*found) return error_response(404, "there is no trial " + id_text);
  Space space;
  Goal goal;
  {
    const std::lock_guard lock(mutex_);
    space = report_.record.space;
    goal = report_.record.goal;
  }
  Json json = with_history(space, **found);
  json["ledger"] = ledger_json(ledger_, in_present_form(goal, ledger_, (*found)->rationale));
  return json_response(json);
}

Response StudyService::page() {
  const std::lock_guard lock(mutex_);
  if (!problem_.empty() && version_ == 0) return error_response(503, problem_);
  PayloadParts parts;
  parts.url = url_;
  parts.ledger = &ledger_;
  parts.importance = importance_results_ >= 0 ? &importance_ : nullptr;
  Response response{200, "application/octet-stream", payload_of(report_, parts)};
  response.headers["X-Vbo-Version"] = instance_ + " " + std::to_string(version_);
  return response;
}

Response StudyService::ask(const Request& request) const {
  const Result<Json> json = object_in(request.body);
  if (!json) return response_of(json.error());
  std::int64_t count = 1;
  for (const auto& item : json->items()) {
    if (item.key() != "count" || !item.value().is_number_integer() ||
        item.value().get<double>() < 1 || item.value().get<double>() > kMostAsked) {
      return response_of(wrong_field(item.key(), "{\"count\": 1 to 10000}"));
    }
    count = item.value().get<std::int64_t>();
  }
  const Result<std::vector<Trial>> trials = writer_.ask(count);
  if (!trials) return response_of(trials.error());
  look_again();
  Space space;
  {
    const std::lock_guard lock(mutex_);
    space = report_.record.space;
  }
  Json list = Json::array();
  for (const Trial& trial : *trials) list.push_back(suggestion_json(space, trial));
  return json_response(list);
}

Response StudyService::tell(const Request& request) {
  const Result<Trial> ended = told_in_body(request.body);
  if (!ended) return response_of(ended.error());
  if (ended->value) {
    const std::lock_guard lock(mutex_);
    const Result<void> complete = check_metrics(report_.record.space, ended->metrics);
    if (!complete) return response_of(complete.error());
  }
  const Result<void> done = writer_.tell(*ended);
  if (!done) return response_of(done.error());
  look_again();
  return json_response({{"id", ended->id},
                        {"state", to_string(ended->state)},
                        {"value", ended->value ? Json(*ended->value) : Json()},
                        {"error", ended->failure ? Json(ended->failure->message) : Json()}});
}

void StudyService::later(std::function<Response()> work, const HttpServer::Respond& respond) {
  const bool taken = worker_->add([work = std::move(work), respond] { respond(work()); });
  if (!taken) respond(error_response(503, "too many requests are waiting"));
}

void StudyService::handle(const Request& request, const HttpServer::Respond& respond) {
  if (request.method == "GET") {
    if (request.path == "/" || request.path == "/index.html") {
      Response page{200, "text/html; charset=utf-8", live_page()};
      page.headers["Content-Security-Policy"] = live_policy();
      page.headers["X-Frame-Options"] = "DENY";
      return respond(std::move(page));
    }
    if (request.path == "/api/study") return respond(study());
    if (request.path == "/api/trials") return respond(trials(request));
    if (request.path.rfind("/api/trials/", 0) == 0) {
      return later([this, id = request.path.substr(12)] { return trial(id); }, respond);
    }
    if (request.path == "/api/importance") {
      return later(
          [this] {
            if (importance_is_old()) refresh_importance({});
            const std::lock_guard lock(mutex_);
            return json_response(json_of(importance_));
          },
          respond);
    }
    if (request.path == "/api/page") return respond(page());
  }
  const bool asks = request.path == "/api/ask", tells = request.path == "/api/tell";
  if (!asks && !tells) return respond(error_response(404, "nothing here by that name"));
  if (request.method != "POST") {
    Response response = error_response(405, "use POST");
    response.headers["Allow"] = "POST";
    return respond(std::move(response));
  }
  if (!writer_.tell) {
    return respond(
        error_response(403, "this server only shows the study; start it with --allow-tell"));
  }
  later([this, request, asks] { return asks ? ask(request) : tell(request); }, respond);
}

}  // namespace vbo::web
