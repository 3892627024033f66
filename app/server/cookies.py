"""The attributes of every cookie that the app sets.

Gradio sets its login twice, once for pages without TLS: that one has no ``SameSite``, and no ``Secure`` where
there is TLS.
"""

from __future__ import annotations

from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING

from starlette.datastructures import Headers, MutableHeaders

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

NAME = b"set-cookie"


def is_tls(scope: Scope) -> bool:
    """Whether the browser speaks TLS, with the app or with its proxy.

    Saying so falsely only costs the sender their own cookie.
    """
    forwarded = Headers(scope=scope).get("x-forwarded-proto", "")
    return scope.get("scheme") == "https" or forwarded.split(",")[0].strip().lower() == "https"


class SafeCookies:
    """ASGI middleware: no script reads a cookie, other sites' requests do not carry it, and TLS keeps it.

    Args:
        app: the wrapped app. framed: whether pages of other sites may show the app in a frame, which needs
            ``SameSite=None`` where Gradio says so; `SameOrigin` refuses what those pages ask by themselves.
    """

    def __init__(self, app: ASGIApp, framed: bool = False) -> None:
        self._app = app
        self._framed = framed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        tls = is_tls(scope)

        async def safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = MutableHeaders(raw=list(message["headers"])).getlist("set-cookie")
                if given:
                    kept = [pair for pair in message["headers"] if pair[0].lower() != NAME]
                    cookies = [(NAME, self._safe(cookie, tls).encode("latin-1")) for cookie in given]
                    message = {**message, "headers": [*kept, *cookies]}
            await send(message)

        await self._app(scope, receive, safely)

    def _safe(self, cookie: str, tls: bool) -> str:
        """A ``Set-Cookie`` value with the attributes; one that cannot be read gets those it lacks."""
        try:
            read = SimpleCookie(cookie)
        except CookieError:
            read = SimpleCookie()
        if len(read) != 1:
            return f"{cookie}; HttpOnly; SameSite=Lax{'; Secure' if tls else ''}"
        (morsel,) = read.values()
        morsel["httponly"] = True
        if not (self._framed and morsel["samesite"]):
            morsel["samesite"] = "lax"
        # A cookie that was made for TLS alone stays so; browsers drop it elsewhere, and the other one serves.
        morsel["secure"] = bool(morsel["secure"]) or tls
        return morsel.OutputString()
