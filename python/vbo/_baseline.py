# SPDX-License-Identifier: MIT
"""An error for processors that lack the instructions of the wheel, instead of a crash by an illegal instruction.

Wheels for x86-64 are built for the baseline x86-64-v3 (AVX2, FMA, BMI2: Intel since Haswell, AMD since Zen).
"""

from __future__ import annotations

import os

_NEEDED = ("avx2", "fma", "bmi2")


def missing(cpuinfo: str) -> list[str]:
    """What x86-64-v3 needs and the first processor of /proc/cpuinfo does not have."""
    for line in cpuinfo.splitlines():
        if line.startswith("flags"):
            flags = line.split()
            return [name for name in _NEEDED if name not in flags]
    return []


def check() -> None:
    if os.uname().machine != "x86_64":
        return
    try:
        with open("/proc/cpuinfo", "rb") as file:
            text = file.read(1 << 14).decode("ascii", "replace")
    except OSError:
        return
    if lacking := missing(text):
        raise ImportError(
            f"vbo is built for x86-64-v3, and this processor lacks {', '.join(lacking)}; "
            "build it here with: pip install --no-binary vbo vbo -C cmake.define.VBO_ARCH=native"
        )


check()
