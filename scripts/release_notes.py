#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints the section of one version of CHANGELOG.md, for the notes of its release.

    scripts/release_notes.py 0.1.0
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
KINDS = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]


def versions(text):
    """Version -> its section, newest first; "Unreleased" counts as one."""
    parts = re.split(r"^## (.+)$", text, flags=re.M)[1:]
    return {title.split(" ")[0].strip("[]"): body.strip() for title, body in zip(parts[::2], parts[1::2])}


def kinds(section):
    return re.findall(r"^### (.+)$", section, re.M)


def project_version(text):
    return re.search(r"^project\(vbo VERSION (\S+)", text, re.M)[1]


def cited_version(text):
    return re.search(r"^version: (\S+)$", text, re.M)[1]


def main(arguments):
    known = versions((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    if len(arguments) != 1 or arguments[0] not in known:
        sys.exit(f"release_notes.py: expected one version of CHANGELOG.md: {', '.join(known)}")
    print(known[arguments[0]])


if __name__ == "__main__":
    main(sys.argv[1:])
