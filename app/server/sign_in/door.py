"""Every request is from somebody: whoever is not logged in gets the login page, and nothing else is answered.

The door lies around Gradio, the pages' server functions, uploads, downloads and streams alike, and lets
through only what it lists. The API below ``/api/v1`` asks for its own tokens.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.datastructures import Headers
from starlette.responses import JSONResponse, Response

from app.i18n import accepted_language
from app.server.one_page import is_root
from app.services.errors import AppError, sentence
from app.services.identity.logins import Login
from core.store.db.clock import now

if TYPE_CHECKING:
    from collections.abc import Collection

    from starlette.types import ASGIApp, Receive, Scope, Send

    from app.server.sign_in.cookies import DoorCookies
    from app.server.sign_in.login_page import LoginPage
    from app.server.sign_in.trusted_header import TrustedHeader
    from app.services.identity.identity import Identity

# A page that gets it shows the login page.
LOGIN_NEEDED = {"X-LatticeLens-Login": "needed", "Cache-Control": "no-store"}
# Gradio asks itself for the last one as it starts; it begins what it has begun by then.
OPEN_PATHS = ("/login", "/logout", "/oidc/login", "/oidc/callback", "/gradio_api/startup-events")


class LoggedOut(AppError):
    """The login of a page has ended, or there was none."""

    def __init__(self) -> None:
        super().__init__("You are not logged in any more. Log in again; everything you saved is there.")


class NoProxyName(AppError):
    """Only a proxy says who somebody is, and it has not."""

    def __init__(self) -> None:
        super().__init__(
            "LatticeLens opens through the proxy of your organisation, which says who you are. Open its "
            "address instead."
        )


class SignInDoor:
    """ASGI middleware that finds the login of every request and refuses those without one.

    Args:
        app: the wrapped app. identity: who is logged in. page: what others see.
        header: in which a proxy names people, or None.
        open_paths: paths, and folders that end in ``/``, that ask for no login.
    """

    def __init__(
        self,
        app: ASGIApp,
        identity: Identity,
        cookies: DoorCookies,
        page: LoginPage,
        header: TrustedHeader | None = None,
        open_paths: Collection[str] = (),
    ) -> None:
        self._app = app
        self._identity = identity
        self._cookies = cookies
        self._page = page
        self._header = header
        self._open = frozenset((*OPEN_PATHS, *(path for path in open_paths if not path.endswith("/"))))
        self._open_folders = tuple(path for path in open_paths if path.endswith("/"))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            return await self._app(scope, receive, send)
        try:
            login = self._login(scope)
        except AppError as error:
            return await self._refuse(error, 403, scope, receive, send)
        if login is None and not self._identity.optional and not self._is_open(scope):
            return await self._keep_out(scope, receive, send)
        await self._app({**scope, "state": {**scope.get("state", {}), "login": login}}, receive, send)

    def _login(self, scope: Scope) -> Login | None:
        """Who sends this. Raises:
        HeaderRefused: it says so itself without being the proxy.
        """
        named = self._header.user(scope) if self._header else None
        if named is not None:
            at = now()
            return Login("", named, "proxy", at, at)
        return self._identity.find(self._cookies.of_login(scope))

    def _is_open(self, scope: Scope) -> bool:
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        return path.rstrip("/") in self._open or path.startswith(self._open_folders)

    async def _keep_out(self, scope: Scope, receive: Receive, send: Send) -> None:
        only_proxy = self._identity.accounts is None and not self._identity.provider
        if only_proxy:
            return await self._refuse(NoProxyName(), 403, scope, receive, send)
        if scope["type"] == "http" and scope["method"] in ("GET", "HEAD") and is_root(scope):
            return await self._page.response(scope)(scope, receive, send)
        await self._refuse(LoggedOut(), 401, scope, receive, send)

    async def _refuse(self, error: AppError, status: int, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            return await send({"type": "websocket.close", "code": 1008})
        answer: Response = JSONResponse(
            {"detail": sentence(error, accepted_language(Headers(scope=scope).get("accept-language", "")))},
            status,
            LOGIN_NEEDED if status == 401 else None,
        )
        if scope["method"] == "GET" and is_root(scope):
            answer = self._page.response(scope, error, status, closed=True)
        await answer(scope, receive, send)
