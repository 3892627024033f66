"""Answers ``?page=NAME`` with 404 like any other unknown address, where Gradio would fail.

Gradio takes ``?page=`` for the name of one of its own pages and fails with a `KeyError` where it has none of
that name. This app is one page: where a person is in it stands in the hash.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from starlette.responses import JSONResponse

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send


class OnePage:
    """ASGI middleware that knows only the page without a name.

    Args:
        app: the wrapped app.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and _names_a_page(scope):
            return await JSONResponse({"detail": "Not Found"}, 404)(scope, receive, send)
        await self._app(scope, receive, send)


def _names_a_page(scope: Scope) -> bool:
    return is_root(scope) and "page" in parse_qs(scope.get("query_string", b"").decode("latin-1"))


def is_root(scope: Scope) -> bool:
    """Whether a request is for the page, behind a proxy's path or not."""
    return scope["path"].removeprefix(scope.get("root_path", "")) in ("", "/")
