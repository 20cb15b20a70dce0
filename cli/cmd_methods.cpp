// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "cli/commands.hpp"
#include "cli/trial_json.hpp"
#include "core/spelling.hpp"
#include "vbo/optimizer.hpp"

namespace vbo::cli {
namespace {

Json method_json(const MethodInfo& method) {
  Json options = Json::array();
  for (const OptionInfo& option : method.options) {
    options.push_back({{"name", option.name},
                       {"default", option.default_value},
                       {"range", option.range},
                       {"summary", option.summary}});
  }
  Json terms = Json::array();
  for (const TermInfo& term : method.ledger.terms) {
    terms.push_back({{"name", term.name},
                     {"unit", to_string(term.unit)},
                     {"role", term.role == TermRole::adds_up ? "adds up" : "beside"},
                     {"meaning", term.meaning}});
  }
  return {
      {"name", method.name}, {"summary", method.summary}, {"options", options}, {"terms", terms}};
}

std::string method_text(const MethodInfo& method) {
  std::string text = method.name + ": " + method.summary + "\n";
  text += method.options.empty() ? "\nIt has no options.\n"
                                 : "\nOptions, for the [optimizer] table of a study file:\n";
  for (const OptionInfo& option : method.options) {
    text += fmt::format("  {} = {}   ({})\n      {}\n", option.name, option.default_value,
                        option.range, option.summary);
  }
  if (method.ledger.terms.empty()) return text;
  text += "\nWhat vbo explain may show; terms marked + are parts of the score:\n";
  for (const TermInfo& term : method.ledger.terms) {
    text += fmt::format("  {} {}   ({})\n      {}\n", term.role == TermRole::adds_up ? "+" : " ",
                        term.name, to_string(term.unit), term.meaning);
  }
  return text;
}

int list_methods(const std::string& name, bool json) {
  std::vector<MethodInfo> all = methods();
  if (!name.empty()) {
    std::vector<std::string> names;
    names.reserve(all.size());
    for (const MethodInfo& method : all) names.push_back(method.name);
    std::erase_if(all, [&](const MethodInfo& method) { return method.name != name; });
    if (all.empty()) {
      return fail(kWrongUsage, "unknown method \"" + name + "\"" + suggestion(name, names));
    }
  }
  if (json) {
    Json list = Json::array();
    for (const MethodInfo& method : all) list.push_back(method_json(method));
    print_json(list);
    return kDone;
  }
  if (!name.empty()) {
    print_out(method_text(all.front()));
    return kDone;
  }
  std::size_t width = 0;
  for (const MethodInfo& method : all) width = std::max(width, method.name.size());
  for (const MethodInfo& method : all) {
    print_out(fmt::format("{:<{}}  {}\n", method.name, width, method.summary));
  }
  return kDone;
}

}  // namespace

Action define_methods(CLI::App& app, const Console&) {
  auto name = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  Arguments arguments(app);
  arguments.optional_positional("NAME", *name, "Show this method and its options");
  arguments.flag("--json", *json, "Print JSON");
  return [name, json] { return list_methods(*name, *json); };
}

}  // namespace vbo::cli
