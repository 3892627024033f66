"""The door of the API: a token becomes a session, before anything of a request is read.

The session is like a page's: of the person who made the token, in the token's project, with at most the
rights of the token's role. Rights are asked of `services.rights`, as the pages do.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Depends
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request

from app.api.errors import NoAccess, language_for, refused
from app.i18n import Language
from app.services import rights
from app.services.session import Session
from app.services.workbench import Workbench
from core.store.db import audit
from core.store.project import members, tokens

if TYPE_CHECKING:
    from collections.abc import Collection

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

# What a reply says in any case: it is data of one caller, and never a page.
_SAFE = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}


class Access:
    """ASGI middleware that finds the session of a request's token, else answers 401.

    Args:
        app: the wrapped app. workbench: of the workspace that holds the tokens.
        open_paths: below the app's own path, that need no token.
        scheme: what the answer asks for, ``Bearer`` or ``Basic``; both are taken.
    """

    def __init__(
        self, app: ASGIApp, workbench: Workbench, open_paths: Collection[str] = (), scheme: str = "Bearer"
    ) -> None:
        self._app = app
        self._workbench = workbench
        self._open_paths = frozenset(open_paths)
        self._scheme = scheme

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_SAFE)
            await send(message)

        if scope["path"].removeprefix(scope.get("root_path", "")) in self._open_paths:
            return await self._app(scope, receive, send_safely)
        language = language_for(Request(scope))
        try:
            session = await run_in_threadpool(self._session, Headers(scope=scope), language)
        except Exception as error:
            asked = {"WWW-Authenticate": f'{self._scheme} realm="LatticeLens"'}
            answer = refused(error, language, asked if isinstance(error, NoAccess) else None)
            return await answer(scope, receive, send_safely)
        state = {**scope.get("state", {}), "session": session}
        with audit.acting(session.user, "api"):
            await self._app({**scope, "state": state}, receive, send_safely)

    def _session(self, headers: Headers, language: Language) -> Session:
        workspace = self._workbench.workspace
        text = token_text(headers)
        if text is None:
            raise NoAccess(
                "This call has no access token. Make one in Settings and send it as “Authorization: Bearer "
                "TOKEN”."
            )
        token = tokens.find(workspace, text)
        if token is None:
            raise NoAccess(
                "This access token is not valid: it is unknown or was revoked. Create another one in "
                "Settings."
            )
        identity = self._workbench.identity
        if identity is not None and identity.is_gone(token.user):
            raise NoAccess(
                "The account of the person who made this access token was removed, and the token with it. "
                "Make another one in Settings."
            )
        # Whoever has left the project takes their tokens along.
        members.check(workspace, token.project_id, token.user, "annotate")
        tokens.note_use(workspace, token)
        return Session("", token.user, self._workbench, token.project_id, language, role=token.role)


def token_text(headers: Headers) -> str | None:
    """The token of ``Authorization: Bearer``, or the password of ``Basic``, which Label Studio sends."""
    scheme, _, value = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return value.strip()
    if scheme.lower() == "basic":
        try:
            named = base64.b64decode(value.strip(), validate=True).decode("utf-8")
        except ValueError:  # no base64, or no UTF-8 in it
            return ""
        return named.partition(":")[2]
    return None


def _of_request(request: Request) -> Session:
    session: Session = request.state.session
    return session


def allowed(right: str) -> Any:
    """A dependency: the session, once its user and its token have the right."""
    if right not in members.RIGHTS:
        raise KeyError(f"there is no right {right!r}")

    def session(caller: Annotated[Session, Depends(_of_request)]) -> Session:
        rights.check(caller, right)
        return caller

    session.__name__ = f"may_{right}"
    session.right = right  # type: ignore[attr-defined]
    return Depends(session)
