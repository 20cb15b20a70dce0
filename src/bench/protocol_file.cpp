// SPDX-License-Identifier: MIT
// Protocol files (TOML). Every key is checked; the message names file, line, key and what would be
// right.
#include <algorithm>
#include <charconv>
#include <fstream>
#include <initializer_list>
#include <optional>

#include "bench/protocol.hpp"
#include "core/toml.hpp"
#include "core/toml_guard.hpp"
#include "optim/options.hpp"

namespace vbo::bench {
namespace {

// Thrown inside this file only, turned into an Error at its boundary.
struct Wrong {
  std::string message;
};

class Reader {
 public:
  explicit Reader(std::string file) : file_(std::move(file)) {}

  [[noreturn]] void fail(const toml::node* at, const std::string& what) const {
    std::string place = file_;
    if (at != nullptr && at->source().begin.line > 0) {
      place += ", line " + std::to_string(at->source().begin.line);
    }
    throw Wrong{place + ": " + what};
  }

  void only(const toml::table& table, const std::string& where,
            std::initializer_list<std::string_view> keys) const {
    for (const auto& [key, node] : table) {
      if (std::find(keys.begin(), keys.end(), key.str()) != keys.end()) continue;
      std::string expected;
      for (const std::string_view k : keys) {
        expected += (expected.empty() ? "" : ", ") + std::string(k);
      }
      fail(&node, "unknown key \"" + std::string(key.str()) + "\" " + where + "; expected one of " +
                      expected);
    }
  }

  std::optional<std::string> text(const toml::table& table, std::string_view key) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) return std::nullopt;
    auto value = node->value_exact<std::string>();
    if (!value || value->empty())
      fail(node, std::string(key) + " must be a text that is not empty");
    return value;
  }

  std::int64_t whole(const toml::node& node, std::string_view key, std::int64_t low,
                     std::int64_t high) const {
    const auto value = node.value_exact<std::int64_t>();
    if (!value || *value < low || *value > high) {
      fail(&node, std::string(key) + " must be a whole number from " + std::to_string(low) +
                      " to " + std::to_string(high));
    }
    return *value;
  }

  std::optional<std::int64_t> whole(const toml::table& table, std::string_view key,
                                    std::int64_t low, std::int64_t high) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) return std::nullopt;
    return whole(*node, key, low, high);
  }

  // A number or a list of numbers.
  std::optional<std::vector<std::int64_t>> wholes(const toml::table& table, std::string_view key,
                                                  std::int64_t low, std::int64_t high) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) return std::nullopt;
    if (!node->is_array()) return std::vector{whole(*node, key, low, high)};
    std::vector<std::int64_t> values;
    for (const toml::node& item : *node->as_array()) values.push_back(whole(item, key, low, high));
    if (values.empty()) fail(node, std::string(key) + " must not be an empty list");
    return values;
  }

  std::optional<std::vector<std::string>> texts(const toml::table& table,
                                                std::string_view key) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) return std::nullopt;
    const std::string must = std::string(key) + " must be a list of texts that is not empty";
    if (!node->is_array() || node->as_array()->empty()) fail(node, must);
    std::vector<std::string> values;
    for (const toml::node& item : *node->as_array()) {
      const auto value = item.value_exact<std::string>();
      if (!value || value->empty()) fail(&item, must);
      values.push_back(*value);
    }
    return values;
  }

 private:
  std::string file_;
};

constexpr std::int64_t most = 1'000'000;

// What a task inherits from the top of the file.
struct Defaults {
  std::vector<std::int64_t> batches{64};
  std::optional<std::int64_t> rounds, evaluations;
  std::int64_t initial_rounds = 1;
  std::vector<std::string> methods;
};

