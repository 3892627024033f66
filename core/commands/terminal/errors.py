"""Errors of commands."""

from __future__ import annotations


class CommandError(Exception):
    """Bad input or a failed step: one line on stderr and a non-zero exit, no traceback.

    The program reports what other rooms word for people (`core.runtime.message.Told`) in the same way.

    Args:
        message: what was wrong, where, and what to do; one line.
        status: exit status, 2 for bad input.
    """

    def __init__(self, message: str, status: int = 2) -> None:
        super().__init__(" ".join(message.split()))
        self.status = status


class Interrupted(Exception):
    """The command was interrupted; the message says how to resume. Exit status 130."""
