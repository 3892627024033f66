"""Only the app's own page may ask the app: what other web sites send in a person's name is refused.

Gradio lets any origin read answers, login included, wherever its host is not called localhost. So a page
that the person has open elsewhere could read and change the workspace: directly where the app has an address
in the network, and through a name it makes point to 127.0.0.1 (DNS rebinding) where it has none.
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

LOGGED = 20  # refusals told in the terminal, for whoever set a proxy up; an attacker must not fill the disk

log = logging.getLogger("latticelens")


def is_loopback(host: str) -> bool:
    """Whether the name or address means this machine and can be reached from nowhere else."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


class SameOrigin:
    """ASGI middleware that answers 403 to requests of other web sites' pages.

    Args:
        app: what answers the others.
        names: host names the app goes by besides its address, as a proxy in front of it may call it.
        only_here: it listens on this machine alone, so any other name means DNS rebinding.
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
                        "This LatticeLens listens on its own machine only and is not called “{name}”. "
                        "If you reach it through a proxy that calls it so, start it with --allow-host "
                        "NAME."
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
                        "Another web site (“{name}”) asked LatticeLens for something in your name and "
                        "was refused. If that is the address you use yourself, start it with "
                        "--allow-host NAME."
                    ),
                    _host_name(origin),
                    scope,
                    receive,
                    send,
                )
        await self._app(scope, receive, send)

    def _is_foreign(self, method: str, headers: Headers) -> bool:
        """Whether a browser sends this for a page of another origin.

        Browsers say so in ``Sec-Fetch-Site`` where the address is https or this machine; elsewhere ``Origin``
        comes with all but plain reading. No page can set either. Programs other than browsers send none.
        """
        site = headers.get("sec-fetch-site")
        if site in ("same-origin", "none"):
            return False
        if site is not None:
            # A link to the app, or the app in a frame: what is asked from inside is its own page's.
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
        told = "\n".join(text(why, language, name=shown) for language in LANGUAGES)
        answer = PlainTextResponse(told + "\n", 403, {"X-Content-Type-Options": "nosniff"})
        await answer(scope, receive, send)


def _address(url: str) -> tuple[str, int | None] | None:
    """Name in small letters and port; None for what is no address, as ``null``, an origin kept secret."""
    try:
        parts = urlsplit(url)
        return (parts.hostname, parts.port) if parts.hostname else None
    except ValueError:
        return None


def _host_name(url: str) -> str:
    """The name alone; empty for what is no address."""
    found = _address(url)
    return found[0] if found else ""
