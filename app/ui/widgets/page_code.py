"""Scripts and style sheets of widgets, once in the head of the page however many widgets use them.

Gradio sends a `gr.HTML` its own copy of both: thirty figures brought thirty copies of one script, and the
style sheet of a table was compiled again with every value it was given. Here a widget registers its code by
name and carries one line that runs it. `page_head` gives all that was registered, so it is called after the
widgets are built; a page of widgets is launched with it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path

from app.i18n.catalogue import LANGUAGES, script_messages

ASSETS = Path(__file__).resolve().parents[3] / "assets"
ARGUMENTS = "element, trigger, props, server, upload, watch"
# No element has this id. It makes our rules as strong as rules with an id, which gradio's prose styles need.
STRONG = "#ll-none"

_scripts: dict[str, str] = {}
_styles: dict[str, str] = {}
_opening: dict[str, str] = {}


def read(*names: str) -> str:
    """The text of files of `assets`, one after the other."""
    return "\n".join((ASSETS / name).read_text(encoding="utf-8") for name in names)


def page_script(name: str, source: str, *, events: Iterable[str] = ()) -> str:
    """Put ``source`` into the page's head; what comes back is the ``js_on_load`` that runs it.

    Args:
        name: of the widget; a name that was given before takes the newer source.
        source: the body of a function of `ARGUMENTS`, a scope of its own in every widget.
        events: what it may trigger; gradio offers a listener for each name it finds quoted.

    Raises:
        ValueError: the name is no identifier, an event no plain word, or the source would end its element.
    """
    for word in (name, *events):
        if not re.fullmatch(r"[a-z][a-z_]*", word):
            raise ValueError(f"{word!r} cannot name a widget or an event: small letters and '_' only")
    _refuse_end("script", source)
    _scripts[name] = source
    told = "".join(f' // "{event}"' for event in events)
    return f"window.latticelens.widgets.{name}({ARGUMENTS});{told}"


def page_styles(*names: str) -> list[str]:
    """Put ``assets/NAME.css`` of every name into the page's head; what comes back are the widget's classes.

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
    """Run ``source`` when the page opens, before gradio draws it and after the first script of the page.

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
    """The elements for the head of the page; the first script of the page has made ``window.latticelens``."""
    functions = "\n".join(
        f"lens.widgets.{name} = ({ARGUMENTS}) => {{\n{source}\n}};" for name, source in _scripts.items()
    )
    opening = "\n".join(_opening.values())
    others = {language: script_messages(language) for language in LANGUAGES[1:]}
    messages = json.dumps(others, ensure_ascii=False)
    _refuse_end("script", messages)
    script = (
        "{ const lens = window.latticelens ??= {}; lens.widgets = {};"
        f"\nlens.messages = {messages};\n{functions}\n{opening}\n}}"
    )
    rules = "\n".join(
        f":is({STRONG}, .{style_class(name)}) {{\n{source}\n}}" for name, source in _styles.items()
    )
    return f"<script>{script}</script><style>{rules}</style>"


def _refuse_end(element: str, source: str) -> None:
    if re.search(rf"</{element}|<!--", source, re.IGNORECASE):
        raise ValueError(f"this source would end or comment out its <{element}>: {source[:40]!r}")
