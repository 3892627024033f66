"""Login with limited attempts: remembers browsers and says how long to wait.

Gradio asks for name and password and keeps the session; its page only knows right and wrong.
"""

from __future__ import annotations

import hmac
import math
import secrets
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING

from fastapi import HTTPException
from starlette.datastructures import Headers, MutableHeaders

from app.i18n import LANGUAGES, _, text
from app.server.login_limit import LoginLimit
from app.ui.widgets.page_code import read

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE = "latticelens-browser"
COOKIE_SECONDS = 180 * 24 * 3600
LOGIN_PAGE = b'"auth_required"'  # of the page's settings when nobody is logged in


@dataclass
class _Try:
    """A login request: its cookie, and the name it logged in."""

    cookie: str
    name: str | None = None


class Login:
    """Checks name and password for ``launch``, within the limit.

    Args:
        check: whether name and password match. limit: of the attempts.
        tell: called with the name of every attempt that was checked, and whether it was right.
    """

    def __init__(
        self,
        check: Callable[[str, str], bool],
        limit: LoginLimit | None = None,
        tell: Callable[[str, bool], None] = lambda name, right: None,
    ) -> None:
        self._check = check
        self._tell = tell
        self._limit = limit or LoginLimit()
        self._secret = secrets.token_bytes(32)  # valid until the app restarts, as logins are
        self._try: ContextVar[_Try | None] = ContextVar("login_try", default=None)

    def check(self, name: str, password: str) -> bool:
        """Check name and password. Raises:
        HTTPException: 429, without checking the password, after too many wrong ones.
        """
        tried = self._try.get()
        device = self._device(tried.cookie, name) if tried else ""
        seconds = math.ceil(self._limit.wait(name, device))
        if seconds:
            raise HTTPException(429, _told(seconds), {"Retry-After": str(seconds)})
        if not self._check(name, password):
            self._limit.failed(name, device)
            self._tell(name, False)
            return False
        self._limit.succeeded(name, device)
        self._tell(name, True)
        if tried:
            tried.name = name
        return True

    def begin(self, cookie: str) -> _Try:
        """Begin a login request; ``check`` is called next in the same context."""
        tried = _Try(cookie)
        self._try.set(tried)
        return tried

    def cookie_for(self, name: str) -> str:
        """The cookie that marks a browser as having logged in with this name."""
        device = secrets.token_hex(16)
        return f"{device}.{self._signature(device, name)}"

    def _device(self, cookie: str, name: str) -> str:
        """The cookie's browser, if it has logged in with this name; else empty."""
        device, _, signature = cookie.partition(".")
        is_known = hmac.compare_digest(signature.encode(), self._signature(device, name).encode())
        return device if is_known else ""

    def _signature(self, device: str, name: str) -> str:
        signed = f"{device}\n{name}".encode("utf-8", "surrogatepass")
        return hmac.new(self._secret, signed, "sha256").hexdigest()


class LoginDoor:
    """ASGI middleware around Gradio's login.

    Args:
        app: the wrapped app. login: its ``check`` is used by the app.
    """

    def __init__(self, app: ASGIApp, login: Login) -> None:
        self._app = app
        self._login = login
        self._script = f"<script>{read('login.js')}</script>".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        asked = scope["method"] if scope["type"] == "http" else ""
        if asked == "POST" and scope["path"].rstrip("/").endswith("/login"):
            send = self._remembering(scope, send)
        elif asked == "GET":
            send = _Explaining(self._script, send)
        await self._app(scope, receive, send)

    def _remembering(self, scope: Scope, send: Send) -> Send:
        """Sets the cookie in a successful response."""
        tried = self._login.begin(_cookie(Headers(scope=scope)))
        secure = "; Secure" if scope.get("scheme") == "https" else ""

        async def remember(message: Message) -> None:
            if message["type"] == "http.response.start" and tried.name is not None:
                MutableHeaders(scope=message).append(
                    "Set-Cookie",
                    f"{COOKIE}={self._login.cookie_for(tried.name)}; Max-Age={COOKIE_SECONDS}; Path=/; "
                    f"HttpOnly; SameSite=Lax{secure}",
                )
            await send(message)

        return remember


class _Explaining:
    """Injects the script that shows the wait into Gradio's login page."""

    def __init__(self, script: bytes, send: Send) -> None:
        self._script = script
        self._send = send
        self._start: Message | None = None
        self._body = b""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            if Headers(raw=message["headers"]).get("content-type", "").startswith("text/html"):
                self._start = message
                return
        elif message["type"] == "http.response.body" and self._start is not None:
            self._body += message.get("body", b"")
            if message.get("more_body"):
                return
            if LOGIN_PAGE in self._body:
                self._body = self._body.replace(b"</head>", self._script + b"</head>", 1)
            MutableHeaders(scope=self._start)["Content-Length"] = str(len(self._body))
            await self._send(self._start)
            message = {"type": "http.response.body", "body": self._body}
        await self._send(message)


def _told(seconds: int) -> dict[str, object]:
    """The error in every language, with the seconds apart so that the page can remove it again."""
    message: dict[str, object] = {
        language: text(
            _("Too many wrong passwords. Try again in {seconds} s; earlier attempts are ignored."),
            language,
            seconds=seconds,
        )
        for language in LANGUAGES
    }
    return message | {"seconds": seconds}


def _cookie(headers: Headers) -> str:
    try:
        cookies = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return ""
    return cookies.value if cookies else ""
