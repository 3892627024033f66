"""The errors of work on Ray, and the library itself."""

from __future__ import annotations

from typing import Any

from core.runtime.message import Message, Told
from core.runtime.optional_packages import load

PACKAGE = "ray[data,train,tune]"


class ClusterError(Told):
    """Work on Ray cannot begin or go on; the message says what was wrong, where, and the way out."""


def ray_library(module: str, what: Message) -> Any:
    """A module of Ray.

    Args:
        what: the work that needs it.

    Raises:
        MissingPackage: it is not installed; says how to install it.
    """
    return load(module, PACKAGE, what)


def reason_of(error: BaseException) -> str:
    """What an error of Ray says, in its last line: the others are the path it took."""
    lines = str(error).strip().splitlines()
    return lines[-1][:300] if lines else type(error).__name__
