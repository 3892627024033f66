"""Refuse requests from other web sites' pages (cross-site request forgery).

Gradio allows any origin unless its host is localhost. So any page open in the same browser could read and
change the workspace: directly if the app has a network address, else through a name that resolves to
127.0.0.1 (DNS rebinding).
"""

from __future__ import annotations

import logging
from collections.abc import Collection
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse

from app.i18n import LANGUAGES, Message, _, text

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

LOGGED = 20  # refusals logged, for whoever sets up a proxy; limited, as an attacker could fill the disk

log = logging.getLogger("latticelens")


def is_loopback(host: str) -> bool:
    """Whether the name or address is a loopback one."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


class SameOrigin:
    """ASGI middleware that returns 403 for requests from other web sites' pages.

    Args:
        app: the wrapped app. names: host names besides the app's address, such as a proxy's.
        only_here: the app listens on loopback only, so any other name means DNS rebinding.
    """

    def __init__(self, app: ASGIApp, names: Collection[str] = (), only_here: bool = False) -> None:
        self._app = app
        self._names = frozenset(name.lower() for name in names)
        self._only_here = only_here
        self._told = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            headers = Headers(scope=scope)
            host = _host_name(f"//{headers.get('host', '')}")
            if self._only_here and not is_loopback(host) and host not in self._names:
                return await self._refuse(
                    _(
                        "LatticeLens accepts local requests only, not for the host “{name}”. If you use a "
                        "proxy with that name, start it with --allow-host NAME."
                    ),
                    host,
                    scope,
                    receive,
                    send,
                )
            if self._is_foreign(scope["method"], headers):
                origin = headers.get("origin", headers.get("referer", ""))
                return await self._refuse(
                    _(
                        "A request from another web site (“{name}”) was refused. If you use that address "
                        "yourself, start LatticeLens with --allow-host NAME."
                    ),
                    _host_name(origin),
                    scope,
                    receive,
                    send,
                )
        await self._app(scope, receive, send)

    def _is_foreign(self, method: str, headers: Headers) -> bool:
        """Whether a browser sent this for a page of another origin.

        Browsers send ``Sec-Fetch-Site`` to https and loopback addresses; elsewhere ``Origin`` with all
        requests but simple reads. Pages cannot set either, and other programs send neither.
        """
        site = headers.get("sec-fetch-site")
        if site in ("same-origin", "none"):
            return False
        if site is not None:
            # A link to the app, or the app in a frame: requests from inside come from its own page.
            return not (method in ("GET", "HEAD") and headers.get("sec-fetch-mode") == "navigate")
        origin = headers.get("origin")
        if origin is None:
            return False
        asked_by = _address(origin)
        if asked_by is None:
            return True
        return asked_by != _address(f"//{headers.get('host', '')}") and asked_by[0] not in self._names

    async def _refuse(self, why: Message, name: str, scope: Scope, receive: Receive, send: Send) -> None:
        shown = name[:100] if name.isprintable() else ""
        if self._told < LOGGED:
            self._told += 1
            log.warning("%s", text(why, name=shown))
        message = "\n".join(text(why, language, name=shown) for language in LANGUAGES)
        answer = PlainTextResponse(message + "\n", 403, {"X-Content-Type-Options": "nosniff"})
        await answer(scope, receive, send)


def _address(url: str) -> tuple[str, int | None] | None:
    """Lower-case name and port; None for anything else, such as the opaque origin ``null``."""
    try:
        parts = urlsplit(url)
        return (parts.hostname, parts.port) if parts.hostname else None
    except ValueError:
        return None


def _host_name(url: str) -> str:
    """The name alone; empty if it is no address."""
    address = _address(url)
    return address[0] if address else ""
