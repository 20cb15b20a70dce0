// SPDX-License-Identifier: MIT
#include "bench/serve.hpp"

#include <cmath>
#include <functional>

#include "core/json.hpp"

namespace vbo::bench {
namespace {

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

// Answers for a study: which points are open, it knows.
class MethodServer {
 public:
  explicit MethodServer(MeteredStudy& served) : study_(served.study), meter_(*served.meter) {}

  Json answer(const Json& request) {
    if (request.contains("ask")) return ask(request["ask"].get<std::int64_t>());
    if (request.contains("tell")) return tell(request["tell"]);
    throw std::runtime_error("expected ask or tell");
  }

 private:
  Json ask(std::int64_t n) {
    if (n < 1 || n > 1'000'000) throw std::runtime_error("ask must be from 1 to 1000000");
    const std::size_t calls = meter_.size();
    const std::vector<Trial> trials = study_.ask(n).value();
    Json list = Json::array();
    for (const Trial& trial : trials) list.push_back(suggestion_json(study_.record().space, trial));
    return {{"suggestions", std::move(list)}, {"seconds", seconds_since(calls)}};
  }

  // Nothing is told unless every result makes sense.
  Json tell(const Json& results) {
    std::vector<Outcome> told;
    std::vector<Evaluated> added;
    for (const Json& result : results) {
      if (result.contains("params")) {
        added.push_back(
            {point_from(study_.record().space, result["params"]).value(), outcome_from(result)});
      } else {
        told.push_back(outcome_from(result));
        told.back().id = result.at("id").get<TrialId>();
      }
    }
    const std::size_t calls = meter_.size();
    const std::size_t count = told.size() + added.size();
    // Points were looked at above, so once the trials are told the rest follows.
    if (const auto done = study_.tell(std::move(told)); !done) throw BadResult(done.error());
    if (const auto done = study_.add(std::move(added)); !done) throw BadResult(done.error());
    return {{"told", count}, {"seconds", seconds_since(calls)}};
  }

  double seconds_since(std::size_t calls) const {
    double seconds = 0.0;
    for (; calls < meter_.size(); ++calls) seconds += meter_[calls].seconds;
    return seconds;
  }

  Study& study_;
  const Meter& meter_;
};

}  // namespace

std::string describe(const tasks::Task& task) {
  const tasks::TaskInfo& info = task.info();
  Json parameters = json_of(task.space());
  if (parameters.is_object()) parameters = Json(parameters["parameters"]);
  const Json json = {{"task", info.name},
                     {"goal", to_string(info.goal)},
                     {"noise", info.noise},
                     {"optimum", info.optimum ? Json(info.optimum->value) : Json()},
                     {"parameters", std::move(parameters)},
                     {"limits", limits_json(task.space())}};
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
    Json answer = {{"id", id}, {"value", value}};
    if (!task.space().limits().empty()) answer["metrics"] = task.metrics(*point);
    return answer;
  });
}

void serve_method(MeteredStudy& served, std::istream& in, std::ostream& out) {
  MethodServer server(served);
  answer_lines(in, out, [&](const Json& request) { return server.answer(request); });
}

}  // namespace vbo::bench