// [sweep] option = "beta", values = [...]
Sweep sweep_from(const Reader& read, const toml::table& root) {
  const toml::node* node = root.get("sweep");
  if (node == nullptr) return {};
  const toml::table* table = node->as_table();
  if (table == nullptr) read.fail(node, "sweep must be a table with option and values");
  read.only(*table, "in [sweep]", {"option", "values"});
  const auto option = read.text(*table, "option");
  const toml::array* values = table->get_as<toml::array>("values");
  if (!option || values == nullptr || values->empty()) {
    read.fail(node, "[sweep] needs option, a text, and values, a list that is not empty");
  }
  Sweep sweep{*option, {}};
  for (const toml::node& value : *values) {
    if (const auto* words = value.as_string()) {
      sweep.values.push_back(words->get());
    } else if (const auto* number = value.as_floating_point()) {
      sweep.values.push_back(vbo::to_string(Value{number->get()}));
    } else if (const auto* number = value.as_integer()) {
      sweep.values.push_back(std::to_string(number->get()));
    } else if (const auto* flag = value.as_boolean()) {
      sweep.values.emplace_back(flag->get() ? "true" : "false");
    } else {
      read.fail(&value, "values in [sweep] must be numbers, texts or true/false");
    }
  }
  return sweep;
}

// Of the whole file or of one task; empty where nothing is said.
std::vector<std::uint64_t> seeds_from(const Reader& read, const toml::table& root) {
  const toml::node* node = root.get("seeds");
  if (node == nullptr) return {};
  const auto words = node->value_exact<std::string>();
  const std::string text = words ? *words : std::to_string(read.whole(*node, "seeds", 1, 10000));
  const auto seeds = parse_seeds(text);
  if (!seeds) read.fail(node, seeds.error().message);
  return *seeds;
}

void add_task(const Reader& read, const toml::node& node, const Defaults& defaults,
              Protocol& protocol) {
  const toml::table* table = node.as_table();
  if (table == nullptr) read.fail(&node, "each [[task]] must be a table");
  read.only(*table, "in [[task]]",
            {"name", "seeds", "batch", "rounds", "evaluations", "initial_rounds", "methods"});
  const auto name = read.text(*table, "name");
  if (!name) read.fail(&node, "a [[task]] needs name, for example name = \"hartmann6\"");
  const auto batches = read.wholes(*table, "batch", 1, most).value_or(defaults.batches);
  auto rounds = read.whole(*table, "rounds", 1, most);
  auto evaluations = read.whole(*table, "evaluations", 1, most * 100);
  if (rounds && evaluations) read.fail(&node, "give rounds or evaluations, not both");
  if (!rounds && !evaluations) {
    rounds = defaults.rounds;
    evaluations = defaults.evaluations;
  }
  const auto initial =
      read.whole(*table, "initial_rounds", 1, most).value_or(defaults.initial_rounds);
  const auto methods = read.texts(*table, "methods").value_or(defaults.methods);
  if (methods.empty()) read.fail(&node, "no methods, neither here nor at the top of the file");
  for (const std::string& method : methods) {
    if (const auto spec = parse_method(method); !spec) read.fail(&node, spec.error().message);
  }
  for (const std::int64_t batch : batches) {
    ProtocolEntry entry{.task = *name,
                        .batch = batch,
                        .rounds = rounds        ? *rounds
                                  : evaluations ? *evaluations / batch
                                                : 40,
                        .initial_rounds = initial,
                        .methods = swept(methods, protocol.sweep),
                        .seeds = seeds_from(read, *table)};
    if (entry.rounds < initial) {
      read.fail(&node, "task " + *name + ", batch " + std::to_string(batch) + ": " +
                           std::to_string(entry.rounds) + " rounds cannot hold " +
                           std::to_string(initial) + " rounds of initial design");
    }
    protocol.entries.push_back(std::move(entry));
  }
}

