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


def health_routes(lacking: Callable[[], list[str]], warnings: Callable[[], list[str]] = list) -> list[Route]:
    """The routes ``/healthz`` and ``/readyz``, open to everybody.

    Args:
        lacking: names what does not work, such as ``store``; called in a thread.
        warnings: names what somebody should look at although people can work, such as ``backup``: a load
            balancer must not send them away for it.
    """

    async def alive(request: Request) -> Response:
        return JSONResponse({"status": "ok"}, headers=UNCACHED)

    async def ready(request: Request) -> Response:
        missing = await to_thread.run_sync(lacking)
        if missing:
            return JSONResponse({"status": "not ready", "lacking": missing}, 503, headers=UNCACHED)
        warned = warnings()
        return JSONResponse({"status": "ready"} | ({"warnings": warned} if warned else {}), headers=UNCACHED)

    return [Route("/healthz", alive), Route("/readyz", ready)]
