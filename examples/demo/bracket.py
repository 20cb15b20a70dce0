#!/usr/bin/env python3
"""A stand-in for a slow simulation: the weight of a steel bracket that must not yield.

Prints its log as simulations do, and at the end the cost as one JSON object: the weight in
kilograms plus a penalty for every percent by which the stress exceeds what the material bears.
Some shapes cannot be meshed at all; then it says so with exit code 65.
"""
import argparse
import json
import math
import random
import sys
import time

MATERIALS = {  # density (kg/dm3), bearable stress (MPa), price factor
    "steel": (7.85, 235.0, 1.00),
    "aluminium": (2.70, 160.0, 1.35),
    "titanium": (4.43, 830.0, 3.10),
}

parser = argparse.ArgumentParser()
parser.add_argument("--width", type=float, required=True)  # mm
parser.add_argument("--thickness", type=float, required=True)  # mm
parser.add_argument("--fillet", type=float, required=True)  # mm
parser.add_argument("--ribs", type=int, required=True)
parser.add_argument("--material", choices=sorted(MATERIALS), required=True)
shape = parser.parse_args()

print(f"meshing {shape.width:.1f} x {shape.thickness:.1f} mm, {shape.ribs} ribs of {shape.material}")
if shape.fillet > 0.9 * shape.width:
    print("the fillet does not fit the width", file=sys.stderr)
    sys.exit(65)

density, bearable, price = MATERIALS[shape.material]
# Slender shapes need finer meshes, so they take longer.
time.sleep(0.08 + 0.12 * random.random() + 0.1 * math.exp(-shape.thickness / 4))

section = shape.width * shape.thickness**2 / 6 + shape.ribs * 1.5 * shape.thickness**3 / 4  # mm3
notch = 1 + 2.2 * math.exp(-shape.fillet / 6)  # stress concentration at the corner
stress = 95_000 * notch / section  # MPa, under 950 N at 100 mm
volume = 1e-6 * 140 * shape.width * shape.thickness * (1 + 0.06 * shape.ribs) + 4e-6 * shape.fillet**2 * shape.thickness
weight = density * volume  # kg, volume in dm3
excess = max(0.0, stress / bearable - 1)
print(f"stress {stress:.1f} MPa of {bearable:.0f} MPa, weight {weight:.3f} kg")
print(json.dumps({"value": price * weight + 5 * excess, "stress": stress, "weight": weight}))
