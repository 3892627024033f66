"""A page that says the app is starting, served at once, because importing the app takes seconds.

The host of a Space starts it from a folder where Python can keep nothing compiled.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from app.i18n import _, accepted_language, text
from app.server.framing import frame_ancestors
from app.server.plain_page import POLICY, UNCACHED, plain_page

STARTING = _("Starting. This page opens by itself in a few seconds.")


@contextmanager
def starting_page(host: str, port: int) -> Iterator[Callable[[], None]]:
    """Answer in place of the app inside the block.

    Yields:
        What frees the port for the app. Where the port cannot be had, the app will say so.
    """
    try:
        server = _Server((host, port), _Starting)
    except OSError:
        yield lambda: None
        return
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), name="starting-page", daemon=True)
    thread.start()

    def close() -> None:
        if thread.is_alive():
            server.shutdown()
            server.server_close()
            thread.join()

    try:
        yield close
    finally:
        close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True  # nobody's slow request keeps the app waiting
    block_on_close = False


class _Starting(BaseHTTPRequestHandler):
    """``/`` is the page; all else, 503: the app cannot answer yet."""

    timeout = 5.0

    def do_GET(self) -> None:
        if self.path.partition("?")[0] == "/":
            language = accepted_language(self.headers.get("Accept-Language", ""))
            policy = f"{POLICY}; {frame_ancestors(demo=True)}"
            page = plain_page(text(STARTING, language), language)
            self._answer(HTTPStatus.OK, page, "text/html; charset=utf-8", {"Content-Security-Policy": policy})
        else:
            self._refuse()

    do_HEAD = do_GET

    def _refuse(self) -> None:
        said = json.dumps({"status": "starting"})
        self._answer(HTTPStatus.SERVICE_UNAVAILABLE, said, "application/json", {"Retry-After": "2"})

    do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = _refuse

    def _answer(self, status: HTTPStatus, body: str, kind: str, more: dict[str, str]) -> None:
        content = body.encode()
        self.send_response(status)
        for name, value in {
            "Content-Type": kind,
            "Content-Length": str(len(content)),
            **UNCACHED,
            **more,
        }.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def version_string(self) -> str:
        return "LatticeLens"

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: browsers ask twice a second."""
