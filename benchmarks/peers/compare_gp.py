# SPDX-License-Identifier: MIT
"""Suggestion time of vbo and BoTorch on the same data, one after the other on this machine.

compare_gp.py [--program build/release/gp_suggestion] [--sizes 100 500 1000 2000] [--repeats 3]
Writes Hartmann-6 data at uniform points to a CSV that both programs read, and prints a table, a row
as soon as it is measured; n >= 2000 is run once. Needs no package itself; without BoTorch it prints
vbo's column alone.
"""
import argparse
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

ALPHA = [1.0, 1.2, 3.0, 3.2]
A = [[10, 3, 17, 3.5, 1.7, 8], [0.05, 10, 17, 0.1, 8, 14], [3, 3.5, 1.7, 10, 17, 8], [17, 8, 0.05, 10, 0.1, 14]]
P = [
    [0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886],
    [0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991],
    [0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650],
    [0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381],
]


def hartmann6(x):
    return sum(
        a * math.exp(-sum(A[i][j] * (x[j] - P[i][j]) ** 2 for j in range(6))) for i, a in enumerate(ALPHA)
    )


def write_data(path, n):
    draw = random.Random(1)
    with open(path, "w") as file:
        for _ in range(n):
            x = [draw.random() for _ in range(6)]
            file.write(",".join(repr(v) for v in x + [hartmann6(x)]) + "\n")


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        print(f"{command[0]} {command[1]}: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
        return None
    return json.loads(done.stdout.strip().splitlines()[-1])


def row(n, ours, theirs):
    cell = lambda d, k, f: format(d[k], f) if d else "-"
    ratio = f"{theirs['seconds'] / ours['seconds']:.1f}" if ours and theirs else "-"
    return (
        f"| {n} | {cell(ours, 'seconds', '.4f')} | {cell(theirs, 'seconds', '.3f')} | {ratio} "
        f"| {cell(ours, 'log_likelihood', '.2f')} | {cell(theirs, 'log_likelihood', '.2f')} "
        f"| {cell(ours, 'log_ei', '.3f')} | {cell(theirs, 'log_ei', '.3f')} |"
    )


def main():
    here = pathlib.Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--program", default=str(here.parents[1] / "build/release/gp_suggestion"))
    parser.add_argument("--python", default=sys.executable, help="the interpreter that has BoTorch")
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 500, 1000, 2000])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--data", help="CSV to use instead of Hartmann-6 points")
    parser.add_argument("--json", action="store_true", help="print all numbers as JSON")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        data = options.data or str(pathlib.Path(folder) / "hartmann6.csv")
        if not options.data:
            write_data(data, max(options.sizes))
        results = []
        if not options.json:
            print("| n | vbo s | BoTorch s | times | log likelihood vbo | BoTorch | LogEI vbo | BoTorch |")
            print("|---|---|---|---|---|---|---|---|", flush=True)
        for n in options.sizes:
            arguments = [data, str(n), str(options.repeats if n < 2000 else 1)]
            kernel = "rbf"
            theirs = run([options.python, str(here / "botorch_suggestion.py"), *arguments])
            if theirs and "Matern" in theirs["kernel"]:
                kernel = "matern52"
            ours = run([options.program, *arguments, kernel, "botorch"])
            results.append({"n": n, "vbo": ours, "botorch": theirs})
            if not options.json:
                print(row(n, ours, theirs), flush=True)
    if options.json:
        print(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
