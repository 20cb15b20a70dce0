// SPDX-License-Identifier: MIT
#include "bench/serve.hpp"

#include <chrono>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>

#include "core/json.hpp"

namespace vbo::bench {
namespace {

using Clock = std::chrono::steady_clock;

// One answer per line, whatever is in it.
void answer_lines(std::istream& in, std::ostream& out,
                  const std::function<Json(const Json&)>& answer) {
  for (std::string line; std::getline(in, line);) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    Json reply;
    try {
      const Result<Json> request = parse_json(line);
      if (!request) throw std::runtime_error(request.error().message);
      if (!request->is_object()) throw std::runtime_error("expected a JSON object");
      reply = answer(*request);
    } catch (const std::exception& e) {
      reply = {{"error", e.what()}};
    }
    out << dump(reply) << std::endl;
  }
}

// The state of serve_method: which points are open, and the next id.
class MethodServer {
 public:
  MethodServer(Optimizer& optimizer, const tasks::Task& task)
      : optimizer_(optimizer),
        space_(task.space()),
        sign_(task.info().goal == Goal::minimize ? -1.0 : 1.0) {}

  Json answer(const Json& request) {
    if (request.contains("ask")) return ask(request["ask"].get<std::int64_t>());
    if (request.contains("tell")) return tell(request["tell"]);
    throw std::runtime_error("expected ask or tell");
  }

 private:
  Json ask(std::int64_t n) {
    if (n < 1 || n > 1'000'000) throw std::runtime_error("ask must be from 1 to 1000000");
    std::vector<TrialId> ids(static_cast<std::size_t>(n));
    std::iota(ids.begin(), ids.end(), next_id_);
    next_id_ += n;
    const auto start = Clock::now();
    const std::vector<Suggestion> suggestions = optimizer_.ask(ids);
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    ++event_;
    Json list = Json::array();
    for (std::size_t i = 0; i < suggestions.size(); ++i) {
      Trial trial{.id = ids[i], .point = suggestions[i].point};
      trial.rationale = suggestions[i].rationale;
      trial.asked_in = event_;
      list.push_back(suggestion_json(space_, trial));
      open_.emplace(ids[i], std::move(trial));
    }
    return {{"suggestions", std::move(list)}, {"seconds", seconds}};
  }

  // Nothing is told unless every result makes sense.
  Json tell(const Json& results) {
    std::vector<Trial> trials;
    TrialId next = next_id_;
    for (const Json& result : results) {
      Trial trial;
      if (result.contains("params")) {
        Result<Point> point = point_from(space_, result["params"]);
        if (!point) throw std::runtime_error(point.error().message);
        trial.id = next++;
        trial.point = *std::move(point);
      } else {
        const auto id = result.at("id").get<TrialId>();
        const auto found = open_.find(id);
        if (found == open_.end())
          throw std::runtime_error("no open suggestion " + std::to_string(id));
        trial = found->second;
      }
      finish(trial, result);
      trials.push_back(std::move(trial));
    }
    next_id_ = next;
    ++event_;
    for (Trial& trial : trials) {
      trial.told_in = event_;
      open_.erase(trial.id);
    }
    const auto start = Clock::now();
    optimizer_.tell(trials);
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return {{"told", trials.size()}, {"seconds", seconds}};
  }

  void finish(Trial& trial, const Json& result) const {
    trial = ended_by(std::move(trial), outcome_from(result));
    trial.attempts = 1;
    if (trial.value) trial.value = sign_ * *trial.value;
  }

  Optimizer& optimizer_;
  const Space& space_;
  double sign_;
  TrialId next_id_ = 1;
  EventId event_ = 0;
  std::map<TrialId, Trial> open_;
};

}  // namespace

std::string describe(const tasks::Task& task) {
  const tasks::TaskInfo& info = task.info();
  const Json json = {{"task", info.name},
                     {"goal", to_string(info.goal)},
                     {"noise", info.noise},
                     {"optimum", info.optimum ? Json(info.optimum->value) : Json()},
                     {"parameters", json_of(task.space())}};
  return dump(json);
}

void serve_task(const tasks::Task& task, std::uint64_t seed, std::istream& in, std::ostream& out) {
  answer_lines(in, out, [&](const Json& request) -> Json {
    const auto id = request.at("id").get<std::int64_t>();
    const Result<Point> point = point_from(task.space(), request.at("params"));
    if (!point) return {{"id", id}, {"error", point.error().message}};
    Rng rng(seed, "benchmark-evaluation", static_cast<std::uint64_t>(id));
    const double value = task.evaluate(*point, rng);
    if (!std::isfinite(value)) return {{"id", id}, {"error", "the value is not finite"}};
    return {{"id", id}, {"value", value}};
  });
}

void serve_method(Optimizer& optimizer, const tasks::Task& task, std::istream& in,
                  std::ostream& out) {
  MethodServer server(optimizer, task);
  answer_lines(in, out, [&](const Json& request) { return server.answer(request); });
}

}  // namespace vbo::bench
