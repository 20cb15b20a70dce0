// SPDX-License-Identifier: MIT
// How the helper sees an input: its place in the whole cube and, beside it, its place among the
// best results (optim/vbo/frame.hpp), with their mean and deviations as the neighbourhood. However
// narrow the action-net has become, what is left of the problem has size one. Immutable between
// rounds.
#pragma once

#include "optim/vbo/frame.hpp"
#include "optim/vbo_paper/histories.hpp"

namespace vbo {

enum class LensKind { none, axes, full };

class Lens {
 public:
  Lens(const Encoding& encoding, LensKind kind)
      : kind_(kind),
        frame_(encoding,
               kind == LensKind::none ? Frame::Views::whole : Frame::Views::whole_and_near) {}

  const Frame& frame() const { return frame_; }
  // To the best results of these rounds, codes (D, rounds B).
  void move(const Histories& codes);
  Histories seen(const Histories& codes) const;

 private:
  LensKind kind_;
  Frame frame_;
};

}  // namespace vbo
