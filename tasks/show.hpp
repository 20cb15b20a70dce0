// SPDX-License-Identifier: MIT
// Pictures of what one evaluation of a task did, as self-contained SVG: a flight of the lander, the
// final fields of the Brusselator, the interferometer's frames, the season of pest control, and for
// everything with real or integer parameters the landscape around the point.
#pragma once

#include <cstdint>
#include <string>

#include "tasks/task.hpp"

namespace vbo::tasks {

// `seed` decides what is random in the evaluation; for lunar-lander it is the episode, 0..49.
// REQUIRES: task.space().check(point).
Result<std::string> show(const Task& task, const Point& point, std::uint64_t seed);

// A page around a picture.
std::string html_page(const std::string& title, const std::string& svg);

// The random stream of evaluation `seed`, shared by show() and `vbo tasks eval`.
Rng evaluation_rng(std::uint64_t seed);

// One per kind of picture; show() chooses.
std::string show_landscape(const Task& task, const Point& point);
std::string show_lunar_lander(const Point& point, std::uint64_t episode);
std::string show_brusselator(const Point& point, Rng& rng);
std::string show_interferometer(const Point& point, Rng& rng);
std::string show_pest_control(const Point& point, Rng* fresh);  // nullptr: the seeded task
std::string show_spins(const Task& task, const Point& point);

}  // namespace vbo::tasks
