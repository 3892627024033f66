"""Refuses requests beyond what somebody may ask or send, before anything of them is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, JSONResponse, Response

from app.api.body_limit import MEGABYTE
from app.i18n import LANGUAGES, _, accepted_language
from app.server.cookies import is_tls
from app.server.limits.askers import API_FOLDERS, Askers
from app.server.one_page import is_root
from app.server.plain_page import POLICY, UNCACHED, plain_page
from app.services.errors import sentence
from app.services.limits.asker import Asker
from app.services.limits.buckets import Buckets, Rate
from app.services.limits.refusals import OverLimit, too_many_requests, waiting_time
from app.services.limits.table import Limits

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

# What the scripts of the page read, to say it in the page's language.
REFUSED = "X-LatticeLens-Refused"
# What belongs to a page without being asked for by a person, and what others watch.
UNCOUNTED = (
    "/healthz", "/readyz", "/static/", "/assets/", "/svelte/", "/theme.css", "/favicon.ico", "/manifest.json",
    "/gradio_api/heartbeat/", "/gradio_api/queue/data", "/gradio_api/startup-events",
)  # fmt: skip
UPLOAD = "/gradio_api/upload"
LARGEST_CALL = 32 * MEGABYTE  # of what is no upload; a page sends a document with its spans


class Limited:
    """ASGI middleware that counts requests, and the bytes of their bodies, for whoever sends them.

    Args:
        app: the wrapped app. limits: of each. scripts: folder of the page's scripts.
        marks: whether browsers are told apart by a cookie, where nobody has to log in.
        buckets: of all; they are kept in memory.
    """

    def __init__(
        self,
        app: ASGIApp,
        limits: Limits,
        scripts: str = "",
        marks: bool = True,
        buckets: Buckets | None = None,
    ) -> None:
        self._app = app
        self._limits = limits
        self._uncounted = (*UNCOUNTED, *((scripts,) if scripts else ()))
        self._marks = marks
        self._buckets = Buckets() if buckets is None else buckets
        self._askers = Askers()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        if path.startswith(self._uncounted):
            return await self._app(scope, receive, send)
        askers = self._askers.of(scope)
        scope = {**scope, "state": {**scope.get("state", {}), "asker": askers[0]}}
        begun = False
        unmarked = self._marks and is_root(scope) and askers[0].people > 1

        async def send_noted(message: Message) -> None:
            nonlocal begun
            begun = True
            if unmarked and message["type"] == "http.response.start":
                cookie = (b"set-cookie", self._askers.mark(is_tls(scope)).encode("latin-1"))
                message = {**message, "headers": [*message["headers"], cookie]}
            await send(message)

        try:
            self._count_request(askers)
            if scope["method"] in ("POST", "PUT", "PATCH"):
                receive = self._counted(receive, askers, path, Headers(scope=scope))
            await self._app(scope, receive, send_noted)
        except OverLimit as error:
            if begun:
                raise
            await _refusal(error, scope, path)(scope, receive, send)

    def _count_request(self, askers: list[Asker]) -> None:
        if self._limits.requests is not None:
            wait = self._take("requests", askers, self._limits.requests, 1)
            if wait:
                raise too_many_requests(wait)

    def _counted(self, receive: Receive, askers: list[Asker], path: str, headers: Headers) -> Receive:
        """``receive`` that counts; a body that says how long it is, is refused before it is read.

        Raises:
            OverLimit: it is too long.
        """
        most = None if path.startswith((UPLOAD, *API_FOLDERS)) else LARGEST_CALL
        length = headers.get("content-length", "")
        said = int(length[:18]) if length.isdecimal() else None
        self._check_body(said or 0, most)
        if said is not None:
            self._count_bytes(askers, said)
        count = 0

        async def receive_counted() -> Message:
            nonlocal count
            message = await receive()
            came = len(message.get("body", b""))
            count += came
            self._check_body(count, most)
            if said is None:
                self._count_bytes(askers, came)
            return message

        return receive_counted

    def _check_body(self, count: int, most: int | None) -> None:
        if most is not None and count > most:
            raise OverLimit(
                "body", _("A request has at most {most} MB here. Send it in parts."), most=most // MEGABYTE
            )

    def _count_bytes(self, askers: list[Asker], count: int) -> None:
        rate = self._limits.sent
        if rate is None or not count:
            return
        if count > rate.count:
            raise OverLimit(
                "sent",
                _("This is more than the daily limit of {most} MB per person. Send less at a time."),
                most=rate.count // MEGABYTE,
            )
        wait = self._take("sent", askers, rate, count)
        if wait:
            raise OverLimit(
                "sent",
                _("You have reached the daily limit of {most} MB per person. Try again in {time}."),
                seconds=wait,
                most=rate.count // MEGABYTE,
                time=waiting_time(wait),
            )

    def _take(self, limit: str, askers: list[Asker], rate: Rate, amount: int) -> float:
        for asker in askers:
            wait = self._buckets.take((limit, asker.name), rate.times(asker.people), amount)
            if wait:
                return wait
        return 0.0


def _refusal(error: OverLimit, scope: Scope, path: str) -> Response:
    """The answer: of the API in its form, of the page with the sentence in every language, else a page."""
    language = accepted_language(Headers(scope=scope).get("accept-language", ""))
    said = sentence(error, language)
    if path.startswith(API_FOLDERS):
        return JSONResponse(
            {"error": {"code": "over_limit", "message": said}}, error.status, headers=error.headers
        )
    if is_root(scope) and error.seconds is not None:
        page, headers = plain_page(said, language, error.seconds), {**error.headers, **UNCACHED}
        headers |= {"Content-Security-Policy": POLICY, REFUSED: error.limit}
        return HTMLResponse(page, error.status, headers=headers)
    words = {each: sentence(error, each) for each in LANGUAGES}
    return JSONResponse(
        {"detail": said, "said": words}, error.status, headers={**error.headers, REFUSED: error.limit}
    )
