// SPDX-License-Identifier: MIT
#include "vbo/study_file.hpp"

#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>

#include "core/json.hpp"
#include "core/spelling.hpp"
#include "core/toml_guard.hpp"
#include "exec/command_template.hpp"
#include "exec/process_options.hpp"
#include "study/file/constraints.hpp"
#include "study/file/objective_tables.hpp"
#include "study/file/program_tables.hpp"
#include "study/file/start_tables.hpp"
#include "study/file/toml_reader.hpp"

namespace vbo {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestFile = std::size_t{16} << 20U;
constexpr std::int64_t kLargestBudget = 1'000'000'000;
constexpr std::int64_t kMostWorkers = 4096;
constexpr std::int64_t kMostJobs = 100'000;
const std::set<std::string> kOwnOptions = {"--array", "--job-name",  "--parsable",
                                           "--wait",  "--test-only", "--wrap"};
constexpr std::size_t kMostParameters = 10'000;  // as Space::make; checking each takes time

// sbatch takes any beginning of an option that is no other's for the option.
bool is_own_option(const std::string& name) {
  return std::ranges::any_of(kOwnOptions,
                             [&](const std::string& own) { return own.starts_with(name); });
}

bool is_positive(double x) { return std::isfinite(x) && x > 0.0; }
bool is_not_negative(double x) { return std::isfinite(x) && x >= 0.0; }

std::string in_quotes(std::string_view text) { return "\"" + std::string(text) + "\""; }

const toml::table* subtable(const toml::table& root, std::string_view key, TomlErrors& errors) {
  const toml::node* node = root.get(key);
  if (!node) return nullptr;
  if (const toml::table* table = node->as_table()) return table;
  errors.add_found(*node, std::string(key), "a table: [" + std::string(key) + "]");
  return nullptr;
}

// [study]
void read_study(const toml::table* table, StudyFile& file, TomlErrors& errors) {
  static const toml::table empty;
  TomlTable study(table ? *table : empty, "study",
                  {"name", "goal", "aim", "budget", "batch", "seed", "storage"}, errors);
  StudyOptions& options = file.study;
  const fs::path path(file.path);
  options.name = study.text("name").value_or(path.stem().string());
  if (const auto goal = study.text("goal")) {
    if (const auto known = goal_from(*goal)) {
      options.objectives.front().goal = *known;
    } else {
      errors.add_found(*study.find("goal"), "study.goal", "\"minimize\" or \"maximize\"");
    }
  }
  // The best result is what every method looks for.
  if (const auto aim = study.text("aim"); aim == "average") {
    options.optimizer.settings["aim"] = *aim;
  } else if (aim && *aim != "best") {
    errors.add_found(*study.find("aim"), "study.aim", "\"best\" or \"average\"");
  }
  if (!study.find("budget")) study.missing("budget", "the number of evaluations, e.g. 640");
  options.budget = study.whole("budget", 1, kLargestBudget).value_or(1);
  options.optimizer.budget = options.budget;
  options.optimizer.batch = study.whole("batch", 1, kLargestBudget).value_or(0);
  const auto seed = study.whole("seed", 0, std::numeric_limits<std::int64_t>::max());
  options.optimizer.seed = static_cast<std::uint64_t>(seed.value_or(0));

  const std::string storage = study.text("storage").value_or(path.stem().string() + ".db");
  const bool is_url = storage.find("://") != std::string::npos || storage == "memory:";
  options.storage = is_url ? storage : (path.parent_path() / storage).lexically_normal().string();
}

std::optional<OptionValue> option_value(const toml::node& node) {
  if (const auto value = node.value_exact<bool>()) return *value;
  if (const auto value = node.value_exact<std::int64_t>()) return *value;
  if (const auto value = node.value_exact<double>()) return *value;
  if (const auto value = node.value_exact<std::string>()) return *value;
  const toml::array* array = node.as_array();
  if (!array) return std::nullopt;
  std::vector<double> numbers;
  for (const toml::node& element : *array) {
    if (!element.is_number()) return std::nullopt;
    numbers.push_back(*element.value<double>());
  }
  return numbers;
}

// [optimizer]: the method, and whatever options the method has.
void read_optimizer(const toml::table* table, StudyFile& file, TomlErrors& errors) {
  file.study.unstated.method = true;
  file.study.unstated.settings = file.study.optimizer.settings.empty();
  if (!table) return;
  TomlTable optimizer(*table, "optimizer", {}, errors);
  OptimizerOptions& options = file.study.optimizer;
  const auto method = optimizer.text("method");
  file.study.unstated.method = !method;
  if (method) options.method = *method;
  for (const auto& [key, node] : *table) {
    const std::string name(key.str());
    if (name == "method") continue;
    if (name == "aim" && options.settings.contains(name)) {
      errors.add(&node, "optimizer.aim", "found a second aim, expected study.aim alone");
    } else if (const auto value = option_value(node)) {
      options.settings[name] = *value;
    } else {
      errors.add_found(node, "optimizer." + name,
                       "true, false, a number, a text or a list of numbers");
    }
  }
  file.study.unstated.settings = !method && options.settings.empty();
}

// The methods know their options, and name the one that is wrong; here the line is added.
void check_optimizer(const toml::table& root, const StudyFile& file, TomlErrors& errors) {
  const toml::table* table = root["optimizer"].as_table();
  const StudyRecord record{.objectives = file.study.objectives,
                           .space = file.study.space,
                           .optimizer = file.study.optimizer};
  const auto made = vbo::check_optimizer(record.space, record.method_options());
  if (made) return;
  const std::string field = made.error().field.empty() ? "method" : made.error().field;
  if (const toml::node* aim = root["study"]["aim"].node(); aim && field == "aim") {
    return errors.add(aim, "study.aim",
                      "found \"average\", expected \"best\", or method \"vbo\" with one "
                      "objective: " +
                          made.error().message);
  }
  errors.add(table ? table->get(field) : nullptr, "optimizer." + field, made.error().message);
}

// What names a parameter in messages, and in Error::field.
TomlField parameter_field(const std::string& name) {
  return {"parameter " + in_quotes(name), "parameter." + name};
}

constexpr const char* kTypes = "\"float\", \"int\", \"categorical\" or \"ordinal\"";

// choices and values: texts, numbers and booleans, each in the type it has.
std::vector<Value> read_choices(TomlTable& reader, const char* key, TomlErrors& errors) {
  constexpr const char* expected = "a list of at least one text in quotes, number, true or false";
  const toml::node* node = reader.find(key);
  if (!node) {
    reader.missing(key, "a list of texts, numbers, true or false");
    return {};
  }
  std::vector<Value> choices;
  const toml::array* array = node->as_array();
  for (std::size_t i = 0; array && i < array->size(); ++i) {
    const toml::node& element = *array->get(i);
    if (const auto text = element.value_exact<std::string>()) {
      choices.emplace_back(*text);
    } else if (const auto flag = element.value_exact<bool>()) {
      choices.emplace_back(*flag);
    } else if (const auto whole = element.value_exact<std::int64_t>()) {
      choices.emplace_back(*whole);
    } else if (const auto number = element.value_exact<double>()) {
      choices.emplace_back(*number);
    } else {
      errors.add_found(element, reader.field(key), expected);
      return {};
    }
  }
  if (choices.empty()) errors.add_found(*node, reader.field(key), expected);
  return choices;
}

Parameter read_parameter(const toml::table& table, std::size_t index, TomlErrors& errors) {
  const auto given_name = table["name"].value<std::string>();
  const TomlField prefix = given_name ? parameter_field(*given_name)
                                      : TomlField("parameter[" + std::to_string(index) + "]");
  const auto given_type = table["type"].value<std::string>();
  // Which keys make sense depends on the type, and so does the advice.
  std::vector<std::string> known = {"name", "type", "low", "high", "log", "step"};
  if (given_type == "categorical") known = {"name", "type", "choices"};
  if (given_type == "ordinal") known = {"name", "type", "values"};
  TomlTable reader(table, prefix, std::move(known), errors);
  Parameter parameter;
  if (!reader.find("name")) reader.missing("name", "a text in quotes");
  parameter.name = reader.text("name").value_or("");
  const auto type = reader.text("type");
  if (!reader.find("type")) {
    reader.missing("type", kTypes);
  } else if (type && *type != "float" && *type != "int" && *type != "categorical" &&
             *type != "ordinal") {
    errors.add_found(*reader.find("type"), reader.field("type"), kTypes);
  }
  if (type == "categorical" || type == "ordinal") {
    const bool ordered = type == "ordinal";
    parameter.kind = ordered ? ParameterKind::ordinal : ParameterKind::categorical;
    parameter.choices = read_choices(reader, ordered ? "values" : "choices", errors);
    return parameter;
  }
  parameter.kind = type == "int" ? ParameterKind::integer : ParameterKind::real;
  for (const auto& [key, bound] : {std::pair{"low", &parameter.low}, {"high", &parameter.high}}) {
    if (!reader.find(key)) reader.missing(key, "a number");
    *bound = reader.finite(key).value_or(*bound);
  }
  parameter.log = reader.flag("log").value_or(false);
  parameter.step = reader.number("step", is_positive, "a number > 0").value_or(0.0);
  return parameter;
}

// [[parameter]]
void read_parameters(const toml::table& root, StudyFile& file, TomlErrors& errors) {
  const toml::node* node = root.get("parameter");
  const toml::array* array = node ? node->as_array() : nullptr;
  if (!array || array->empty()) {
    if (node) {
      errors.add_found(*node, "parameter", "one [[parameter]] table per parameter");
    } else {
      errors.add(nullptr, "parameter", "missing, expected one [[parameter]] table per parameter");
    }
    return;
  }
  if (array->size() > kMostParameters) {
    return errors.add(node, "parameter",
                      "found " + std::to_string(array->size()) + " parameters, expected at most " +
                          std::to_string(kMostParameters));
  }
  std::vector<Parameter> parameters;
  std::set<std::string> names;
  for (const toml::node& element : *array) {
    const toml::table* table = element.as_table();
    if (!table) return errors.add_found(element, "parameter", "a [[parameter]] table");
    Parameter parameter = read_parameter(*table, parameters.size() + 1, errors);
    if (errors.any()) return;
    if (!names.insert(parameter.name).second) {
      const TomlField field = parameter_field(parameter.name);
      return errors.add(table->get("name"), {field.shown + ".name", field.path + ".name"},
                        "found " + in_quotes(parameter.name) +
                            " a second time, expected all names to be different");
    }
    if (const Result<Space> alone = Space::make({parameter}); !alone) {
      const std::string& field = alone.error().field;
      const std::string prefix = parameter_field(parameter.name).path + ".";
      const toml::node* key =
          field.starts_with(prefix) ? table->get(field.substr(prefix.size())) : nullptr;
      return errors.add(key ? key : table, field, alone.error());
    }
    parameters.push_back(std::move(parameter));
  }
  make_space(root, std::move(parameters), {}, file, errors);
}

Json to_json(const toml::node& node) {
  Json json;
  if (const toml::table* table = node.as_table()) {
    json = Json::object();
    for (const auto& [key, value] : *table) json[std::string(key.str())] = to_json(value);
  } else if (const toml::array* array = node.as_array()) {
    json = Json::array();
    for (const toml::node& element : *array) json.push_back(to_json(element));
  } else if (const auto text = node.value_exact<std::string>()) {
    json = *text;
  } else if (const auto flag = node.value_exact<bool>()) {
    json = *flag;
  } else if (const auto whole = node.value_exact<std::int64_t>()) {
    json = *whole;
  } else if (const auto number = node.value_exact<double>()) {
    json = *number;
  } else {
    json = toml_text(node);
  }
  return json;
}

// What is stored of the table, and travels with every copy: the names of variables, whose values
// may be secrets.
Json shown(Json table) {
  const auto env = table.find("env");
  if (env == table.end() || !env->is_object()) return table;
  Json names = Json::array();
  for (const auto& [name, value] : env->items()) names.push_back(name);
  *env = std::move(names);
  return table;
}

void read_environment(const toml::table& evaluate, ProcessOptions& process, TomlErrors& errors) {
  const toml::node* node = evaluate.get("env");
  if (!node) return;
  const toml::table* table = node->as_table();
  if (!table)
    return errors.add_found(*node, "evaluate.env", "a table of texts: {NAME = \"value\"}");
  for (const auto& [key, value] : *table) {
    const std::string name(key.str());
    const auto text = value.value_exact<std::string>();
    if (!text) return errors.add_found(value, "evaluate.env." + name, "a text in quotes");
    if (name.empty() || name.find('=') != std::string::npos) {
      return errors.add(
          &value, "evaluate.env",
          "found the name " + in_quotes(name) + ", expected the name of an environment variable");
    }
    if (is_own_variable(name)) {
      return errors.add(&value, "evaluate.env." + name, "found a value, but vbo sets it itself");
    }
    process.environment[name] = *text;
  }
}

// [evaluate]
void read_evaluate(const toml::table* table, StudyFile& file, TomlErrors& errors) {
  if (!table) return;
  TomlTable evaluate(*table, "evaluate",
                     {"command", "task", "workers", "timeout", "retries", "mode", "containment",
                      "env", "work_dir", "keep", "stdin"},
                     errors);
  EvaluateSettings settings;
  ProcessOptions& process = settings.process;
  if (const auto task = evaluate.text("task")) settings.task = *task;
  if (evaluate.find("command") && evaluate.find("task")) {
    errors.add(evaluate.find("task"), "evaluate.task",
               "found both command and task, expected one of them");
  }
  if (!evaluate.find("command") && !evaluate.find("task")) {
    evaluate.missing("command",
                     "the program and its arguments, e.g. [\"python3\", \"f.py\", \"{x}\"]");
  }
  constexpr std::string_view expected =
      "a list of texts, the program first, e.g. [\"python3\", \"f.py\", \"{x}\"]";
  process.command = evaluate.texts("command", expected).value_or(process.command);
  if (!process.command.empty() && process.command.front().empty()) {
    errors.add_found(*evaluate.find("command"), "evaluate.command", std::string(expected));
  }
  process.workers =
      static_cast<std::size_t>(evaluate.whole("workers", 1, kMostWorkers).value_or(1));
  process.timeout_seconds = evaluate.number("timeout", is_positive, "seconds > 0").value_or(0.0);
  process.retries = static_cast<int>(evaluate.whole("retries", 0, 100).value_or(1));
  if (const auto mode = evaluate.text("mode")) {
    if (*mode != "once" && *mode != "serve") {
      errors.add_found(*evaluate.find("mode"), "evaluate.mode", "\"once\" or \"serve\"");
    }
    process.mode = *mode == "serve" ? EvaluatorMode::serve : EvaluatorMode::once;
  }
  if (const auto containment = evaluate.text("containment")) {
    if (*containment != "tree" && *containment != "group") {
      errors.add_found(*evaluate.find("containment"), "evaluate.containment",
                       "\"tree\" or \"group\"");
    }
    process.containment = *containment == "group" ? Containment::group : Containment::tree;
  }
  process.directory = fs::path(file.path).parent_path().string();
  read_environment(*table, process, errors);
  if (!process.command.empty()) {
    if (const auto flaw = flaw_of(process)) {
      errors.add(evaluate.find(flaw->option), "evaluate." + flaw->option, flaw->problem);
    }
  }
  file.study.evaluate_json = dump(shown(to_json(*table)));
  file.evaluate = std::move(settings);
}

void check_command(const toml::table* table, const StudyFile& file, TomlErrors& errors) {
  if (!file.evaluate || file.evaluate->process.command.empty()) return;
  const auto made = CommandTemplate::make(file.evaluate->process.command, file.study.space);
  if (made) return;
  const toml::array* arguments = (*table)["command"].as_array();
  for (const toml::node& argument : *arguments) {
    const auto alone = CommandTemplate::make({argument.value_or(std::string())}, file.study.space);
    if (!alone) return errors.add(&argument, "evaluate.command", alone.error().message);
  }
}

// A built-in task brings its space, and its goal unless the file has one.
void read_task(const toml::table& root, const StudyFileOptions& options, StudyFile& file,
               TomlErrors& errors) {
  const toml::node* where = root["evaluate"]["task"].node();
  if (!options.find_task) {
    return errors.add(where, "evaluate.task",
                      "found " + in_quotes(file.evaluate->task) +
                          ", expected a command: this program has no built-in tasks");
  }
  Result<TaskProblem> task = options.find_task(file.evaluate->task);
  if (!task) return errors.add(where, "evaluate.task", task.error().message);
  if (const toml::node* parameter = root.get("parameter")) {
    return errors.add(parameter, "parameter",
                      "found parameters beside evaluate.task, expected none: the task has its own");
  }
  const std::span<const Parameter> parameters = task->space.parameters();
  const std::span<const Limit> limits = task->space.limits();
  make_space(root, {parameters.begin(), parameters.end()}, {limits.begin(), limits.end()}, file,
             errors);
  if (!root["study"]["goal"].node()) file.study.objectives.front().goal = task->goal;
}

// [stop]
void read_stop(const toml::table* table, StudyFile& file, TomlErrors& errors) {
  if (!table) return;
  TomlTable stop(*table, "stop", {"information", "rounds", "failures_in_a_row", "seconds", "value"},
                 errors);
  file.stop.seconds = stop.number("seconds", is_positive, "seconds > 0").value_or(0.0);
  file.stop.value = stop.finite("value");
  file.stop.information =
      stop.number("information", is_not_negative, "nats per round, at least 0").value_or(0.0);
  file.stop.rounds = static_cast<int>(stop.whole("rounds", 1, 1'000'000).value_or(5));
  file.stop.failures_in_a_row =
      static_cast<int>(stop.whole("failures_in_a_row", 0, 1'000'000).value_or(20));
}

// [noise]
void read_noise(const toml::table* table, StudyFile& file, TomlErrors& errors) {
  file.study.unstated.repeats = !table;
  if (!table) return;
  TomlTable noise(*table, "noise", {"repeats"}, errors);
  const toml::node* repeats = noise.find("repeats");
  if (!repeats) return;
  const auto count = repeats->value_exact<std::int64_t>();
  if (repeats->value_exact<std::string>() == "auto") {
    file.study.optimizer.repeats = kAutoRepeats;
  } else if (count && *count >= 1 && *count <= kMostRepeats) {
    file.study.optimizer.repeats = *count;
  } else {
    errors.add_found(*repeats, noise.field("repeats"),
                     "\"auto\" or a whole number from 1 to " + std::to_string(kMostRepeats));
  }
}

// [cluster]
void read_cluster(const toml::table* table, StudyFile& file, TomlErrors& errors) {
  if (!table) return;
  TomlTable cluster(*table, "cluster", {"launcher", "jobs", "options"}, errors);
  ClusterSettings settings;
  if (!cluster.find("launcher")) cluster.missing("launcher", "\"slurm\"");
  settings.launcher = cluster.text("launcher").value_or("");
  if (!settings.launcher.empty() && settings.launcher != "slurm") {
    errors.add_found(*cluster.find("launcher"), "cluster.launcher", "\"slurm\"");
  }
  settings.jobs = cluster.whole("jobs", 1, kMostJobs).value_or(1);
  constexpr std::string_view expected =
      "a list of sbatch's long options, each with its value, e.g. [\"--time=02:00:00\"]";
  const toml::node* given = cluster.find("options");
  if (given && !(given->is_array() && given->as_array()->empty())) {
    settings.options = cluster.texts("options", expected).value_or(settings.options);
  }
  // vbo numbers, names and follows the jobs itself.
  for (const std::string& option : settings.options) {
    const std::string name = option.substr(0, option.find('='));
    if (!option.starts_with("--") || option.size() < 3) {
      errors.add(cluster.find("options"), "cluster.options",
                 "found " + in_quotes(option) + ", expected " + std::string(expected));
    } else if (is_own_option(name)) {
      errors.add(cluster.find("options"), "cluster.options",
                 "found " + in_quotes(name) + ", which vbo sets itself");
    }
  }
  file.cluster = std::move(settings);
}

}  // namespace

