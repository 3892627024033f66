"""Refuse requests that no page sends to Gradio's own addresses, where it answers with a traceback.

The functions of pages are reached through its queue alone, and answer for themselves. What it offers to
programs besides, a page's callbacks by number, is not part of the app: there is an API for them (`app.api`).
"""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from app.i18n import Message, _
from app.services.errors import AppError, sentence

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send
    from starlette.types import Message as Sent

log = logging.getLogger("latticelens")

FOR_PROGRAMS = re.compile(r"/gradio_api/(?:run|api|call|process_recording|vibe-\w+|undo-vibe-edit)(?:/|$)")
# Nothing of the app runs behind these, so that an error there is one of the request.
GRADIO_ALONE = re.compile(r"/gradio_api/(?:reset|cancel|upload|queue/data)/?$")
NO_ADDRESS = _("There is no such address. Programs use /api/v1.")
UNREADABLE = _("The request cannot be read.")


class OddRequests:
    """ASGI middleware that answers them in a sentence, with 404 or 400.

    Args:
        app: the wrapped app.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"] if scope["type"] == "http" else ""
        if FOR_PROGRAMS.search(path):
            return await _reply(404, NO_ADDRESS)(scope, receive, send)
        if not GRADIO_ALONE.search(path):
            return await self._app(scope, receive, send)
        begun = False

        async def note_start(message: Sent) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._app(scope, receive, note_start)
        except Exception as error:
            if begun and not isinstance(error.__cause__, HTTPException):
                raise
            # Without what it says: that may quote what was sent.
            log.warning("refused a request to %s: %s", path, type(error).__name__)
            if begun:  # a stream of answers to a page that is gone; it just ends
                return await send({"type": "http.response.body", "body": b""})
            await _reply(400, UNREADABLE)(scope, receive, send)


def _reply(status: int, told: Message) -> JSONResponse:
    # Here only the page knows its language.
    return JSONResponse({"detail": sentence(AppError(told), None)}, status)
