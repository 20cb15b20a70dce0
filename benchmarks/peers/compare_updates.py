#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Ours beside PyTorch, as a Markdown table.

    build/release/nn_bench --benchmark_out=ours.json --benchmark_out_format=json
    python3 benchmarks/peers/torch_updates.py > torch.json
    python3 benchmarks/peers/compare_updates.py ours.json torch.json

torch.json may be left out; then only the share of the machine's own peak is shown.
"""

import json
import sys


def duration(seconds):
    return f"{seconds * 1e6:.0f} us" if seconds < 1e-3 else f"{seconds * 1e3:.2f} ms"


def main(arguments):
    if not 1 <= len(arguments) <= 2:
        sys.exit(__doc__)
    with open(arguments[0], encoding="utf-8") as file:
        ours = json.load(file)["benchmarks"]
    theirs = {"results": []}
    if len(arguments) == 2:
        with open(arguments[1], encoding="utf-8") as file:
            theirs = json.load(file)
    unit = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
    threads = sorted({row["threads"] for row in theirs["results"]})
    names = [f"{theirs.get('library', '')}, {n} thread{'s' if n > 1 else ''}" for n in threads]
    header = ["update", "flops", "ours, 1 thread", "share of peak"]
    for name in names:
        header += [name, "ratio"]
    print("| " + " | ".join(header) + " |")
    print("|" + "---|" * len(header))
    for row in ours:
        if "share_of_peak" not in row or "error_occurred" in row:
            continue
        seconds = row["seconds_per_update"]
        line = [row["name"], f"{row['flops'] / 1e6:.2f} M", duration(seconds),
                f"{100 * row['share_of_peak']:.0f}%"]
        for count in threads:
            peer = [r for r in theirs["results"]
                    if r["threads"] == count and r["name"] == row["name"]]
            if peer:
                # One thread: CPU time on both sides, so that other work on the machine does not count.
                spent = peer[0]["cpu"] if count == 1 else peer[0]["median"]
                line += [duration(spent), f"{spent / seconds:.1f}x"]
            else:
                line += ["", ""]
        print("| " + " | ".join(line) + " |")


if __name__ == "__main__":
    main(sys.argv[1:])
