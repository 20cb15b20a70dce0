# SPDX-License-Identifier: MIT
"""What can go wrong, by kind. Every exception of vbo is a subclass of `Error`."""

from __future__ import annotations


class Error(Exception):
    """Base of all errors of vbo.

    The text is one or more full sentences: what was found, and what would be right.

    Attributes:
        field: What it concerns, such as ``"parameter.x.low"`` or ``"batch"``; empty when unknown.
        line: The line of a study file, counted from 1; 0 when unknown.
    """

    def __init__(self, message: str, field: str = "", line: int = 0) -> None:
        super().__init__(message)
        self.field = field
        self.line = line

    def __reduce__(self) -> tuple[type[Error], tuple[str, str, int]]:
        return type(self), (str(self), self.field, self.line)


class InvalidInput(Error, ValueError):
    """An argument, a study file or a value is wrong."""


class NotFound(Error, LookupError):
    """There is no such trial, study, method or file."""


class Conflict(Error):
    """It contradicts what is stored: told twice, or a study with other bounds."""


class Busy(Error):
    """Another process is writing to the storage."""


class Damaged(Error):
    """The storage is not one of vbo's, or not intact."""


class StorageError(Error, OSError):
    """The disk is full, the file cannot be written, the connection is lost."""

    def __str__(self) -> str:  # OSError would show its arguments as a tuple
        return str(self.args[0])


class Unsupported(Error):
    """This build, method or situation cannot do it."""


class Infeasible(Exception):
    """Raise it in an objective for an input that makes no sense.

    The trial fails with cause ``infeasible``; the method avoids such inputs, and it does not count
    towards ``failures_in_a_row``.
    """