Result<StudyFile> parse_study_file(std::string_view text, const std::string& path,
                                   const StudyFileOptions& options) {
  if (const Result<void> guarded = guard_toml(text); !guarded) {
    const Error& error = guarded.error();
    return Error{error.kind, path + ":" + std::to_string(error.line) + ": " + error.message,
                 error.field, error.line};
  }
  toml::table root;
  try {
    root = toml::parse(text, path);
  } catch (const toml::parse_error& error) {
    const auto& place = error.source().begin;
    return Error{ErrorKind::invalid_input,
                 path + ":" + std::to_string(place.line) + ":" + std::to_string(place.column) +
                     ": not valid TOML: " + std::string(error.description()),
                 "", static_cast<int>(place.line)};
  } catch (const TomlAssertion&) {
    return Error{ErrorKind::invalid_input, path + ": not valid TOML"};
  }
  TomlErrors errors(path);
  const TomlTable top(root, "",
                      {"study", "objective", "optimizer", "parameter", "constraint", "evaluate",
                       "template", "extract", "noise", "stop", "start", "cluster"},
                      errors);
  StudyFile file;
  file.path = path;
  const toml::table* study = subtable(root, "study", errors);
  const toml::table* optimizer = subtable(root, "optimizer", errors);
  const toml::table* evaluate = subtable(root, "evaluate", errors);
  const bool has_task = evaluate && evaluate->contains("task");
  read_study(study, file, errors);
  read_optimizer(optimizer, file, errors);
  read_evaluate(evaluate, file, errors);
  if (has_task && !errors.any()) {
    read_task(root, options, file, errors);
  } else if (!has_task) {
    read_parameters(root, file, errors);
  }
  read_noise(subtable(root, "noise", errors), file, errors);
  read_stop(subtable(root, "stop", errors), file, errors);
  read_cluster(subtable(root, "cluster", errors), file, errors);
  if (!errors.any()) read_objectives(root, file, errors);
  if (!errors.any()) read_start(root, file, errors);
  if (!errors.any()) study::read_program_tables(root, file, errors);
  if (file.study.optimizer.batch == 0) {
    file.study.unstated.batch = true;
    file.study.optimizer.batch =
        file.evaluate ? static_cast<std::int64_t>(file.evaluate->process.workers) : 1;
  }
  if (!errors.any()) check_command(evaluate, file, errors);
  if (!errors.any()) check_optimizer(root, file, errors);
  if (errors.any()) return errors.first();
  return file;
}

Result<StudyFile> load_study_file(const std::string& path, const StudyFileOptions& options) {
  const auto cannot = [&](const std::string& why) {
    return Error{ErrorKind::not_found, path + ": cannot read the study file: " + why};
  };
  std::error_code status;
  if (fs::is_directory(path, status)) return cannot("it is a folder");
  std::ifstream in(path, std::ios::binary);
  if (!in) return cannot(std::strerror(errno));
  std::string text;
  for (std::array<char, 65536> chunk; in && text.size() <= kLargestFile;) {
    in.read(chunk.data(), chunk.size());
    text.append(chunk.data(), static_cast<std::size_t>(in.gcount()));
  }
  if (text.size() > kLargestFile) return cannot("it is larger than 16 MiB");
  return parse_study_file(text, path, options);
}

}  // namespace vbo
