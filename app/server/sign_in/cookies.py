"""The cookies of the door: who is logged in, and which browsers have been."""

from __future__ import annotations

import hmac
import secrets
from hashlib import sha256
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING, Literal

from starlette.datastructures import Headers

from app.server.cookies import is_tls

if TYPE_CHECKING:
    from starlette.responses import Response
    from starlette.types import Scope

BROWSER = "latticelens-browser"
BROWSER_SECONDS = 180 * 24 * 3600


class DoorCookies:
    """Sets and reads them.

    Args:
        place: what tells apps of one host apart, as cookies do not tell ports.
    """

    def __init__(self, place: str) -> None:
        self.login = f"latticelens-login-{sha256(place.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
        self._secret = secrets.token_bytes(32)  # valid until the app restarts, as logins are

    def of_login(self, scope: Scope) -> str:
        """The value of the login's cookie, or empty."""
        return _value(scope, self.login)

    def set_login(self, response: Response, scope: Scope, value: str) -> None:
        """Remember a login, for as long as the browser is open."""
        _set(response, scope, self.login, value)

    def drop_login(self, response: Response) -> None:
        """Forget it."""
        response.delete_cookie(self.login, path="/")

    def device(self, scope: Scope, name: str) -> str:
        """The browser, if it has logged in with this name before; else empty."""
        device, _, signature = _value(scope, BROWSER).partition(".")
        known = hmac.compare_digest(
            signature.encode("utf-8", "surrogatepass"), self._signature(device, name).encode()
        )
        return device if known else ""

    def set_device(self, response: Response, scope: Scope, name: str) -> None:
        """Mark the browser as having logged in with this name."""
        device = secrets.token_hex(16)
        value = f"{device}.{self._signature(device, name)}"
        _set(response, scope, BROWSER, value, max_age=BROWSER_SECONDS)

    def _signature(self, device: str, name: str) -> str:
        signed = f"{device}\n{name}".encode("utf-8", "surrogatepass")
        return hmac.new(self._secret, signed, "sha256").hexdigest()


def _set(response: Response, scope: Scope, name: str, value: str, max_age: int | None = None) -> None:
    # A page of an allowed site may show the app in a frame, which needs SameSite=None and TLS; `SafeCookies`
    # makes it Lax for all others.
    site: Literal["none", "lax"] = "none" if is_tls(scope) else "lax"
    response.set_cookie(
        name, value, max_age=max_age, path="/", httponly=True, samesite=site, secure=is_tls(scope)
    )


def _value(scope: Scope, name: str) -> str:
    for header in Headers(scope=scope).getlist("cookie"):
        try:
            cookie = SimpleCookie(header).get(name)
        except CookieError:
            continue
        if cookie is not None:
            return cookie.value
    return ""
