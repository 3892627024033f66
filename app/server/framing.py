"""Protection against clickjacking: which web sites may show the app in a frame.

Browsers draw a framed page only where its ``Content-Security-Policy: frame-ancestors`` names
the page around it (Content Security Policy Level 3, section 6.4.2).
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import TYPE_CHECKING

from starlette.datastructures import MutableHeaders

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

# A public Space is a frame in the pages of its host.
SPACE_HOSTS = ("https://huggingface.co", "https://*.huggingface.co")
# Hosts in the policy's grammar; other names, such as with "_", may call the app but not frame it.
_HOST = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)*", re.IGNORECASE)


def frame_ancestors(names: Collection[str] = (), *, demo: bool = False) -> str:
    """The policy: the app itself, hosts in ``names``, and for a demo the Space's host.

    Hosts have any port and no scheme: behind https that means https only.
    """
    hosts = tuple(f"{name.lower()}:*" for name in names if _HOST.fullmatch(name))
    return " ".join(("frame-ancestors", "'self'", *hosts, *(SPACE_HOSTS if demo else ())))


class FrameAncestors:
    """ASGI middleware that sends the policy with every response, errors and files included.

    Args:
        app: the wrapped app. policy: of `frame_ancestors`.
    """

    def __init__(self, app: ASGIApp, policy: str) -> None:
        self._app = app
        self._policy = policy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_policy(message: Message) -> None:
            if message["type"] == "http.response.start":
                # In addition to the response's own policy: the browser applies both.
                MutableHeaders(scope=message).append("Content-Security-Policy", self._policy)
            await send(message)

        await self._app(scope, receive, send_with_policy if scope["type"] == "http" else send)
