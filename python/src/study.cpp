// SPDX-License-Identifier: MIT
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <set>

#include "bindings.hpp"
#include "columns.hpp"
#include "core/json.hpp"
#include "core/limits.hpp"
#include "locked_study.hpp"
#include "report/json.hpp"
#include "vbo/executor.hpp"
#include "vbo/report.hpp"
#include "vbo/study_file.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace vbo::python {
namespace {

constexpr const char* kMemory = "memory:";

// {"name","objectives":[...],"budget","space":[...],"optimizer":{...},"evaluate":""}: as
// load_study() gives it.
Json json_of(const StudyRecord& record) {
  return {{"name", record.name},
          {"objectives", vbo::json_of(record.objectives)},
          {"budget", record.budget},
          {"space", vbo::json_of(record.space)},
          {"optimizer", vbo::json_of(record.optimizer)},
          {"evaluate", record.evaluate_json}};
}

StudyOptions options_from(const std::string& definition, const std::string& storage, int threads) {
  const Json json = unwrap(parse_json(definition));
  StudyOptions options;
  options.name = json["name"].get<std::string>();
  options.objectives = unwrap(objectives_from(json["objectives"]));
  options.budget = json["budget"].get<std::int64_t>();
  options.space = unwrap(space_from(json["space"]));
  options.optimizer = unwrap(optimizer_options_from(json["optimizer"]));
  options.optimizer.threads = threads;
  options.storage = storage;
  const std::set<std::string> unstated = json["unstated"].get<std::set<std::string>>();
  const auto is = [&](const char* name) { return unstated.contains(name); };
  options.unstated = {.name = is("name"),
                      .budget = is("budget"),
                      .method = is("method"),
                      .seed = is("seed"),
                      .batch = is("batch"),
                      .settings = is("options"),
                      .start = true,
                      .evaluate = true,
                      .repeats = is("repeats")};
  return options;
}

// `given`: per point which parameters have a value; what the others have is not looked at.
void enqueue(LockedStudy& locked, const nb::list& columns, std::size_t n,
             const std::vector<std::vector<bool>>& given) {
  const Space space = locked.with([](Study& study) { return Result<Space>(study.record().space); });
  std::vector<PartialPoint> points;
  for (const Point& point : points_of(space, columns, n)) {
    PartialPoint& partial = points.emplace_back(point.begin(), point.end());
    for (std::size_t i = 0; i < partial.size(); ++i) {
      if (!given.at(points.size() - 1).at(i)) partial[i].reset();
    }
  }
  locked.with([&](Study& study) { return study.enqueue(std::move(points)); });
}

std::unique_ptr<LockedStudy> opened(Result<Study> (*open)(const std::string&, int),
                                    const std::string& storage, int threads) {
  return std::make_unique<LockedStudy>(unwrap([&] {
                                         const nb::gil_scoped_release released;
                                         Result<Study> study = open(storage, threads);
                                         return !study && study.error().kind == ErrorKind::busy
                                                    ? Study::join(storage, threads)
                                                    : std::move(study);
                                       }()),
                                       storage != kMemory);
}

std::unique_ptr<LockedStudy> open(const std::string& definition, const std::string& storage,
                                  int threads) {
  StudyOptions options = options_from(definition, storage, threads);
  return std::make_unique<LockedStudy>(
      unwrap([&] {
        const nb::gil_scoped_release released;  // resuming may replay a long history
        Result<Study> study = Study::open(options);
        return !study && study.error().kind == ErrorKind::busy ? Study::join(options)
                                                               : std::move(study);
      }()),
      storage != kMemory);
}

// What opening an open study once more means: another budget, or a conflict.
void go_on_with(LockedStudy& locked, const std::string& definition, const std::string& storage) {
  const StudyOptions options = options_from(definition, storage, 0);
  locked.with([&](Study& study) { return study.go_on_with(options); });
}

// The study of a study file, and the storage it lives in. Tasks are the program's, not ours.
std::unique_ptr<LockedStudy> load(const std::string& path) {
  return std::make_unique<LockedStudy>(unwrap([&]() -> Result<Study> {
                                         const nb::gil_scoped_release released;
                                         const Result<StudyFile> file = load_study_file(path);
                                         if (!file) return file.error();
                                         Result<Study> study = open_study(*file);
                                         return !study && study.error().kind == ErrorKind::busy
                                                    ? Study::join(file->study)
                                                    : std::move(study);
                                       }()),
                                       true);
}

void load_again(LockedStudy& locked, const std::string& path) {
  const StudyFile file = unwrap(load_study_file(path));
  locked.with([&](Study& study) { return study.go_on_with(file.study); });
}

// durable: somebody may evaluate them when this process is gone.
nb::tuple ask(LockedStudy& locked, std::int64_t n, bool durable) {
  Space space;
  Columns columns = locked.with([&](Study& study) -> Result<Columns> {
    const Result<std::vector<Trial>> trials =
        study.ask(n, durable ? Durability::at_once : Durability::with_the_next);
    if (!trials) return trials.error();
    space = study.record().space;
    return columns_of(space, *trials);
  });
  return arrays_of(space, std::move(columns));
}

using StepIn = std::pair<std::int64_t, std::vector<double>>;

// What became of the rows, as Python gives it: values, or an error where there is one.
struct Results {
  std::vector<DoublesIn> values;  // a column per objective; none when there are only errors
  std::optional<std::vector<std::optional<std::string>>> errors;
  std::optional<std::vector<std::string>> causes;  // as many as errors
  std::map<std::string, DoublesIn> metrics;        // NaN: not measured
  std::optional<DoublesIn> seconds;
  std::vector<DoublesIn> sem;  // a column per objective, NaN: unknown; none where all are
  std::optional<std::vector<std::string>> attributes;  // JSON objects; "" where there is nothing
  std::optional<std::vector<std::vector<StepIn>>> steps;
};

FailureCause cause_of(const std::string& text) {
  if (const std::optional<FailureCause> known = failure_cause_from(text)) return *known;
  raise({ErrorKind::invalid_input,
         "cause: found \"" + text +
             "\", expected reported, infeasible, timeout, crash, no_program, temporary, no_value, "
             "non_finite or lost",
         "cause"});
}

std::vector<Outcome> outcomes_of(const Results& results, std::size_t n) {
  std::vector<Outcome> outcomes(n);
  for (std::size_t i = 0; i < n; ++i) {
    Outcome& outcome = outcomes[i];
    outcome.attempts = 0;
    if (results.errors && (*results.errors)[i]) {
      outcome.failure = Failure{cause_of((*results.causes)[i]), *(*results.errors)[i]};
    } else {
      for (const DoublesIn& column : results.values) outcome.values.push_back(column.data()[i]);
    }
    const auto is_known = [i](const DoublesIn& column) { return !std::isnan(column.data()[i]); };
    if (!outcome.values.empty() && std::ranges::all_of(results.sem, is_known)) {
      for (const DoublesIn& column : results.sem) {
        outcome.standard_error.push_back(column.data()[i]);
      }
    }
    if (results.attributes) outcome.attributes = (*results.attributes)[i];
    if (results.steps) {
      for (const auto& [step, values] : (*results.steps)[i])
        outcome.steps.push_back({step, values});
    }
    if (results.seconds) outcome.seconds = results.seconds->data()[i];
    for (const auto& [name, column] : results.metrics) {
      if (!std::isnan(column.data()[i])) outcome.metrics[name] = column.data()[i];
    }
  }
  return outcomes;
}

void tell(LockedStudy& locked, const IntegersIn& ids, const Results& results) {
  std::vector<Outcome> outcomes = outcomes_of(results, ids.size());
  for (std::size_t i = 0; i < outcomes.size(); ++i) outcomes[i].id = ids.data()[i];
  locked.with([&](Study& study) { return study.tell(std::move(outcomes)); });
}

Integers add(LockedStudy& locked, const nb::list& columns, std::size_t n, const Results& results) {
  const Space space = locked.with([](Study& study) { return Result<Space>(study.record().space); });
  std::vector<Point> points = points_of(space, columns, n);
  std::vector<Outcome> outcomes = outcomes_of(results, n);
  std::vector<Evaluated> evaluated(n);
  for (std::size_t i = 0; i < n; ++i) evaluated[i] = {std::move(points[i]), std::move(outcomes[i])};
  const std::vector<Trial> added =
      locked.with([&](Study& study) { return study.add(std::move(evaluated)); });
  std::vector<std::int64_t> ids;
  for (const Trial& trial : added) ids.push_back(trial.id);
  return array_of(std::move(ids));
}

template <class Get>
Doubles numbers_of(const std::vector<Trial>& trials, const Get& get) {
  std::vector<double> numbers;
  numbers.reserve(trials.size());
  for (const Trial& trial : trials) numbers.push_back(static_cast<double>(get(trial)));
  return array_of(std::move(numbers));
}

template <class Get>
nb::list list_of(const std::vector<Trial>& trials, const Get& get) {
  nb::list list;
  for (const Trial& trial : trials) list.append(get(trial));
  return list;
}

nb::dict metrics_of(const std::vector<Trial>& trials) {
  std::map<std::string, std::vector<double>> columns;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    for (const auto& [name, value] : trials[i].metrics) {
      auto& column = columns[name];
      column.resize(trials.size(), std::numeric_limits<double>::quiet_NaN());
      column[i] = value;
    }
  }
  nb::dict metrics;
  for (auto& [name, column] : columns) metrics[name.c_str()] = array_of(std::move(column));
  return metrics;
}

