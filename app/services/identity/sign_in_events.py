"""What happens at the door, for whoever keeps a record of it: one call for each event."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "signed_in", "sign_in_failed", "signed_out", "session_ended", "password_changed", "password_reset"
]

log = logging.getLogger("latticelens")


@dataclass(frozen=True, slots=True)
class SignInEvent:
    """Something that happened; it holds no password and no token.

    Args:
        user: whom it is about; of a failed sign-in the name that was given, which may be anybody's.
        method: ``password``, ``provider`` or ``proxy``.
        by: who did it; with ``session_ended`` and ``password_reset`` it may be an operator, else the same.
        reason: of a failed sign-in, a short word.
    """

    kind: Kind
    user: str
    method: str = "password"
    by: str = ""
    reason: str = ""


class SignInEvents:
    """Tells listeners of every event, in the thread in which it happens."""

    def __init__(self) -> None:
        self._listeners: tuple[Callable[[SignInEvent], None], ...] = ()

    def attach(self, listen: Callable[[SignInEvent], None]) -> None:
        """Call ``listen`` with every event from now on; an error of it is logged, and nobody is kept out."""
        self._listeners += (listen,)

    def tell(self, event: SignInEvent) -> None:
        """Hand an event to all listeners."""
        for listen in self._listeners:
            try:
                listen(event)
            except Exception:
                log.exception("an event of the door was not recorded: %s", event.kind)
