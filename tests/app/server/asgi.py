"""A request to an ASGI app, without a server."""

from collections.abc import Mapping
from typing import Any

from tests import own_loop


def messages(app: Any, scope: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Everything the app sends in answer to a request without a body."""
    sent: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b""}

    own_loop.run(app(scope, receive, send))
    return sent
