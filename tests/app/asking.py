"""The annotator's server functions, asked as its page asks them."""

from collections.abc import Callable
from typing import Any

from app.annotate.page import ROOMS
from app.i18n.binding import Texts
from app.services.session import Session
from app.ui.frame import Frame
from app.ui.payload import read_payload
from app.ui.server_function import payload_of

FUNCTIONS = {fn.__name__: fn for room in ROOMS for fn in room.FUNCTIONS}


class Asking:
    """One page of one person: ``ask("open_document", document=1)`` is the whole reply.

    Args:
        sessions: who is behind a token. token: of the page.
    """

    def __init__(self, sessions: Any, token: str = "a-token") -> None:
        frame = Frame(Texts(), sessions)
        frame.page = "annotate"
        self.functions = {name: frame.server(fn) for name, fn in FUNCTIONS.items()}
        self.token = token

    def __call__(self, name: str, /, **fields: Any) -> dict[str, Any]:
        return self.functions[name]({"token": self.token, **fields})

    def told(self, name: str, /, **fields: Any) -> dict[str, Any]:
        """The fields of a reply that is no error."""
        reply = self(name, **fields)
        assert reply.pop("ok"), reply
        return reply

    def refused(self, name: str, /, **fields: Any) -> tuple[str, str]:
        """Code and message of an error."""
        reply = self(name, **fields)
        assert not reply["ok"], reply
        return reply["code"], reply["message"]


def asked(fn: Callable[..., dict[str, Any]], session: Session, payload: object = None) -> dict[str, Any]:
    """What a server function answers to what a script sends; raises what `Frame.server` would tell."""
    kind = payload_of(fn)
    return fn(session) if kind is None else fn(session, read_payload(kind, payload or {}))
