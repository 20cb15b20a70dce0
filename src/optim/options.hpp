// SPDX-License-Identifier: MIT
// Reads a method's options from an OptionMap into its options struct, and at the same time learns
// their names, defaults and ranges for `vbo methods`. A method writes one function
//   void bind(OptionBinder& b, MyOptions& o) { b.number("beta", o.beta, 0, 100, "weight of ..."); }
// and both uses come from it: the text a person reads cannot drift from what is accepted.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/spelling.hpp"
#include "vbo/error.hpp"
#include "vbo/optimizer.hpp"

namespace vbo {

class OptionBinder {
 public:
  explicit OptionBinder(const OptionMap& given) : given_(given) {}

  // The field's value before the call is the default. Bounds are inclusive.
  void number(std::string_view name, double& field, double low, double high,
              std::string_view summary);
  void integer(std::string_view name, std::int64_t& field, std::int64_t low, std::int64_t high,
               std::string_view summary);
  void flag(std::string_view name, bool& field, std::string_view summary);
  void choice(std::string_view name, std::string& field,
              std::initializer_list<std::string_view> choices, std::string_view summary);
  // Layer widths and the like: whole numbers in [low, high], at least one.
  void widths(std::string_view name, std::vector<std::int64_t>& field, std::int64_t low,
              std::int64_t high, std::string_view summary);

  // The first wrong or unknown option, with a suggestion for a misspelt name; its name is the
  // field.
  Result<void> finish(std::string_view method) const;
  std::vector<OptionInfo> infos() && { return std::move(infos_); }

 private:
  const OptionValue* take(std::string_view name);
  bool knows(std::string_view name) const;
  void wrong(std::string_view name, const OptionValue& found, std::string expected);

  const OptionMap& given_;
  std::vector<OptionInfo> infos_;
  std::optional<Error> first_error_;
};

std::string to_string(const OptionValue& value);

// An option's earlier name, accepted with a note for one release; empty when it never had another.
std::string_view earlier_name(std::string_view name);

}  // namespace vbo
