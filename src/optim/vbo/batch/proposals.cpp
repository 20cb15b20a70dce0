// SPDX-License-Identifier: MIT
#include "optim/vbo/batch/proposals.hpp"

#include <algorithm>
#include <cmath>

#include "optim/vbo/constants.hpp"

namespace vbo {
namespace {

// How often a changed number is borrowed from another good result, drawn at random over its range,
// or (the rest) moved by a moderate step; how often categories stay together, and stay unchanged.
constexpr double kBorrow = 0.3, kRandom = 0.4, kOneChange = 0.5;
constexpr double kUnmixed = 0.5, kMostMixed = 0.5, kUnchanged = 0.3;

const Eigen::Map<const Vector> partner(const Archive& archive, Rng& rng) {
  const int n = std::min(archive.size(), Tuning::partners);
  return archive.code(archive.at_rank(static_cast<int>(rng.below(static_cast<std::uint64_t>(n)))));
}

// Another choice than the present one, at random.
void choose_another(const Encoding::Block& block, VectorRef code, Rng& rng) {
  auto choices = code.segment(block.offset, block.width);
  Eigen::Index now = 0;
  choices.maxCoeff(&now);
  choices.setZero();
  const auto others = static_cast<std::uint64_t>(block.width - 1);
  const Eigen::Index step = others > 0 ? 1 + static_cast<Eigen::Index>(rng.below(others)) : 0;
  choices[(now + step) % block.width] = 1.0;
}

// Mirrors at the bounds.
double inside(double x) {
  x = std::fmod(std::abs(x), 2.0);
  return x > 1.0 ? 2.0 - x : x;
}

}  // namespace

std::string_view to_string(Source source) {
  switch (source) {
    case Source::design:
      return "design";
    case Source::action_net:
      return "action-net";
    case Source::local:
      return "local";
    case Source::refinement:
      return "refinement";
    case Source::incumbent_mutation:
      return "incumbent-mutation";
    case Source::expected_improvement:
      return "expected-improvement";
    case Source::quadratic_optimum:
      return "quadratic-optimum";
    case Source::mutation:
      return "mutation";
    case Source::constrained_optimum:
      return "constrained-optimum";
  }
  return "?";
}

std::int64_t part_of(Source source) { return static_cast<std::int64_t>(source) + 1; }

std::optional<Source> stored_source(const Rationale& rationale) {
  if (rationale.origin != Origin::method || rationale.part < 1) return std::nullopt;
  if (rationale.part > part_of(kLastSource)) return std::nullopt;
  return static_cast<Source>(rationale.part - 1);
}

int good_rank(const Archive& archive, Rng& rng) {
  const double u = rng.uniform();
  return static_cast<int>(std::min(archive.size(), Tuning::parents) * u * u);
}

void borrow_categories(const Encoding& encoding, const Archive& archive, VectorRef code, Rng& rng) {
  int categories = 0;
  for (const Encoding::Block& b : encoding.blocks())
    categories += b.kind == ParameterKind::categorical;
  if (categories == 0) return;
  const auto parent = archive.code(archive.at_rank(good_rank(archive, rng)));
  const auto other = partner(archive, rng);
  const double mix = rng.uniform() < kUnmixed ? 0.0 : kMostMixed * rng.uniform();
  const bool keep =
      categories < static_cast<int>(encoding.blocks().size()) && rng.uniform() < kUnchanged;
  const double change = keep ? 0.0 : (1.0 + static_cast<double>(rng.below(3))) / categories;
  for (const Encoding::Block& block : encoding.blocks()) {
    if (block.kind != ParameterKind::categorical) continue;
    const auto& from = rng.uniform() < mix ? other : parent;
    code.segment(block.offset, block.width) = from.segment(block.offset, block.width);
    if (rng.uniform() < change) choose_another(block, code, rng);
  }
}

Vector mutate(const Encoding& encoding, const Archive& archive, Rng& rng) {
  Vector code = archive.code(archive.at_rank(good_rank(archive, rng)));
  const auto parameters = static_cast<double>(encoding.blocks().size());
  const double expected =
      rng.uniform() < kOneChange ? 1.0 : 1.0 + static_cast<double>(rng.below(4));
  bool changed = false;
  while (!changed) {
    for (const Encoding::Block& block : encoding.blocks()) {
      if (rng.uniform() >= expected / parameters) continue;
      changed = true;
      const double how = rng.uniform();
      if (how < kBorrow) {
        code.segment(block.offset, block.width) =
            partner(archive, rng).segment(block.offset, block.width);
      } else if (block.kind == ParameterKind::categorical) {
        choose_another(block, code, rng);
      } else if (how < kBorrow + kRandom) {
        code[block.offset] = rng.uniform();
      } else {
        code[block.offset] = inside(code[block.offset] + Tuning::mutation_step * rng.normal());
      }
    }
  }
  return code;
}

Matrix columns(const std::vector<Vector>& codes) {
  Matrix X(codes.front().size(), std::ssize(codes));
  for (std::size_t i = 0; i < codes.size(); ++i) X.col(static_cast<Eigen::Index>(i)) = codes[i];
  return X;
}

}  // namespace vbo
