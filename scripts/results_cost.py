# SPDX-License-Identifier: MIT
"""Cost of a round and consistency of the estimates, for the page that scripts/results makes."""

import json

from results_rows import markdown, number, ours


def counted(results):
    path = results.raw / "flops.json"
    return json.loads(path.read_text()) if path.exists() else None


def cost(results):
    text = ["## Cost of a round", ""]
    data = counted(results)
    if data:
        sizes = sorted({r["observations"] for r in data["rows"]})
        cell = {(r["method"], r["observations"]): r for r in data["rows"] if r["measured"]}

        def order(method):
            return [-cell[method, n]["flops"] if (method, n) in cell else float("-inf")
                    for n in reversed(sizes)]

        rows = []
        for m in sorted(sorted({r["method"] for r in data["rows"]}), key=order, reverse=True):
            cells = [ours(m)]
            for n in sizes:
                r, vbo = cell.get((m, n)), cell.get(("vbo", n))
                ratio = f" ({number(r['flops'] / vbo['flops'], 2)})" if r and vbo and vbo["flops"] else ""
                cells.append(f"{number(r['flops'], 3)}{ratio}" if r else "too long")
            for n in sizes:
                r = cell.get((m, n))
                cells.append(number(r["tell_seconds"] + r["ask_seconds"], 2) if r else "too long")
            rows.append(cells)
        header = [f"FLOP, n = {n}" for n in sizes] + [f"s, n = {n}" for n in sizes]
        (results.pages / "figures").mkdir(parents=True, exist_ok=True)
        results.bench("flops", "--model", "counted", "--from", results.raw / "flops.json", "--figure",
                      results.pages / "figures/flops.svg")
        text += ["### On paper and counted", "",
                 "![Closed forms over the number of observations beside counted operations and "
                 "seconds](figures/flops.svg)", "",
                 f"What the code executes to hear of a batch of {data['batch']} results and suggest the "
                 f"next, with n observations in all, on `{data['task']}` ({data['machine']}, one core, commit "
                 f"{data['commit']}); in brackets: times the operations of `vbo`. The curves on paper are those of "
                 "the closed forms below, under the names our methods have.", "",
                 markdown(["method", *header], rows, range(1, 2 * len(sizes) + 1)), ""]
    return text + [results.bench("flops", "--model", "paper").strip(), ""]


def consistency(results):
    path = results.raw / "consistency.json"
    if not path.exists():
        return []
    (results.pages / "figures").mkdir(parents=True, exist_ok=True)
    table = results.bench("consistency", "--from", path, "--figure",
                          results.pages / "figures/consistency.svg")
    return ["## Consistency of the estimates", "",
            "The paper proves that its losses can be estimated consistently from dependent samples. Here the LSTM "
            "helper of `vbo-paper` is trained on N samples of two Gaussian channels whose information is known: "
            "independent pairs, and one with autoregressive noise, whose directed information per step follows from "
            "a Kalman filter. Judged on its own samples an estimate is too high, on fresh ones too low; both "
            "approach the truth as N grows. Means over seeds, nats per step; bands: lowest and highest seed.", "",
            "![Estimates against closed forms as N grows](figures/consistency.svg)", "", table.strip(), ""]
