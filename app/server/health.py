"""Two addresses for whoever watches over a running app; they tell nothing about people or texts.

``/healthz`` says that the process answers, and ``/readyz`` that it can work.
"""

from __future__ import annotations

from collections.abc import Callable

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

UNCACHED = {"Cache-Control": "no-store"}


def health_routes(lacking: Callable[[], list[str]]) -> list[Route]:
    """The routes ``/healthz`` and ``/readyz``, open to everybody.

    Args:
        lacking: names what does not work, such as ``store``; called in a thread.
    """

    async def alive(request: Request) -> Response:
        return JSONResponse({"status": "ok"}, headers=UNCACHED)

    async def ready(request: Request) -> Response:
        missing = await to_thread.run_sync(lacking)
        if missing:
            return JSONResponse({"status": "not ready", "lacking": missing}, 503, headers=UNCACHED)
        return JSONResponse({"status": "ready"}, headers=UNCACHED)

    return [Route("/healthz", alive), Route("/readyz", ready)]
