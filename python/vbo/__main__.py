# SPDX-License-Identifier: MIT
"""``python -m vbo``: the `vbo` command."""

from ._command import main

if __name__ == "__main__":
    main()
