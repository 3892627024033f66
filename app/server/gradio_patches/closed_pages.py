"""Drops what Gradio keeps of pages that are closed.

Gradio holds what it sent to each page that was ever opened, up to ten thousand of them. The page's heartbeat
tells when it is closed.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import gradio as gr
    from starlette.types import ASGIApp, Receive, Scope, Send

    from app.services.session import Sessions

HEARTBEAT = "/heartbeat/"
# A page that only slept, or was out of the network, goes on where it was if it is among these.
MOST_CLOSED = 8


class ClosedPages:
    """ASGI middleware that follows the heartbeats of pages and keeps what belongs to the last closed ones.

    Args:
        app: the wrapped app. blocks: whose pages they are. sessions: are told of pages that open and close.
    """

    def __init__(self, app: ASGIApp, blocks: gr.Blocks, sessions: Sessions) -> None:
        self._app = app
        self._blocks = blocks
        self._sessions = sessions
        self._open: dict[str, int] = {}  # heartbeats by page; a page that reconnects has two for a moment
        self._closed: OrderedDict[str, None] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        page = _page_of(scope)
        if page is None:
            return await self._app(scope, receive, send)
        self._open[page] = self._open.get(page, 0) + 1
        self._closed.pop(page, None)
        self._sessions.page_opened(page)
        try:
            await self._app(scope, receive, send)
        finally:
            self._open[page] -= 1
            if not self._open[page]:
                del self._open[page]
                self._close(page)

    def _close(self, page: str) -> None:
        self._sessions.page_closed(page)
        self._closed[page] = None
        while len(self._closed) > MOST_CLOSED:
            self._drop(self._closed.popitem(last=False)[0])

    def _drop(self, page: str) -> None:
        """Forget the page; should it call again, Gradio begins it anew, and `StaleEvents` answers for the
        forms that were drawn in it."""
        held: Any = self._blocks.state_holder
        with held.lock:
            held.session_data.pop(page, None)
            held.time_last_used.pop(page, None)
        queue = self._blocks._queue
        if not queue.pending_event_ids_session.get(page):
            queue.pending_event_ids_session.pop(page, None)
            queue.pending_messages_per_session.pop(page, None)


def _page_of(scope: Scope) -> str | None:
    """The page whose heartbeat a request is."""
    if scope["type"] != "http" or HEARTBEAT not in scope["path"]:
        return None
    return str(scope["path"]).rpartition(HEARTBEAT)[2].strip("/") or None
