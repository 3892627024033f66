"""Scripts and style sheets of widgets.

Scripts are the ES modules of ``assets/scripts``. They import each other by relative URLs and are served
unchanged, without a build, under ``scripts/VERSION/``, where VERSION is a hash of all of them: browsers
cache them forever, and a new version has new URLs, imports included. The URLs are relative to the page,
like those of Gradio's own files, so they work behind any proxy. Alternatives were worse:
`gr.set_static_paths` puts local folders into URLs without a version; an import map is impossible, because
Gradio adds our part of the head after the first modules have been loaded; modules inside the page would be
sent with every visit.

The script of a library that comes with its Python package lies beside them, so that both have one version.

A widget has one line that mounts its module, and its style sheet is in the head once, however many use it.
`page_head` returns everything registered, so call it after the widgets are built.
"""

from __future__ import annotations

import hashlib
import json
import posixpath
import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

import gradio as gr
import plotly
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from app.i18n.catalogue import LANGUAGES, script_messages
from app.ui.compressed import Compressed

ASSETS = Path(__file__).resolve().parents[3] / "assets"
SCRIPTS = ASSETS / "scripts"
# No modules, and large: read when a browser asks for one.
LIBRARIES = {"libraries/plotly.js": Path(plotly.__file__).parent / "package_data" / "plotly.min.js"}
ARGUMENTS = "{ element, trigger, props, server, upload, watch }"
FOR_GOOD = {"Cache-Control": "public, max-age=31536000, immutable", "X-Content-Type-Options": "nosniff"}
# No element has this id. It gives our rules the specificity of an id, to override gradio's prose styles.
STRONG = "#ll-none"

_IMPORT = re.compile(r'^(?:import|\}) [^;]*?from "([^"]+)";', re.MULTILINE)

_mounted: set[str] = set()
_styles: dict[str, str] = {}
_opening: dict[str, str] = {}


def read(name: str) -> str:
    """Read a file of `assets`."""
    return (ASSETS / name).read_text(encoding="utf-8")


@lru_cache(maxsize=1)
def modules() -> dict[str, bytes]:
    """The source of every module by its path in ``assets/scripts``; nothing else is served."""
    return {path.relative_to(SCRIPTS).as_posix(): path.read_bytes() for path in sorted(SCRIPTS.rglob("*.js"))}


def needed(*wanted: str) -> list[str]:
    """The given modules and everything they import, directly or indirectly."""
    modules_needed = dict.fromkeys(wanted)
    waiting = list(wanted)
    while waiting:
        name = waiting.pop()
        for address in _IMPORT.findall(modules()[name].decode()):
            imported = posixpath.normpath(posixpath.join(posixpath.dirname(name), address))
            if imported not in modules_needed:
                modules_needed[imported] = None
                waiting.append(imported)
    return list(modules_needed)


@lru_cache(maxsize=1)
def script_folder() -> str:
    """Where the modules are served, relative to the page; changes with any of them."""
    digest = hashlib.sha256(f"plotly {plotly.__version__}\0".encode())
    for name, source in modules().items():
        digest.update(f"{name}\0{len(source)}\0".encode() + source)
    return f"scripts/{digest.hexdigest()[:16]}"


def script_route() -> Route:
    """The route of the modules and libraries, open to everybody: they hold no data."""

    headers = {"Content-Type": "text/javascript; charset=utf-8", **FOR_GOOD}
    served = {name: Compressed(source, headers) for name, source in modules().items()}

    async def serve(request: Request) -> Response:
        name = request.path_params["name"]
        if name in LIBRARIES and name not in served:
            served[name] = Compressed(await run_in_threadpool(LIBRARIES[name].read_bytes), headers)
        if name not in served:
            return Response(status_code=404)
        # Compressing a library takes a tenth of a second.
        return await run_in_threadpool(served[name].response, request.headers)

    return Route(f"/{script_folder()}/{{name:path}}", serve)


def page_script(module: str, *, events: Iterable[str] = ()) -> str:
    """The ``js_on_load`` of a widget: call ``mount`` of a module with Gradio's arguments.

    Args:
        module: its path in ``assets/scripts``.
        events: those it may trigger; Gradio adds a listener for each name quoted in the script.

    Raises:
        ValueError: an event is not a plain word. FileNotFoundError: there is no such module.
    """
    for event in events:
        if not re.fullmatch(r"[a-z][a-z_]*", event):
            raise ValueError(f"{event!r} cannot name an event: small letters and '_' only")
    if module not in modules():
        raise FileNotFoundError(f"no module {module!r} in {SCRIPTS}")
    _mounted.add(module)
    listed = "".join(f' // "{event}"' for event in events)
    return f'window.latticelens.mount("{module}", {ARGUMENTS});{listed}'


def page_widget(
    script: str,
    template: str,
    *,
    events: Iterable[str] = (),
    functions: Iterable[Callable[[Any], Any]] = (),
    styles: Iterable[str] = (),
    classes: Iterable[str] = (),
    **options: Any,
) -> gr.HTML:
    """A widget whose module draws it.

    What is shown travels as data and is drawn as text nodes, never through the template.

    Args:
        script: its module, as of `page_script`, with ``events``.
        template: the HTML that the module finds.
        functions: the server functions it calls, by name.
        styles: as of `page_styles`.
        options: of `gr.HTML`; one that it does not know is a prop of the module.

    Raises:
        ValueError, FileNotFoundError: as `page_script` and `page_styles`.
    """
    return gr.HTML(
        html_template=template,
        js_on_load=page_script(script, events=events),
        server_functions=list(functions) or None,
        elem_classes=[*page_styles(*styles), *classes],
        **options,
    )


def page_styles(*names: str) -> list[str]:
    """Put ``assets/NAME.css`` of every name into the page's head; return the widget's classes.

    Rules apply only inside an element with the class; ``&`` in a file is that element.

    Raises:
        FileNotFoundError: there is no such file. ValueError: it would close its element.
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
        name: a later source of the same name replaces the earlier one.

    Raises:
        ValueError: the source would close its element.
    """
    _refuse_end("script", source)
    _opening[name] = source


def style_class(name: str) -> str:
    """The class to which ``assets/NAME.css`` applies."""
    return f"ll-style-{name.replace('_', '-')}"


def page_head(*first: str) -> str:
    """The elements for the head of the page.

    ``assets/app.js`` comes first: it defines ``window.latticelens`` and must run before Gradio draws. It gets
    the modules each widget needs and fetches them at once; otherwise each level of imports would wait for
    the level above.

    Args:
        first: modules to fetch, with their imports, before a widget needs them.
    """
    folder = script_folder()
    needs = {
        "scripts": folder,
        "needed": {module: needed(module) for module in sorted(_mounted)},
        "messages": {language: script_messages(language) for language in LANGUAGES if language != "en"},
    }
    given = json.dumps(needs, ensure_ascii=False).replace("<", "\\u003c")
    opening = "\n".join(_opening.values())
    script = f"{read('app.js')}\nObject.assign(window.latticelens, {given});\n{opening}"
    early = [f'<link rel="modulepreload" href="{folder}/{name}">' for name in needed(*first)]
    rules = "\n".join(
        f":is({STRONG}, .{style_class(name)}) {{\n{source}\n}}" for name, source in _styles.items()
    )
    return f"<script>{script}</script>{''.join(early)}<style>{rules}</style>"


def _refuse_end(element: str, source: str) -> None:
    if re.search(rf"</{element}|<!--", source, re.IGNORECASE):
        raise ValueError(f"this source would end or comment out its <{element}>: {source[:40]!r}")
