"""Who a request counts for: a person logged in, a token, a visitor's browser, or else an address."""

from __future__ import annotations

import hmac
import secrets
from hashlib import sha256
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING, Any, NamedTuple

from starlette.datastructures import Headers

from app.services.identity.logins import login_of
from app.services.limits.asker import Asker

if TYPE_CHECKING:
    from starlette.types import Scope

COOKIE = "latticelens-visitor"
COOKIE_SECONDS = 180 * 24 * 3600
# People behind one address, as of a company or a proxy: together they may have as much as so many.
SHARING = 10
API_FOLDERS = ("/api/v1/", "/label-studio/")


class Askers:
    """Finds who asks, and marks browsers that nobody has logged in with.

    A mark is signed, as a browser that could make one up would have a new allowance with each. Whoever throws
    it away counts for their address.
    """

    def __init__(self) -> None:
        self._secret = secrets.token_bytes(32)

    def of(self, scope: Scope) -> list[Asker]:
        """For whom a request counts: somebody, and unless they are logged in their address besides."""
        login = login_of(_Scoped(scope))
        if login is not None:
            return [Asker(f"person {login.user}")]
        address = Asker(f"address {(scope.get('client') or ('unknown',))[0]}", SHARING)
        headers = Headers(scope=scope)
        authorization = headers.get("authorization", "")
        if authorization and scope["path"].startswith(API_FOLDERS):
            token = sha256(authorization.encode("utf-8", "surrogatepass")).hexdigest()
            return [Asker(f"token {token}"), address]
        browser = self._browser(headers)
        return [Asker(f"browser {browser}"), address] if browser else [address]

    def mark(self, tls: bool) -> str:
        """A cookie for a browser that has none."""
        browser = secrets.token_hex(16)
        jar: SimpleCookie = SimpleCookie({COOKIE: f"{browser}.{self._signature(browser)}"})
        morsel: Any = jar[COOKIE]
        # The page may be in a frame of another site, which needs SameSite=None and TLS; `SafeCookies` makes
        # it Lax where no site may show it.
        morsel.update({"path": "/", "max-age": COOKIE_SECONDS, "httponly": True, "secure": tls})
        morsel["samesite"] = "none" if tls else "lax"
        return str(morsel.OutputString())

    def _browser(self, headers: Headers) -> str:
        for header in headers.getlist("cookie"):
            try:
                cookie = SimpleCookie(header).get(COOKIE)
            except CookieError:
                continue
            if cookie is not None:
                browser, _, signature = cookie.value.partition(".")
                good = hmac.compare_digest(
                    signature.encode("utf-8", "surrogatepass"), self._signature(browser).encode()
                )
                return browser if good else ""
        return ""

    def _signature(self, browser: str) -> str:
        return hmac.new(self._secret, browser.encode("utf-8", "surrogatepass"), "sha256").hexdigest()[:32]


class _Scoped(NamedTuple):
    scope: Scope
