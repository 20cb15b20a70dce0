// SPDX-License-Identifier: MIT
// How the helper sees an input: its place in the whole cube and, beside it, its place among the
// best results (optim/vbo/critics/local_coordinates.hpp), with their mean and deviations as the
// neighbourhood. However narrow the action-net has become, what is left of the problem has size
// one. Immutable between rounds.
#pragma once

#include "optim/vbo/critics/local_coordinates.hpp"
#include "optim/vbo_paper/histories.hpp"

namespace vbo {

enum class LensKind { none, axes, full };

class Lens {
 public:
  Lens(const Encoding& encoding, LensKind kind)
      : kind_(kind),
        coordinates_(encoding, kind == LensKind::none
                                   ? LocalCoordinates::Windows::whole
                                   : LocalCoordinates::Windows::whole_and_local) {}

  const LocalCoordinates& coordinates() const { return coordinates_; }
  // To the best results of these rounds, codes (D, rounds B).
  void move(const Histories& codes);
  Histories seen(const Histories& codes) const;

 private:
  LensKind kind_;
  LocalCoordinates coordinates_;
};

}  // namespace vbo
