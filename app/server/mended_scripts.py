"""Gradio's script for events, served with a fault of it mended.

When a call is answered, Gradio 6.31 notes a loading status for every input of it, as if each were a stream
that has closed, and never forgets one. Every later event updates all of them, and finds each by a walk
through the whole tree of components: after a visit to each page a change of page makes 350 such walks. Only
streams have a state to close.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from gradio.routes import BUILD_PATH_LIB
from starlette.responses import Response

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

SCRIPT = re.compile(r"/assets/(Blocks-[\w-]+\.js)$")
FAULT, MENDED = "if(s.stage===`complete`){n=`closed`,", "if(s.stage===`complete`){n&&=`closed`,"


class MendedScripts:
    """ASGI middleware that answers requests for that script.

    Args:
        app: the wrapped app; it answers all others, and this one where the fault is not found in its file.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = SCRIPT.search(scope["path"]) if scope["type"] == "http" else None
        script = mended(found[1]) if found else None
        if script is None:
            return await self._app(scope, receive, send)
        await Response(script, media_type="text/javascript")(scope, receive, send)


@cache
def mended(name: str) -> str | None:
    """The script of that name without the fault; None if there is no such file, or no such fault in it."""
    path = Path(BUILD_PATH_LIB) / name
    script = path.read_text("utf-8") if path.is_file() else ""
    return script.replace(FAULT, MENDED) if FAULT in script else None