// A column per objective; NaN where a trial has none.
nb::list values_of(const std::vector<Trial>& trials, std::size_t objectives,
                   std::vector<double> Trial::*values) {
  nb::list columns;
  for (std::size_t m = 0; m < objectives; ++m) {
    columns.append(numbers_of(trials, [&](const Trial& t) {
      return m < (t.*values).size() ? (t.*values)[m] : std::numeric_limits<double>::quiet_NaN();
    }));
  }
  return columns;
}

// All there is to know about some trials, as columns; see _study.py.
nb::dict table_of(const StudyRecord& record, const std::vector<Trial>& trials) {
  const Space& space = record.space;
  const nb::tuple arrays = arrays_of(space, columns_of(space, trials));
  nb::dict table;
  table["ids"] = arrays[0];
  table["points"] = arrays[1];
  table["states"] = list_of(trials, [](const Trial& t) { return std::string(to_string(t.state)); });
  table["values"] = values_of(trials, record.objectives.size(), &Trial::values);
  table["errors"] = list_of(trials, [](const Trial& t) -> nb::object {
    return t.failure ? nb::cast(t.failure->message) : nb::none();
  });
  table["causes"] = list_of(trials, [](const Trial& t) -> nb::object {
    return t.failure ? nb::cast(std::string(to_string(t.failure->cause))) : nb::none();
  });
  table["seconds"] = numbers_of(trials, [](const Trial& t) { return t.seconds; });
  table["sems"] = values_of(trials, record.objectives.size(), &Trial::standard_error);
  table["repeat_of"] = numbers_of(trials, [](const Trial& t) { return t.rationale.repeat_of; });
  table["repeats"] = numbers_of(trials, [](const Trial& t) { return t.rationale.repeat; });
  table["attributes"] = list_of(trials, [](const Trial& t) { return t.attributes; });
  table["steps"] = list_of(trials, [](const Trial& t) {
    std::vector<StepIn> steps;
    for (const Step& step : t.steps) steps.emplace_back(step.step, step.values);
    return steps;
  });
  table["sources"] = list_of(trials, [](const Trial& t) { return t.rationale.source; });
  table["workers"] = list_of(trials, [](const Trial& t) { return t.worker; });
  table["asked_at"] = numbers_of(trials, [](const Trial& t) { return t.asked_at; });
  table["finished_at"] = numbers_of(trials, [](const Trial& t) { return t.finished_at; });
  table["metrics"] = metrics_of(trials);
  if (!space.limits().empty()) {  // 0 = feasible
    table["violations"] = numbers_of(trials, [&](const Trial& t) {
      return t.value() ? violation(space.limits(), t.metrics)
                       : std::numeric_limits<double>::quiet_NaN();
    });
  }
  return table;
}

