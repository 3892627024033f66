"""The app's log: lines for people, or one JSON object an event, with one for every request.

Neither holds texts, passwords or tokens. A request is named by its route, never by its query or body. Of an
exception the JSON log has type and place, not its message, which may quote a document.
"""

from __future__ import annotations

import json
import logging
import re
import secrets
import time
import traceback
from contextvars import ContextVar
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from starlette.datastructures import Headers, MutableHeaders

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

REQUEST_ID = "X-Request-ID"
TEXT_FORMAT = "%(levelname)s %(name)s: %(message)s"
FIELDS = ("route", "method", "status", "ms")  # of a request
log = logging.getLogger("latticelens.request")

_request: ContextVar[str] = ContextVar("request", default="")
_GIVEN_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
# Parts of paths that name a file, a session or a thing: ids, hashes, and all below a folder of files.
_FILES = re.compile(r"(.*?/(?:file=|(?:file|static|assets|svelte|theme|custom_component)/)).+")
_NAMED = re.compile(r"/(?!v\d+(?:/|$))(?=[^/]*\d)[^/]+|/(?<=heartbeat/)[^/]+")


def configure(form: str) -> None:
    """Log to stderr as ``text`` or ``json``."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines() if form == "json" else logging.Formatter(TEXT_FORMAT))
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    for noisy in ("httpx", "httpcore"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    if form == "json":
        for name in ("uvicorn", "uvicorn.error"):  # which brings handlers of its own
            logging.getLogger(name).handlers.clear()
            logging.getLogger(name).propagate = True


class JsonLines(logging.Formatter):
    """One JSON object a record: time, level, logger, event, and of a request its id, route, status, ms."""

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, timezone.utc)
        line: dict[str, Any] = {
            "time": at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
        }
        if _request.get():
            line["request"] = _request.get()
        line |= {name: getattr(record, name) for name in FIELDS if hasattr(record, name)}
        if record.exc_info and record.exc_info[0] is not None:
            line["error"] = record.exc_info[0].__name__
            line["at"] = [
                f"{frame.filename}:{frame.lineno} {frame.name}"
                for frame in traceback.extract_tb(record.exc_info[2])[-8:]
            ]
        return json.dumps(line, ensure_ascii=False)


def route_of(scope: Scope) -> str:
    """The route of a request by its template where a router named one, else its path without names."""
    path = str(scope["path"])
    template = getattr(scope.get("route"), "path", "")
    if template and "{" in template:
        return f"{scope.get('root_path', '')}{template}" if path.startswith("/api/") else str(template)
    files = _FILES.match(path)
    return f"{files[1]}…" if files else _NAMED.sub("/…", path)


class RequestLog:
    """ASGI middleware: an id for every request, in its answer and in every line about it, and a line at its
    end.

    Args:
        app: the wrapped app.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        given = Headers(scope=scope).get(REQUEST_ID, "")
        number = given if _GIVEN_ID.fullmatch(given) else secrets.token_hex(8)
        status, begun = 500, time.perf_counter()

        async def with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)[REQUEST_ID] = number
            await send(message)

        token = _request.set(number)
        try:
            await self._app(scope, receive, with_id)
        finally:
            took = {"ms": round((time.perf_counter() - begun) * 1000, 1)}
            log.info(
                "request",
                extra={"route": route_of(scope), "method": scope["method"], "status": status, **took},
            )
            _request.reset(token)
