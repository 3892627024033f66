"""No body is read beyond a limit, whatever its length claims to be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.datastructures import Headers
from starlette.requests import Request

from app.api.errors import TooLarge, language_for, refused

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MEGABYTE = 2**20


class BodyLimit:
    """ASGI middleware that answers 413 for a larger body.

    Args:
        app: the wrapped app. most: bytes. files: bytes of a body sent to a path of ``file_paths``, which are
            below the app's own.
    """

    def __init__(self, app: ASGIApp, most: int, files: int, file_paths: tuple[str, ...] = ()) -> None:
        self._app = app
        self._most, self._files, self._file_paths = most, files, file_paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        most = self._files if path in self._file_paths else self._most
        error = TooLarge(
            "The body of a request has at most {most} MB here. Send it in parts.", most=most // MEGABYTE
        )
        length = Headers(scope=scope).get("content-length", "")
        if length.isdecimal() and int(length[:20]) > most:
            return await refused(error, language_for(Request(scope)))(scope, receive, send)
        count, begun = 0, False

        async def receive_counted() -> Message:
            nonlocal count
            message = await receive()
            count += len(message.get("body", b""))
            if count > most:
                raise error
            return message

        async def send_noted(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._app(scope, receive_counted, send_noted)
        except TooLarge:
            if begun:
                raise
            await refused(error, language_for(Request(scope)))(scope, receive, send)