nb::dict trials(LockedStudy& locked, bool open_only) {
  StudyRecord record;
  std::vector<Trial> found = locked.with([&](Study& study) {
    record = study.record();
    return study.trials();
  });
  if (open_only) {
    std::erase_if(found, [](const Trial& t) { return t.told_in != 0; });
  }
  return table_of(record, found);
}

// Of several objectives: the member of the front that weights choose.
nb::dict best(LockedStudy& locked, const std::map<std::string, double>& weights) {
  StudyRecord record;
  std::vector<Trial> found;
  if (auto trial = locked.with([&](Study& study) {
        record = study.record();
        return study.best(weights);
      })) {
    found.push_back(std::move(*trial));
  }
  return table_of(record, found);
}

// The table of the trial to use, empty without one, and {"noise": {...}, "estimate": {...} or null}
// as JSON.
nb::tuple recommended(LockedStudy& locked) {
  StudyRecord record;
  const Recommended found = locked.with([&](Study& study) -> Result<Recommended> {
    record = study.record();
    const Result<std::vector<Trial>> trials = study.trials();
    if (!trials) return trials.error();
    return recommend(record, *trials);
  });
  std::vector<Trial> best;
  if (found.best) best.push_back(*found.best);
  const Estimate& estimate = found.estimate;
  const Json json = {{"noise", vbo::json_of(estimate.noise)},
                     {"estimate", estimate.best ? vbo::json_of(*estimate.best) : Json()}};
  return nb::make_tuple(table_of(record, best), dump(json));
}

