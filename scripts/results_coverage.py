# SPDX-License-Identifier: MIT
"""How much of the protocols has been run, for the page that scripts/results makes."""


def task_of(stem):
    """The names of result files begin with the task, `?` and `&` written as `@` and `+`."""
    return stem.split("--")[0].replace("@", "?").replace("+", "&")


def span(numbers):
    """[3, 1, 2] -> "1 to 3", [3, 3] -> "3"."""
    least, most = min(numbers), max(numbers)
    return str(least) if least == most else f"{least} to {most}"


def seeds_text(numbers):
    return f"{span(numbers)} seed{'' if max(numbers) == 1 else 's'}"


def seeds_of(stems):
    """How many seeds each method (and batch) has."""
    count = {}
    for stem in stems:
        line = stem.rpartition("-s")[0]
        count[line] = count.get(line, 0) + 1
    return list(count.values())


def state(planned, found):
    """Of one task, in words; None when nothing of it has been run. Further seeds count, too."""
    kinds = {stem.rpartition("-s")[0] for stem in planned}
    found = {stem for stem in found if stem.rpartition("-s")[0] in kinds}
    if not found:
        return None
    text = seeds_text(seeds_of(found))
    missing = planned - found
    if missing:
        text += f" ({len(planned) - len(missing)} of {len(planned)} runs)"
    return text


def summary(name, planned, found):
    """Tasks and seeds of a set, what is missing, and the command that completes it."""
    planned, found = set(planned), set(found)
    tasks = {}
    for stem in sorted(planned):
        tasks.setdefault(task_of(stem), set()).add(stem)
    groups = {}
    for task, stems in tasks.items():
        groups.setdefault(state(stems, found), []).append(f"`{task}`")
    absent = groups.pop(None, [])
    parts = [f"{', '.join(members)}: {text}" for text, members in groups.items()]
    parts += ["not run: " + ", ".join(absent)] if absent else []
    left = len(planned - found)
    if not left:
        return f"Complete: {'; '.join(parts)}."
    return (f"**{len(planned) - left} of {len(planned)} runs** of the protocol so far: "
            f"{'; '.join(parts)}. `scripts/results run --only {name}` completes it.")
