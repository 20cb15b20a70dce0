// SPDX-License-Identifier: MIT
#include "tasks/show.hpp"

#include <algorithm>

#include "tasks/svg.hpp"

namespace vbo::tasks {

Rng evaluation_rng(std::uint64_t seed) { return Rng(seed, "task evaluation"); }

Result<std::string> show(const Task& task, const Point& point, std::uint64_t seed) {
  const std::string& name = task.info().name;
  Rng rng = evaluation_rng(seed);
  if (name == "brusselator") return show_brusselator(point, rng);
  if (name == "interferometer") return show_interferometer(point, rng);
  // The seeded task has a noiseless value, the fresh one has not.
  if (name == "pest-control")
    return show_pest_control(point, task.noiseless(point) ? nullptr : &rng);
  if (name == "labs" || name == "ising") return show_spins(task, point);
#ifdef VBO_HAVE_BOX2D
  if (name == "lunar-lander") {
    if (seed < 50) return show_lunar_lander(point, seed);
    return Error{ErrorKind::invalid_input, "lunar-lander: found seed " + std::to_string(seed) +
                                               ", expected an episode from 0 to 49"};
  }
#endif
  return show_landscape(task, point);
}

std::string html_page(const std::string& title, const std::string& svg) {
  return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width\">\n<title>" +
         escaped(title) +
         "</title>\n<style>\nbody { margin: 2rem; background: #f3f4f6; text-align: center }\n"
         "svg { max-width: 100%; height: auto; box-shadow: 0 1px 4px #0003; border-radius: 8px }\n"
         "</style>\n</head>\n<body>\n" +
         svg + "</body>\n</html>\n";
}

}  // namespace vbo::tasks
