# SPDX-License-Identifier: MIT
"""Studies that this process has open, so that opening one again shares it instead of waiting for its lock."""

from __future__ import annotations

import atexit
import os
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from . import _vbo
from ._arguments import wrong
from ._errors import InvalidInput

MEMORY = "memory:"


class Shared:
    """One open study of the core and who uses it. Closed when its last user closes it, or all are gone."""

    def __init__(self, core: _vbo.Study) -> None:
        self.core = core
        self.users: weakref.WeakSet[Any] = weakref.WeakSet()
        # Trials that runs of this process have taken, and the lock to hold while taking some: threads may each run it.
        self.taken: set[int] = set()
        self.taking = threading.Lock()

    def leave(self, user: Any) -> None:
        self.users.discard(user)
        if not self.users:
            self.core.close()


_lock = threading.RLock()
_shared: weakref.WeakValueDictionary[tuple[int, str], Shared] = weakref.WeakValueDictionary()


def url_of(storage: str | os.PathLike[str] | None) -> str:
    """Where a study is: a path, a URL of PostgreSQL, or memory. sqlite:/// is how SQLAlchemy and Optuna name a file."""
    if storage is None:
        return MEMORY
    try:
        text = os.fspath(storage)
    except TypeError:
        raise wrong("storage", storage, "a path, a URL or None") from None
    if isinstance(text, bytes):
        text = os.fsdecode(text)
    if text.startswith("sqlite:///"):
        text = text.removeprefix("sqlite:///")
    elif text.startswith("sqlite:"):
        raise InvalidInput(f"storage: found {text!r}, expected sqlite:///FILE or the file's name", "storage")
    if not text:
        raise wrong("storage", storage, "the name of a file")
    return text


def name_of(url: str) -> str:
    """Of a study without a name: that of its file, or what it is called in its database."""
    found = parse_qs(urlsplit(url).query).get("study") if "://" in url else None
    return found[0] if found else Path(url.split("?")[0] if "://" in url else url).stem


def opened(url: str, make: Callable[[], _vbo.Study], again: Callable[[_vbo.Study], None]) -> Shared:
    """The study at `url`: the one that this process has open already, to which `again` is applied, or a new one."""
    if url == MEMORY:
        return Shared(make())
    key = (os.getpid(), url if "://" in url else os.path.realpath(url))
    with _lock:
        found = _shared.get(key)
        if found is not None and not found.core.closed():
            again(found.core)
            return found
        made = Shared(make())
        _shared[key] = made
        return made


def _close_all() -> None:
    """Before the interpreter ends: the state of the method of a study in a file is saved while everything still works."""
    for key, shared in list(_shared.items()):
        if key[0] == os.getpid():
            try:
                shared.core.close()
            except Exception:  # results are stored already; nobody is left to tell
                pass


atexit.register(_close_all)
