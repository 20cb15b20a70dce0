// SPDX-License-Identifier: MIT
// Aligning a Mach-Zehnder interferometer: two mirrors with two tilt screws each; the value is the
// visibility of the interference pattern over 16 camera frames (1 = perfect contrast). A needle in
// a plateau: almost everywhere the two beams miss each other.
// From Sorokin et al. 2020 ("Interferobot") as used by Li et al. 2024. Lengths in millimetres.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tasks/basic_task.hpp"

namespace vbo::tasks::interferometer {

inline constexpr int side = 64;  // camera pixels
inline constexpr int pixels = side * side;
inline constexpr int frames = 16;

using Vec3 = std::array<double, 3>;
using Screws = std::array<double, 4>;  // x, in [-1,1]: mirror 1 (far) x, y; mirror 2 (near) x, y

struct Beam {
  Vec3 p;  // a point on it (on the second mirror)
  Vec3 k;  // unit direction
};
Beam second_beam(const Screws& x);

// What is random in one evaluation.
struct Imperfections {
  std::vector<double> factor1, factor2;  // (pixels) amplitude factors; empty: all 1
  double start1 = 0.0, start2 = 0.0;     // phase at which each sweep of the piezo mirror starts
};
Imperfections draw_imperfections(Rng& rng);

// Both beams at the camera, row i at i * side.
struct Fields {
  std::vector<double> amplitude1, amplitude2, phase;  // (pixels), phase of beam 1 minus beam 2
};
Fields fields(const Screws& x, const Imperfections& imperfections);

struct Frames {
  std::array<std::vector<std::uint8_t>, frames> grey;  // (pixels) each
  std::array<double, frames> energy{};                 // weighted sum of grey values
};
Frames record(const Fields& fields, const Imperfections& imperfections);

double visibility(const std::array<double, frames>& energy);

std::unique_ptr<BasicTask> make_interferometer(TaskOptions& options);

}  // namespace vbo::tasks::interferometer
