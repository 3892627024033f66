"""Replies of server functions: ``{"ok": True, …}`` or ``{"ok": False, "code", "message", …}``."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, get_type_hints

from app.i18n import Language
from app.services.errors import sentence
from app.services.limits.refusals import OverLimit
from app.services.session import OtherLogin, OtherProject, SessionExpired
from app.ui.payload import InvalidPayload, Payload
from core.store.db.errors import NotFound, PayloadError, PeopleError
from core.text import UnknownLabelError

Reply = dict[str, Any]

# The same request would fail again.
_NEVER = (InvalidPayload, PayloadError, UnknownLabelError, NotFound, PeopleError)


class ServerError(Exception):
    """An error whose code a script handles.

    Args:
        code: besides those that `refused` gives other errors: ``session`` (unknown token), ``moved`` (the
            page shows another project than the session has), ``invalid`` (retrying is useless) and ``failed``
            (retrying may help).
        reason: what went wrong. details: more fields of the reply.
    """

    def __init__(self, code: str, reason: Exception, **details: Any) -> None:
        super().__init__(str(reason))
        self.code = code
        self.reason = reason
        self.details = details


def refused(error: Exception, language: Language | None) -> Reply:
    """The reply for ``error``, with a sentence in ``language``, or in every language if that is None.

    ``over_limit`` says besides in how many ``seconds`` to try again.
    """
    if isinstance(error, ServerError):
        answer = {"code": error.code, "message": sentence(error.reason, language), **error.details}
    elif isinstance(error, (SessionExpired, OtherLogin)):
        answer = {"code": "session", "message": sentence(error, language)}
    elif isinstance(error, OtherProject):
        answer = {"code": "moved", "message": sentence(error, language)}
    elif isinstance(error, OverLimit):
        # What no waiting makes smaller would be refused again.
        code = "invalid" if error.seconds is None else "over_limit"
        answer = {"code": code, "message": sentence(error, language), "seconds": error.seconds}
    else:
        code = "invalid" if isinstance(error, _NEVER) else "failed"
        answer = {"code": code, "message": sentence(error, language)}
    return {"ok": False, **answer}


def payload_of(fn: Callable[..., Any]) -> type[Payload] | None:
    """The payload type of ``fn(session, payload)``; None for ``fn(session)``.

    Raises:
        TypeError: its second parameter is not annotated with a `Payload`.
    """
    parameters = list(inspect.signature(fn).parameters)
    if len(parameters) == 1:
        return None
    declared = get_type_hints(inspect.unwrap(fn)).get(parameters[-1]) if parameters else None
    if len(parameters) != 2 or not (isinstance(declared, type) and issubclass(declared, Payload)):
        raise TypeError(f"{fn.__name__} takes a session and one Payload, not {declared}")
    return declared
