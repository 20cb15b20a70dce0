# SPDX-License-Identifier: MIT
"""Rows of results: places, ties and Markdown, for the page that scripts/results makes."""


def number(value, digits=5):
    return "-" if value is None else f"{value:.{digits}g}"


def markdown(header, rows, right=()):
    """`right`: columns of numbers."""
    rule = "".join("|---:" if i in right else "|---" for i in range(len(header))) + "|"
    lines = ["| " + " | ".join(header) + " |", rule]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


AVERAGE = "vbo?aim=average"  # the flagship where the average outcome counts, as in the paper


def ours(method):
    return f"**{method}**" if method in ("vbo", AVERAGE) else method


def row_of(rows, method):
    return next((r for r in rows if r["method"] == method), None)


def above(a, b):
    """Higher by more than rounding errors: whoever has found the optimum shares the first place."""
    return a is not None and b is not None and a - b > 1e-6 * (1.0 + abs(b))


def leads(value, values):
    """Nobody is above: shared first places count for each."""
    return value is not None and not any(above(v, value) for v in values)


def rank_among(rows, method, others, key):
    """1 = highest among `others`; None when the method is not there."""
    values = {r["method"]: r[key] for r in rows if r["method"] in others and r[key] is not None}
    if method not in values:
        return None
    return 1 + sum(above(v, values[method]) for v in values.values())


def ahead(rows, method, key, digits=5, named=4):
    """Who is above `method`, best first."""
    mine = row_of(rows, method)[key]
    better = sorted((r for r in rows if above(r[key], mine)), key=lambda r: -r[key])
    texts = [f"`{r['method']}` ({number(r[key], digits)})" for r in better[:named]]
    more = f" and {len(better) - named} more" if len(better) > named else ""
    return f"{', '.join(texts)}{more} above `{method}` ({number(mine, digits)})"


def leaders(rows, key, digits=5):
    """Who has the highest value, and the value."""
    first = [r for r in rows if leads(r[key], [other[key] for other in rows])]
    more = f" and {len(first) - 1} more" if len(first) > 1 else ""
    return f"{first[0]['method']}{more} {number(first[0][key], digits)}"
