"""What a script is answered: ``{"ok": True, …}``, or for an error ``{"ok": False, "code", "message", …}``."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, get_type_hints

from app.i18n import Language
from app.services.errors import sentence
from app.services.session import SessionExpired
from app.ui.payload import InvalidPayload, Payload
from core.store.db.errors import NotFound, PayloadError, PeopleError
from core.text import UnknownLabelError

Reply = dict[str, Any]

# Asking for the same again will never be answered otherwise.
_NEVER = (InvalidPayload, PayloadError, UnknownLabelError, NotFound, PeopleError)


class ServerError(Exception):
    """An error that a script acts on by its code.

    Args:
        code: besides ``session`` (the token is unknown), ``invalid`` (never will be answered otherwise) and
            ``failed`` (may work when tried again), which `refused` gives every other error.
        reason: what went wrong. details: more fields of the reply.
    """

    def __init__(self, code: str, reason: Exception, **details: Any) -> None:
        super().__init__(str(reason))
        self.code = code
        self.reason = reason
        self.details = details


def refused(error: Exception, language: Language | None) -> Reply:
    """The reply for ``error``, with one sentence in ``language``; in every language where that is None."""
    if isinstance(error, ServerError):
        answer = {"code": error.code, "message": sentence(error.reason, language), **error.details}
    elif isinstance(error, SessionExpired):
        answer = {"code": "session", "message": sentence(error, language)}
    else:
        code = "invalid" if isinstance(error, _NEVER) else "failed"
        answer = {"code": code, "message": sentence(error, language)}
    return {"ok": False, **answer}


def payload_of(fn: Callable[..., Any]) -> type[Payload] | None:
    """What ``fn(session, payload)`` declares as its payload; None for ``fn(session)``.

    Raises:
        TypeError: its second parameter is declared as something else.
    """
    parameters = list(inspect.signature(fn).parameters)
    if len(parameters) == 1:
        return None
    declared = get_type_hints(inspect.unwrap(fn)).get(parameters[-1]) if parameters else None
    if len(parameters) != 2 or not (isinstance(declared, type) and issubclass(declared, Payload)):
        raise TypeError(f"{fn.__name__} takes a session and one Payload, not {declared}")
    return declared
