"""The one error of the public interface."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from core.commands.terminal.errors import CommandError
from core.runtime.message import Told

# A flag in a message of the command line has the name of an argument here.
_FLAG = re.compile(r"^--(?:set )?(?=[a-z])")


class LatticeLensError(ValueError):
    """Bad input or a failed step: the message says what was wrong, where, and the way out.

    ``__cause__`` is the error of the room that noticed it, where there was one.
    """


@contextmanager
def plain_errors() -> Iterator[None]:
    """Turn every error that core words for people into a ``LatticeLensError``; others are bugs and stay."""
    try:
        yield
    except (Told, CommandError) as error:
        raise LatticeLensError(_FLAG.sub("", str(error))) from error
