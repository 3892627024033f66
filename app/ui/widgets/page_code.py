"""Scripts and style sheets of widgets.

Scripts are the ES modules of ``assets/scripts``. They import each other by relative addresses and are served
as they lie there, without a build, under ``scripts/VERSION/``, where VERSION is a hash of them all: browsers
keep them for good, and a new version has new addresses throughout, imports included. The addresses are
relative to the page, as those of Gradio's own files, so they hold behind any proxy. Other ways were worse:
`gr.set_static_paths` puts this machine's folders into addresses that have no version; an import map cannot be
given, because Gradio adds our part of the head after the first modules have been loaded; modules inside the
page would be sent again with every visit.

A widget carries one line that mounts its module, and its style sheet stands once in the head however many use
it. `page_head` gives all that was registered, so it is called after the widgets are built.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

ASSETS = Path(__file__).resolve().parents[3] / "assets"
SCRIPTS = ASSETS / "scripts"
ARGUMENTS = "{ element, trigger, props, server, upload, watch }"
FOR_GOOD = {"Cache-Control": "public, max-age=31536000, immutable", "X-Content-Type-Options": "nosniff"}
# No element has this id. It makes our rules as strong as rules with an id, which gradio's prose styles need.
STRONG = "#ll-none"

_strings: dict[str, Mapping[str, Any]] = {}
_styles: dict[str, str] = {}
_opening: dict[str, str] = {}


def read(name: str) -> str:
    """The text of a file of `assets`."""
    return (ASSETS / name).read_text(encoding="utf-8")


@lru_cache(maxsize=1)
def modules() -> dict[str, bytes]:
    """The source of every module by its path in ``assets/scripts``; nothing else is served."""
    return {path.relative_to(SCRIPTS).as_posix(): path.read_bytes() for path in sorted(SCRIPTS.rglob("*.js"))}


@lru_cache(maxsize=1)
def script_folder() -> str:
    """Where the modules are served, relative to the page; changes with any of them."""
    digest = hashlib.sha256()
    for name, source in modules().items():
        digest.update(f"{name}\0{len(source)}\0".encode() + source)
    return f"scripts/{digest.hexdigest()[:16]}"


def script_route() -> Route:
    """Serves the modules. Everybody may read them: they are the same for all, and the login needs none."""

    async def serve(request: Request) -> Response:
        source = modules().get(request.path_params["name"])
        if source is None:
            return Response(status_code=404)
        return Response(source, media_type="text/javascript", headers=FOR_GOOD)

    return Route(f"/{script_folder()}/{{name:path}}", serve)


def page_script(module: str, *, events: Iterable[str] = (), strings: Mapping[str, Any] | None = None) -> str:
    """The ``js_on_load`` of a widget: calls ``mount`` of a module with what Gradio gives, and ``strings``.

    Args:
        module: its path in ``assets/scripts``.
        events: what it may trigger; Gradio offers a listener for each name it finds quoted.
        strings: JSON for the module, the same in all widgets that use it. Not a prop: Gradio forgets props
            of a widget that is given a value before its tab is drawn.

    Raises:
        ValueError: an event is no plain word. FileNotFoundError: there is no such module.
    """
    for event in events:
        if not re.fullmatch(r"[a-z][a-z_]*", event):
            raise ValueError(f"{event!r} cannot name an event: small letters and '_' only")
    if module not in modules():
        raise FileNotFoundError(f"no module {module!r} in {SCRIPTS}")
    if strings is not None:
        _strings[module] = strings
    listed = "".join(f' // "{event}"' for event in events)
    return f'window.latticelens.mount("{module}", {ARGUMENTS});{listed}'


def page_styles(*names: str) -> list[str]:
    """Put ``assets/NAME.css`` of every name into the page's head; gives the widget's classes.

    Rules reach only what lies in an element with the class; ``&`` in a file stands for that element.

    Raises:
        FileNotFoundError: there is no such file. ValueError: it would end its element.
    """
    for name in names:
        if name not in _styles:
            source = read(f"{name}.css")
            _refuse_end("style", source)
            _styles[name] = source
    return [style_class(name) for name in names]


def page_opening(name: str, source: str) -> None:
    """Run ``source`` when the page opens, before Gradio draws it and after the first script of the page.

    Args:
        name: one that was given before takes the newer source.

    Raises:
        ValueError: the source would end its element.
    """
    _refuse_end("script", source)
    _opening[name] = source


def style_class(name: str) -> str:
    """The class in whose elements ``assets/NAME.css`` holds."""
    return f"ll-style-{name.replace('_', '-')}"


def page_head() -> str:
    """The elements for the head of the page.

    ``assets/app.js`` comes first: it makes ``window.latticelens`` and must have run before Gradio draws. All
    modules are named at once, so that no import waits for the module before it.
    """
    folder = script_folder()
    given = json.dumps({"scripts": folder, "strings": _strings}).replace("<", "\\u003c")
    opening = "\n".join(_opening.values())
    script = f"{read('app.js')}\nObject.assign(window.latticelens, {given});\n{opening}"
    links = "".join(f'<link rel="modulepreload" href="{folder}/{name}">' for name in modules())
    rules = "\n".join(
        f":is({STRONG}, .{style_class(name)}) {{\n{source}\n}}" for name, source in _styles.items()
    )
    return f"<script>{script}</script>{links}<style>{rules}</style>"


def _refuse_end(element: str, source: str) -> None:
    if re.search(rf"</{element}|<!--", source, re.IGNORECASE):
        raise ValueError(f"this source would end or comment out its <{element}>: {source[:40]!r}")
