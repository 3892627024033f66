"""How a command says no."""

from __future__ import annotations


class CommandError(Exception):
    """Bad input or a step that cannot be done: one line on stderr and a non-zero exit, never a traceback.

    Args:
        message: what was wrong, where, and what to do; one line.
        status: exit status, 2 for bad input.
    """

    def __init__(self, message: str, status: int = 2) -> None:
        super().__init__(" ".join(message.split()))
        self.status = status


class Interrupted(Exception):
    """The person stopped the command; the message says how to go on. Exit status 130."""
