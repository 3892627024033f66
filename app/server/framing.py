"""Which web sites may show the app in a frame of theirs: none, so that no click meant for them lands in it.

A page that lays the app, unseen, over a button of its own has the person press what they never saw
(clickjacking). Browsers draw a framed page only where its ``Content-Security-Policy: frame-ancestors`` names
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
# What the policy's grammar takes as a host; another name, as one with "_", may call the app but not frame it.
_HOST = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)*", re.IGNORECASE)


def frame_ancestors(names: Collection[str] = (), *, demo: bool = False) -> str:
    """The policy: the app itself, the pages of hosts in ``names``, and around a demo those of a Space's host.

    A host is named with any port and without a scheme: behind https that means https only.
    """
    hosts = tuple(f"{name.lower()}:*" for name in names if _HOST.fullmatch(name))
    return " ".join(("frame-ancestors", "'self'", *hosts, *(SPACE_HOSTS if demo else ())))


class FrameAncestors:
    """ASGI middleware that sends the policy with every answer, refusals and files included.

    Args:
        app: what answers. policy: of `frame_ancestors`.
    """

    def __init__(self, app: ASGIApp, policy: str) -> None:
        self._app = app
        self._policy = policy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_policy(message: Message) -> None:
            if message["type"] == "http.response.start":
                # Beside a policy that the answer has already: of two, the browser keeps both.
                MutableHeaders(scope=message).append("Content-Security-Policy", self._policy)
            await send(message)

        await self._app(scope, receive, send_with_policy if scope["type"] == "http" else send)
