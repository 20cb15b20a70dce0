#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What each part of vbo is worth, as a table.

    vbo bench run -p research/protocols/parts.toml --out build/parts
    scripts/parts_table.py build/parts

Every other method against `vbo`, paired by task and seed: pairs in which vbo's best value is higher
and lower (values that agree to 1e-6 are tied), the two-sided sign test over them, and the mean of
log10(gap of the other / gap of vbo), gaps counted from 1e-6 and each quotient cut at a hundred. Then
the same pairs and test for the average reward, the mean of all outcomes so far, in the last round.
"""

import json
import math
import pathlib
import sys


def read(folder):
    runs = {}
    for path in pathlib.Path(folder).glob("*.jsonl"):
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        best = {line["round"]: line["best"] for line in lines if "best" in line}
        if lines[0]["rounds"] in best:
            head = lines[0]
            runs[(head["method"], head["task"], head["seed"])] = (
                best, lines[-1]["average_reward"], head["optimum"])
    return runs


def differ(a, b):
    return abs(a - b) > 1e-6 * max(1.0, abs(a), abs(b))


def sign_test(a, b):
    n = a + b
    tail = sum(math.comb(n, k) for k in range(min(a, b) + 1)) / 2**n
    return min(1.0, 2 * tail)


def main():
    runs = read(sys.argv[1])
    rounds = [20, 40]
    print("| against | pairs |" + "".join(f" better : worse, round {r} | p | log10 |" for r in rounds)
          + " reward | p |")
    print("|---|---:|" + "---|---:|---:|" * len(rounds) + "---|---:|")
    for other in sorted({name for name, _, _ in runs} - {"vbo"}):
        keys = [key[1:] for key in runs if key[0] == other and ("vbo", *key[1:]) in runs]
        row = f"| `{other}` | {len(keys)} |"
        for at in rounds:
            better = worse = 0
            logs = []
            for key in keys:
                (with_part, _, optimum), (without, _, _) = runs[("vbo", *key)], runs[(other, *key)]
                a, b = with_part[at], without[at]
                if differ(a, b):
                    better, worse = better + (a > b), worse + (a < b)
                gaps = [max(1e-6, optimum - value) for value in (b, a)]
                logs.append(max(-2.0, min(2.0, math.log10(gaps[0] / gaps[1]))))
            p = sign_test(better, worse)
            row += f" {better} : {worse} | {p:.2g} | {sum(logs) / len(logs):+.2f} |"
        rewards = [(runs[("vbo", *key)][1], runs[(other, *key)][1]) for key in keys]
        higher = sum(a > b for a, b in rewards if differ(a, b))
        lower = sum(a < b for a, b in rewards if differ(a, b))
        print(row + f" {higher} : {lower} | {sign_test(higher, lower):.2g} |")


if __name__ == "__main__":
    main()
