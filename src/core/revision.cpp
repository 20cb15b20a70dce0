// SPDX-License-Identifier: MIT
#include "vbo/revision.hpp"

#include <array>
#include <utility>

namespace vbo {
namespace {

constexpr std::array<std::pair<RevisionKind, std::string_view>, 3> kKinds{{
    {RevisionKind::replaced, "replaced"},
    {RevisionKind::dropped, "dropped"},
    {RevisionKind::retried, "retried"},
}};

}  // namespace

std::string_view to_string(RevisionKind kind) {
  for (const auto& [value, name] : kKinds) {
    if (value == kind) return name;
  }
  return "?";
}

std::optional<RevisionKind> revision_kind_from(std::string_view text) {
  for (const auto& [value, name] : kKinds) {
    if (name == text) return value;
  }
  return std::nullopt;
}

}  // namespace vbo
