"""Answer events of a form that has been drawn anew meanwhile, and calls of a widget in it.

``gr.render`` forgets the listeners of its former drawing, and Gradio fails with a `KeyError` for an event
that was on its way to one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.responses import JSONResponse

from app.services.errors import AppError, sentence

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

ASKED = ("/queue/join", "/component_server")


class StaleEvents:
    """ASGI middleware that refuses events without a listener in a sentence, which the page shows.

    Args:
        app: the wrapped app.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = False

        async def note_start(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        if scope["type"] != "http" or not scope["path"].rstrip("/").endswith(ASKED):
            return await self._app(scope, receive, send)
        try:
            await self._app(scope, receive, note_start)
        except KeyError as error:
            if begun or not isinstance(error.args[0], int):  # no number of a listener
                raise
            gone = AppError(
                "The form was updated before your last input arrived. Check its values, then try again."
            )
            # Here only the page knows its language.
            await JSONResponse({"detail": sentence(gone, None)}, 410)(scope, receive, send)
