#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes pareto_samples.hpp: random sets of points with what moocore computes of them.

    pip install moocore==0.3.2; python3 tests/numerics/pareto_samples.py > tests/numerics/pareto_samples.hpp
"""
import moocore
import numpy as np

HEADER = """// SPDX-License-Identifier: MIT
// Written by pareto_samples.py: what moocore {version} computes of random sets of points, with ties,
// points that occur twice, and points outside the reference (1 in every coordinate).
#pragma once

#include <vector>

namespace vbo {{

struct ParetoSample {{
  int objectives = 0;
  std::vector<double> points;  // (M,n)
  double hypervolume = 0.0;
  std::vector<double> contributions;  // (n)
  std::vector<int> ranks;             // (n)
}};

// clang-format off
inline const std::vector<ParetoSample> kParetoSamples = {{"""


def samples():
    rng = np.random.default_rng(45)
    for objectives in range(2, 7):
        for count, digits, outside in [(1, 2, 1.0), (9, 2, 1.2), (16, 1, 1.3), (24, 3, 1.0)]:
            points = np.round(rng.uniform(0, outside, (count, objectives)), digits)
            if count > 1:
                points[-1] = points[0]
            if count == 24:  # near a sphere: most points are on the front
                points = np.round(points / np.linalg.norm(points, axis=1, keepdims=True), digits)
            yield points


def listing(numbers):
    return "{" + ",".join(f"{number:.17g}" for number in numbers) + "}"


def main():
    print(HEADER.format(version=moocore.__version__))
    for points in samples():
        reference = np.ones(points.shape[1])
        volume = moocore.hypervolume(points, ref=reference)
        without = [moocore.hypervolume(np.delete(points, i, axis=0), ref=reference) if len(points) > 1 else 0.0
                   for i in range(len(points))]
        ranks = moocore.pareto_rank(points)
        print(f"    {{{points.shape[1]}, {listing(points.ravel())}, {volume:.17g}, "
              f"{listing(volume - np.array(without))}, {listing(ranks - ranks.min())}}},")
    print("};\n// clang-format on\n\n}  // namespace vbo")


main()
