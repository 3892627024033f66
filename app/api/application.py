"""The API of a workspace as an app of its own, mounted in the server of the pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import FastAPI
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.responses import HTMLResponse
from starlette.routing import Mount

from app.api import annotations as annotation_routes
from app.api import documents, events, exports, labels, projects, reference, runs, tagging
from app.api.access import Access
from app.api.body_limit import MEGABYTE, BodyLimit
from app.api.errors import no_such_address
from app.api.label_studio import backend as label_studio

if TYPE_CHECKING:
    from app.services.workbench import Workbench

PREFIX = "/api/v1"
LARGEST_BODY = 16 * MEGABYTE
LARGEST_FILE = 200 * MEGABYTE
OPEN_PATHS = ("/health", "/openapi.json", "/docs")
RESOURCES = (projects, labels, documents, annotation_routes, tagging, runs, exports, events)
_DESCRIPTION = (
    "What the pages of LatticeLens do, for programs. Every call has an access token, made in Settings, in "
    "the header “Authorization: Bearer TOKEN”; a token opens one project. Offsets are Unicode code points, "
    "end exclusive. Times are milliseconds since 1970, UTC.\n\n"
    "Errors are {“error”: {“code”, “message”}}: 401 no_access, 403 forbidden, 404 not_found, 409 conflict "
    "(with the current annotation) or refused, 413 too_large, 422 invalid, 429 over_limit "
    "(with Retry-After; 413 where waiting does not help), 503 busy, 507 full, 500 failed. "
    "Messages are in the first language of Accept-Language, where LatticeLens speaks it, else in English."
)


class HealthReply(BaseModel):
    """The server answers."""

    status: str


def api(workbench: Workbench) -> FastAPI:
    """The app of the API.

    Args:
        workbench: of the workspace, which is open as long as the app is served.
    """
    app = FastAPI(
        title="LatticeLens API",
        version="1",
        description=_DESCRIPTION,
        docs_url=None,
        redoc_url=None,
        openapi_url="/openapi.json",
        servers=[{"url": PREFIX}],
        root_path_in_servers=False,
        middleware=[
            Middleware(Access, workbench=workbench, open_paths=OPEN_PATHS),
            Middleware(BodyLimit, most=LARGEST_BODY, files=LARGEST_FILE, file_paths=(documents.IMPORT,)),
        ],
        exception_handlers={HTTPException: no_such_address},
    )
    for resource in RESOURCES:
        app.include_router(resource.router)

    @app.get("/health", tags=["server"])
    def health() -> HealthReply:
        """Whether the server answers; needs no token."""
        return HealthReply(status="up")

    @app.get("/docs", include_in_schema=False)
    def docs() -> HTMLResponse:
        return HTMLResponse(reference.page(app.openapi()))

    return app


def api_routes(workbench: Workbench) -> list[Mount]:
    """The routes for the server of the pages."""
    return [
        Mount(PREFIX, api(workbench)),
        Mount(label_studio.PREFIX, label_studio.label_studio_backend(workbench)),
    ]
