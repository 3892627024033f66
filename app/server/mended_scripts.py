"""Gradio's scripts, served with what makes every page of this size slow mended.

Each mend is a piece of a minified script of Gradio 6.31 and what is served in its place. Where a file has
no such piece, as after an update, it is served as it is.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gradio.routes import BUILD_PATH_LIB
from starlette.responses import Response

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send


class Mend(NamedTuple):
    """A piece of a script, by the name of its file before the hash, and what is served for it."""

    script: str
    fault: str
    mended: str


# When a call is answered, Gradio notes a loading status for every input of it, as if each were a stream that
# has closed, and never forgets one. Every later event updates all of them, and finds each by a walk through
# the whole tree of components: after a visit to each page a change of page makes 350 such walks. Only streams
# have a state to close.
STATUSES = Mend(
    "Blocks",
    "if(s.stage===`complete`){n=`closed`,",
    "if(s.stage===`complete`){n&&=`closed`,",
)
# Before an event, and for every event when the page is loaded, the state of what it listens to is asked for,
# to put the event's own properties into it. Nearly no event has any.
EVENT_ARGUMENTS = Mend(
    "Blocks",
    "async set_event_args(e,t){let n={},",
    "async set_event_args(e,t){if(!Object.keys(t).length)return()=>{};let n={},",
)
# The tree is walked for a component that has told of itself already.
STATE = Mend(
    "core",
    "async get_state(e){let t=this.#s.get(e),n=Z(this.root,e);",
    "async get_state(e){let t=this.#s.get(e),n=t?null:Z(this.root,e);",
)
# Which events are listened to is looked for among all events, for each component.
LISTENERS = Mend(
    "core",
    "find_attached_events(e,t){let n=t.filter(t=>t.targets.find(([t])=>t===e.id))"
    ".map(t=>{let n=t.targets.find(([t])=>t===e.id);return n?n[1]:null}).filter(Boolean);",
    "find_attached_events(e,t){if(this.listeners_of!==t){this.listeners_of=t;this.listeners=new Map;"
    "for(const d of t){const known=new Set;for(const[i,event]of d.targets)if(!known.has(i)){known.add(i);"
    "if(event)this.listeners.set(i,[...this.listeners.get(i)??[],event])}}}"
    "let n=[...this.listeners.get(e.id)??[]];",
)
# The tree of components is built, drawn, and at once built and drawn again.
SECOND_TREE = Mend(
    "Blocks",
    "oe(()=>{O.reload(r.components,",
    "oe(()=>{if(!O.drawn)return O.drawn=!0;O.reload(r.components,",
)
MENDS = (STATUSES, EVENT_ARGUMENTS, STATE, LISTENERS, SECOND_TREE)
SCRIPT = re.compile(rf"/assets/((?:{'|'.join(sorted({mend.script for mend in MENDS}))})-[\w-]+\.js)$")


class MendedScripts:
    """ASGI middleware that answers requests for those scripts.

    Args:
        app: the wrapped app; it answers all others, and these where nothing is found to mend.
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
    """The script of that name without its faults; None if there is no such file, or nothing to mend in it."""
    path = Path(BUILD_PATH_LIB) / name
    script = told = path.read_text("utf-8") if path.is_file() else ""
    for mend in MENDS:
        if name.startswith(f"{mend.script}-"):
            script = script.replace(mend.fault, mend.mended)
    return script if script != told else None
