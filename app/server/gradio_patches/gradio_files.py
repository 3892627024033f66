"""Gradio's scripts and styles, kept in memory, with what makes every page of this size slow mended.

A first visit fetches 120 of them. Gradio reads and compresses each anew for every visitor, behind all its
middleware. Their names hold a hash of what is in them, so browsers may keep them for good.

Each mend is a piece of a minified script of Gradio 6.31 and what is served in its place. Where a file has
no such piece, as after an update, it is served as it is.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gradio.routes import BUILD_PATH_LIB
from starlette.datastructures import Headers

from app.ui.compressed import Compressed
from app.ui.widgets.page_code import FOR_GOOD

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
STATUSES = Mend("Blocks", "if(s.stage===`complete`){n=`closed`,", "if(s.stage===`complete`){n&&=`closed`,")
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
    "Blocks", "oe(()=>{O.reload(r.components,", "oe(()=>{if(!O.drawn)return O.drawn=!0;O.reload(r.components,"
)
# Every update of a component walks the tree of a thousand for it. The way to each is kept, and used as long
# as it leads there.
NODE = Mend(
    "core",
    "function Z(e,t){if(e.id===t)return e;if(e.children)for(let n of e.children){let e=Z(n,t);if(e)return e}"
    "return null}",
    "function Z(e,t){Z.ways??=new Map;let n=e;for(const i of Z.ways.get(t)??[])n=n?.children?.[i];"
    "if(n?.id===t)return n;const way=[],leads=e=>e.id===t||!!e.children?.some((e,i)=>leads(e)&&way.push(i));"
    "if(!leads(e))return null;Z.ways.set(t,way.reverse());n=e;for(const i of way)n=n.children[i];return n}",
)
# What is told to be invisible and was never seen has nothing to be loaded for it.
NEVER_SEEN = Mend("core", "if(n&&!r?.component){await C();", "if(n&&!r?.component&&t.visible){await C();")
# Before an update everything inside the component is copied, figures and tables whole, to be there when it is
# seen again. Only one that appears or disappears takes what is inside with it.
INSIDE = Mend(
    "core",
    "r&&!(`value`in t)&&(await this.#m(e,r),await this.#h(r));",
    "r&&!(`value`in t)&&(await this.#m(e,r),`visible`in t&&(i||r.props.shared_props.visible!==t.visible)&&"
    "await this.#h(r));",
)
MENDS = (STATUSES, EVENT_ARGUMENTS, STATE, LISTENERS, SECOND_TREE, NODE, NEVER_SEEN, INSIDE)
TYPES = {"js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8"}
FILE = re.compile(r"/assets/([^/]+\.(?:js|css))$")
NAMES = frozenset(path.name for path in Path(BUILD_PATH_LIB).iterdir() if FILE.search(f"/assets/{path.name}"))


class GradioFiles:
    """ASGI middleware that answers requests for those files.

    Args:
        app: the wrapped app; it answers all other requests.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = FILE.search(scope["path"]) if scope["type"] == "http" and scope["method"] == "GET" else None
        if found is None or found[1] not in NAMES:
            return await self._app(scope, receive, send)
        await _mended(found[1]).response(Headers(scope=scope))(scope, receive, send)


@cache
def _mended(name: str) -> Compressed:
    source = (Path(BUILD_PATH_LIB) / name).read_text("utf-8")
    for mend in MENDS:
        if name.startswith(f"{mend.script}-"):
            source = source.replace(mend.fault, mend.mended)
    return Compressed(source.encode(), {"Content-Type": TYPES[name.rsplit(".")[-1]], **FOR_GOOD})
