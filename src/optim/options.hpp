// SPDX-License-Identifier: MIT
// Reads a method's options from an OptionMap into its options struct, and at the same time learns
// their names, defaults and ranges for `vbo methods`. A method writes one function
//   void bind(OptionBinder& b, MyOptions& o) { b.number("beta", o.beta, 0, 100, "weight of ..."); }
// and both uses come from it: the text a person reads cannot drift from what is accepted.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/spelling.hpp"
#include "vbo/error.hpp"
#include "vbo/optimizer.hpp"

namespace vbo {

class OptionBinder {
 public:
  template <class T>
  struct Choice {
    std::string_view word;
    T meaning;
  };

  explicit OptionBinder(const OptionMap& given) : given_(given) {}

  // The field's value before the call is the default. Bounds are inclusive.
  void number(std::string_view name, double& field, double low, double high,
              std::string_view summary);
  void integer(std::string_view name, std::int64_t& field, std::int64_t low, std::int64_t high,
               std::string_view summary);
  void flag(std::string_view name, bool& field, std::string_view summary);
  // One of some words; the field has what the word stands for, so that no text is compared later.
  // REQUIRES: the field's value before the call is one of them.
  template <class T>
  void choice(std::string_view name, T& field, std::span<const Choice<T>> choices,
              std::string_view summary) {
    std::vector<std::string_view> words;
    std::size_t chosen = 0;
    for (std::size_t i = 0; i < choices.size(); ++i) {
      words.push_back(choices[i].word);
      if (choices[i].meaning == field) chosen = i;
    }
    field = choices[choose(name, words, chosen, summary)].meaning;
  }
  template <class T>
  void choice(std::string_view name, T& field,
              std::initializer_list<Choice<std::type_identity_t<T>>> choices,
              std::string_view summary) {
    choice(name, field, std::span<const Choice<T>>(choices.begin(), choices.size()), summary);
  }
  // Layer widths and the like: whole numbers in [low, high], at least one.
  void widths(std::string_view name, std::vector<std::int64_t>& field, std::int64_t low,
              std::int64_t high, std::string_view summary);

  // The first wrong or unknown option, with a suggestion for a misspelt name; its name is the
  // field.
  Result<void> finish(std::string_view method) const;
  std::vector<OptionInfo> infos() && { return std::move(infos_); }

 private:
  // Which word is given, or `chosen` when none is.
  std::size_t choose(std::string_view name, std::span<const std::string_view> words,
                     std::size_t chosen, std::string_view summary);
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
