# SPDX-License-Identifier: MIT
"""The table that opens the results page: every figure and table of the paper, and what became of it."""

from results_rows import markdown

# Item of the paper, where it is here, the set of results it needs ("" = none), remark.
ITEMS = [
    ("Figure: network for information from samples", "[networks](../methods/vbo-mi-networks.svg)", "", "drawn anew"),
    ("Figure: the method and its gradients", "[method](../methods/vbo-mi-method.svg)", "", "drawn anew"),
    ("Algorithm 1", "[vbo](../methods/vbo.md), `vbo-paper`, `vbo-paper-literal`", "",
     "every choice the paper leaves open is listed there"),
    ("Figure: Branin, Hartmann-6, Ackley-10", "[seven tasks](#the-papers-seven-tasks)", "main",
     "batches as published; rounds and seeds are ours"),
    ("Figure and four tables: real-world tasks", "[seven tasks](#the-papers-seven-tasks)", "main",
     "values of two tables lie above what the task as defined can give"),
    ("Figure: exploration or exploitation by a GP", "[ablation](#ablation)", "main", "for `vbo` and `vbo-paper`"),
    ("Grid search of the baselines", "[tuning](#tuning-of-the-baselines)", "tuning",
     "on functions outside the seven tasks"),
    ("Figure: batch size", "[batch size](#batch-size)", "batch-size", "equal evaluations"),
    ("Figure: beta", "[beta](#beta)", "beta", "UCB for all other methods"),
    ("Figure: FLOPs over observations", "[cost](#cost-of-a-round)", "flops.json",
     "closed forms beside counted operations"),
    ("Tables: complexity and its constants", "[cost](#cost-of-a-round)", "", "exact integers, and what is unclear in them"),
    ("Appendix: consistency", "[consistency](#consistency-of-the-estimates)", "consistency.json",
     "estimates against closed forms, independent and dependent"),
]


def table(state):
    """`state`: what has been run of a set, in words; None = nothing."""
    rows = []
    for item, where, needs, remark in ITEMS:
        how_far = "yes" if not needs else state(needs)
        rows.append([item, where if how_far else "-", how_far or "not run", remark])
    return ["## What of the paper is reproduced", "",
            markdown(["paper", "here", "how far", "remark"], rows), ""]