Protocol protocol_from(const Reader& read, const toml::table& root) {
  read.only(root, "at the top",
            {"name", "summary", "seeds", "batch", "rounds", "evaluations", "initial_rounds",
             "methods", "sweep", "task"});
  Protocol protocol;
  const auto name = read.text(root, "name");
  if (!name) read.fail(nullptr, "name is missing, for example name = \"synthetic\"");
  protocol.name = *name;
  protocol.summary = read.text(root, "summary").value_or("");
  protocol.seeds = seeds_from(read, root);
  if (protocol.seeds.empty()) protocol.seeds = *parse_seeds("5");
  Defaults defaults;
  if (auto batches = read.wholes(root, "batch", 1, most)) defaults.batches = *batches;
  defaults.rounds = read.whole(root, "rounds", 1, most);
  defaults.evaluations = read.whole(root, "evaluations", 1, most * 100);
  if (defaults.rounds && defaults.evaluations) {
    read.fail(root.get("evaluations"), "give rounds or evaluations, not both");
  }
  defaults.initial_rounds = read.whole(root, "initial_rounds", 1, most).value_or(1);
  defaults.methods = read.texts(root, "methods").value_or(std::vector<std::string>{});
  protocol.sweep = sweep_from(read, root);
  const toml::array* tasks = root.get_as<toml::array>("task");
  if (tasks == nullptr || tasks->empty()) {
    read.fail(root.get("task"), "no tasks; a protocol needs at least one [[task]] with a name");
  }
  for (const toml::node& task : *tasks) add_task(read, task, defaults, protocol);
  return protocol;
}

std::optional<std::uint64_t> seed_from(std::string_view text) {
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error != std::errc{} || end != text.data() + text.size() || seed == 0) return std::nullopt;
  return seed;
}

}  // namespace

std::vector<std::string> swept(const std::vector<std::string>& methods, const Sweep& sweep) {
  if (sweep.values.empty()) return methods;
  std::vector<std::string> all;
  for (const std::string& method : methods) {
    const std::size_t settings = method.find('?');
    const auto sets = [&](const std::string& start) {
      return settings != std::string::npos &&
             method.find(start + sweep.option + "=", settings) != std::string::npos;
    };
    if (sets("?") || sets("&")) {
      all.push_back(method);
      continue;
    }
    for (const std::string& value : sweep.values) {
      all.push_back(method + (settings == std::string::npos ? "?" : "&") + sweep.option + "=" +
                    value);
    }
  }
  return all;
}

Result<std::vector<std::uint64_t>> parse_seeds(std::string_view text) {
  const Error wrong{ErrorKind::invalid_input,
                    "seeds \"" + std::string(text) +
                        "\": expected a number (5 means 1 to 5), a range (3-7) or a list (1,4,9) "
                        "of whole numbers from 1 on, at most 10000 of them"};
  constexpr std::uint64_t most = 10000;
  std::vector<std::uint64_t> seeds;
  const auto add_range = [&](std::uint64_t first, std::uint64_t last) {
    if (last < first || last - first >= most - std::min<std::uint64_t>(most, seeds.size())) {
      return false;
    }
    for (std::uint64_t i = 0; i <= last - first; ++i) seeds.push_back(first + i);
    return true;
  };
  if (text.find_first_of(",-") == std::string_view::npos) {
    const auto count = seed_from(text);
    if (!count || !add_range(1, *count)) return wrong;
    return seeds;
  }
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view item = text.substr(0, comma);
    const std::size_t dash = item.find('-');
    const auto first = seed_from(item.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : seed_from(item.substr(dash + 1));
    if (!first || !last || !add_range(*first, *last)) return wrong;
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  std::sort(seeds.begin(), seeds.end());
  seeds.erase(std::unique(seeds.begin(), seeds.end()), seeds.end());
  return seeds;
}

Result<Protocol> parse_protocol(std::string_view text, const std::string& source_name) {
  if (const Result<void> guarded = guard_toml(text); !guarded) {
    return Error{ErrorKind::invalid_input, source_name + ", line " +
                                               std::to_string(guarded.error().line) + ": " +
                                               guarded.error().message};
  }
  try {
    return protocol_from(Reader(source_name), toml::parse(text));
  } catch (const toml::parse_error& e) {
    return Error{ErrorKind::invalid_input, source_name + ", line " +
                                               std::to_string(e.source().begin.line) + ": " +
                                               std::string(e.description())};
  } catch (const TomlAssertion&) {
    return Error{ErrorKind::invalid_input, source_name + ": not valid TOML"};
  } catch (const Wrong& wrong) {
    return Error{ErrorKind::invalid_input, wrong.message};
  }
}

Result<Protocol> read_protocol(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) return Error{ErrorKind::not_found, "cannot read the protocol " + file.string()};
  return parse_protocol(text.str(), file.string());
}

}  // namespace vbo::bench
