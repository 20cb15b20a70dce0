# SPDX-License-Identifier: MIT
"""Raw data in the repository: one compact file per experiment, the same bytes for the same results."""

import io
import lzma
import sys
import tarfile

# Tasks whose tables need every evaluation, not only the rounds: see Reading in src/bench/reading.hpp.
CLIPPED = ["brusselator"]
LOOSE = ["flops.json", "consistency.json"]  # experiments that are a single file
CELLS = ["peers-small"]  # of benchmarks/peers/optimizers.py


def contents(raw, name):
    """Name in the archive -> bytes. Files of one kind side by side compress best."""
    if name in LOOSE:
        path = raw / name
        return {name: path.read_bytes()} if path.exists() else {}
    if name in CELLS:
        return {f"{name}/{p.name}": p.read_bytes() for p in sorted((raw / name).glob("*.json"))}
    finished = sorted((raw / name).glob("*.jsonl"))
    files = {f"{name}/{p.name}": p.read_bytes() for p in finished}
    for path in finished:
        if path.name.split("--")[0] in CLIPPED:
            observations = path.with_suffix(".csv")
            files[f"{name}/{observations.name}"] = shortened(observations.read_text()).encode()
    return files


def shortened(csv):
    """The observations with seven significant digits: a third of the size."""
    lines = csv.splitlines()
    for i, line in enumerate(lines[1:], 1):
        cells = line.split(",")
        if cells[1]:
            cells[1] = f"{float(cells[1]):.7g}"
        lines[i] = ",".join(cells)
    return "\n".join(lines) + "\n"


def members(archive):
    with tarfile.open(archive) as tar:
        return {m.name: tar.extractfile(m).read() for m in tar.getmembers()
                if m.isfile() and ".." not in m.name.split("/") and not m.name.startswith("/")}


def packed(files):
    memory = io.BytesIO()
    with tarfile.open(fileobj=memory, mode="w") as tar:
        for path, content in files.items():
            info = tarfile.TarInfo(path)  # no times, no owners
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return lzma.compress(memory.getvalue(), preset=9)


def pack(raw, out, names):
    """Writes what changed; leaves alone what holds the same results already."""
    out.mkdir(parents=True, exist_ok=True)
    total = 0
    for name in [*names, *LOOSE]:
        files = contents(raw, name)
        if not files:
            continue
        archive = out / f"{name.removesuffix('.json')}.tar.xz"
        if archive.exists() and members(archive) == files:
            print(f"{archive}: the same")
        else:
            archive.write_bytes(packed(files))
            print(f"{archive}: {archive.stat().st_size / 1e6:.2f} MB")
        total += archive.stat().st_size
    if total > 20e6:
        sys.exit(f"raw data takes {total / 1e6:.1f} MB, more than 20")


def unpack(archives, raw):
    """Into the directories they came from; a file that is there already stays."""
    for archive in sorted(archives.glob("*.tar.xz")):
        for name, content in members(archive).items():
            path = raw / name
            if path.exists():
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)


def forget(raw, names, methods):
    """Removes the results of methods that have changed, so that they are run again."""
    wanted = {m.replace("?", "@").replace("&", "+") for m in methods}
    for name in names:
        for path in (raw / name).glob("*"):
            parts = path.name.split("--")
            if len(parts) > 1 and (parts[1] in wanted or parts[1].split("@")[0] in wanted):
                path.unlink()


def prune(raw, name, planned):
    """Removes what no protocol asks for any more, as runs of another length; further seeds stay."""
    kinds = {stem.rpartition("-s")[0] for stem in planned}
    for path in (raw / name).glob("*"):
        if path.suffix in (".jsonl", ".csv", ".part") and path.stem.rpartition("-s")[0] not in kinds:
            path.unlink()