// The table of its trials, and everything else about it as JSON.
nb::tuple front(LockedStudy& locked) {
  StudyRecord record;
  Json json;
  Front found = locked.with([&](Study& study) -> Result<Front> {
    record = study.record();
    Result<Front> front = study.front();
    if (!front) return front.error();
    json = front_json(record.space, *front);
    json.erase("trials");
    return front;
  });
  return nb::make_tuple(table_of(record, found.trials), dump(json));
}

}  // namespace

void bind_study(nb::module_& module) {
  nb::class_<Results>(module, "Results")
      .def(nb::init<>())
      .def_rw("values", &Results::values)
      .def_rw("errors", &Results::errors, nb::arg().none())
      .def_rw("causes", &Results::causes, nb::arg().none())
      .def_rw("metrics", &Results::metrics)
      .def_rw("seconds", &Results::seconds, nb::arg().none())
      .def_rw("sem", &Results::sem)
      .def_rw("attributes", &Results::attributes, nb::arg().none())
      .def_rw("steps", &Results::steps, nb::arg().none());
  nb::class_<LockedStudy>(module, "Study", nb::is_weak_referenceable())
      .def_static("open", open, "definition"_a, "storage"_a, "threads"_a)
      .def_static(
          "open_existing",
          [](const std::string& storage, int threads) {
            return opened(&Study::open_existing, storage, threads);
          },
          "storage"_a, "threads"_a)
      .def_static("load", load, "path"_a)
      .def("go_on_with", go_on_with, "definition"_a, "storage"_a)
      .def("load_again", load_again, "path"_a)
      .def("closed", &LockedStudy::closed)
      .def("joined",
           [](LockedStudy& locked) {
             return locked.with([](Study& study) { return Result<bool>(study.is_joined()); });
           })
      .def("enqueue", enqueue, "columns"_a, "n"_a, "given"_a)
      .def("ask", ask, "n"_a, "durable"_a)
      .def("tell", tell, "ids"_a, "results"_a)
      .def("add", add, "columns"_a, "n"_a, "results"_a)
      .def("trials", trials, "open_only"_a)
      .def("best", best, "weights"_a)
      .def("front", front)
      .def(
          "seed_of",
          [](LockedStudy& locked, TrialId id) {
            return locked.with([id](Study& study) {
              return Result<std::int64_t>(
                  job_of(Trial{.id = id}, study.record().optimizer.seed).seed);
            });
          },
          "id"_a)
      .def("importance_json", importance_json, "threads"_a)
      .def("recommended", recommended)
      .def("report_html", report_html, "url"_a)
      .def("counts",
           [](LockedStudy& locked) {
             const TrialCounts counts = locked.with([](Study& study) { return study.counts(); });
             return nb::make_tuple(counts.waiting, counts.running, counts.completed, counts.failed);
           })
      .def("definition",
           [](LockedStudy& locked) {
             return locked.with(
                 [](Study& study) { return Result<std::string>(dump(json_of(study.record()))); });
           })
      .def("log",
           [](LockedStudy& locked) {
             return locked.with([](Study& study) {
               return Result<std::string>(dump(vbo::json_of(study.report())));
             });
           })
      .def("warning",
           [](LockedStudy& locked) {
             return locked.with([](Study& study) {
               std::string text = study.warning();
               for (const std::string& note : renamed_options(study.record().optimizer.settings)) {
                 text += (text.empty() ? "" : "; ") + note;
               }
               return Result<std::string>(std::move(text));
             });
           })
      .def("close", [](LockedStudy& locked) { locked.close(); });
  module.def(
      "storage_of",
      [](const std::string& path) { return unwrap(load_study_file(path)).study.storage; },
      "path"_a);
}

}  // namespace vbo::python
