"""The page itself, made once for each address it is asked for under.

Gradio copies the description of a thousand components for every visitor, walks through it for addresses of
files and writes it out as a megabyte that it does not compress. What comes out is the same each time: what
a person sees comes with the first event. Only a login's name is in it.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

from starlette.datastructures import Headers
from starlette.responses import Response

from app.server.one_page import is_root
from app.ui.compressed import Compressed

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

ADDRESSES = 8  # remembered; visitors can make up as many as they like
# What Gradio makes the address of.
NAMING = ("host", "x-forwarded-host", "x-forwarded-proto")


class KeptPage:
    """ASGI middleware that answers requests for the page of an app without logins.

    Args:
        app: the wrapped app; it answers the first request for an address, and all for anything else.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._kept: OrderedDict[tuple[str, ...], Compressed] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not _is_page(scope):
            return await self._app(scope, receive, send)
        headers = Headers(scope=scope)
        address = (scope["path"], scope.get("root_path", ""), *(headers.get(name, "") for name in NAMING))
        page = self._kept.get(address)
        if page is None:
            answer = await self._asked(scope, receive)
            if answer.status_code != 200 or "set-cookie" in answer.headers:
                return await answer(scope, receive, send)
            del answer.headers["content-length"]
            page = Compressed(bytes(answer.body), dict(answer.headers))
            self._kept[address] = page
            while len(self._kept) > ADDRESSES:
                self._kept.popitem(last=False)
        await page.response(headers)(scope, receive, send)

    async def _asked(self, scope: Scope, receive: Receive) -> Response:
        """The app's whole answer."""
        answer = Response()
        body = b""

        async def take(message: Message) -> None:
            nonlocal body
            if message["type"] == "http.response.start":
                answer.status_code = message["status"]
                answer.raw_headers = list(message["headers"])
            else:
                body += message.get("body", b"")

        await self._app(scope, receive, take)
        answer.body = body
        return answer


def _is_page(scope: Scope) -> bool:
    return scope["method"] == "GET" and is_root(scope) and not scope.get("query_string")
