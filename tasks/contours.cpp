// SPDX-License-Identifier: MIT
#include "tasks/contours.hpp"

#include <map>
#include <utility>

namespace vbo::tasks {
namespace {

// Grid edges by number: 2 (row columns + column) for the one to the right of a grid point, + 1 for
// the one below it. A contour crosses each at most once.
using Edge = int;

}  // namespace

std::vector<std::vector<Pixel>> contour_lines(std::span<const double> values, int columns, int rows,
                                              double level) {
  const auto value = [&](int row, int column) { return values[row * columns + column]; };
  const auto across = [&](int row, int column) { return 2 * (row * columns + column); };
  const auto down = [&](int row, int column) { return 2 * (row * columns + column) + 1; };

  // Which two edges each piece of contour joins, cell by cell.
  std::map<Edge, std::vector<Edge>> next;
  const auto join = [&next](Edge a, Edge b) {
    next[a].push_back(b);
    next[b].push_back(a);
  };
  for (int row = 0; row + 1 < rows; ++row) {
    for (int column = 0; column + 1 < columns; ++column) {
      const bool corner[4] = {value(row, column) > level, value(row, column + 1) > level,
                              value(row + 1, column + 1) > level, value(row + 1, column) > level};
      const Edge edge[4] = {across(row, column), down(row, column + 1), across(row + 1, column),
                            down(row, column)};  // top, right, bottom, left
      std::vector<Edge> crossed;
      for (int k = 0; k < 4; ++k) {
        if (corner[k] != corner[(k + 1) % 4]) crossed.push_back(edge[k]);
      }
      if (crossed.size() == 2) join(crossed[0], crossed[1]);
      if (crossed.size() == 4) {  // a saddle: keep the centre's side together
        const double centre = 0.25 * (value(row, column) + value(row, column + 1) +
                                      value(row + 1, column + 1) + value(row + 1, column));
        const bool cut_top_left = (centre > level) != corner[0];
        join(edge[0], cut_top_left ? edge[3] : edge[1]);
        join(edge[2], cut_top_left ? edge[1] : edge[3]);
      }
    }
  }

  const auto place = [&](Edge e) {
    const int row = e / 2 / columns, column = e / 2 % columns;
    const bool vertical = e % 2 == 1;
    const double a = value(row, column);
    const double b = vertical ? value(row + 1, column) : value(row, column + 1);
    const double t = (level - a) / (b - a);
    return vertical ? Pixel{double(column), row + t} : Pixel{column + t, double(row)};
  };
  std::vector<std::vector<Pixel>> lines;
  const auto follow = [&](Edge start) {
    std::vector<Pixel> line = {place(start)};
    Edge at = start;
    while (!next[at].empty()) {
      const Edge to = next[at].back();
      next[at].pop_back();
      std::erase(next[to], at);
      line.push_back(place(to));
      at = to;
    }
    lines.push_back(std::move(line));
  };
  for (const auto& [edge, others] : next) {  // open lines from their ends, then closed ones
    if (others.size() == 1) follow(edge);
  }
  for (const auto& [edge, others] : next) {
    if (!others.empty()) follow(edge);
  }
  return lines;
}

}  // namespace vbo::tasks
