"""BertViz's head view, model view and neuron view, drawn with no network inside a sandboxed frame.

BertViz writes a page that fetches d3, jQuery and require.js from a CDN. Here the two libraries come from
``assets/vendor``, a one-line shim stands in for require.js, and the page runs in an
``<iframe sandbox="allow-scripts">``: an opaque origin that reaches neither the app nor its cookies.

BertViz's neuron view runs models of its own, which it brings along; its script needs only tokens, weights,
queries and keys, so it is given those of the trace.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import gradio as gr
import numpy as np

from app.ui.widgets.page_code import page_widget, read
from core.taggers.base.trace import Trace

View = Literal["head", "model", "neuron"]

# A page grows with layers x heads x queries x keys; above this a browser takes seconds to draw it. The neuron
# view draws seven lines or boxes for every pair of pieces, and every unit of every piece.
MOST_NODES = 240
MOST_NEURON_NODES = 80

_LIBRARIES = ("jquery-3.7.1.min.js", "d3-5.7.0.min.js")
_SHIM = (
    "window.requirejs=window.require=function(names,run){run(window.jQuery,window.d3)};"
    "requirejs.config=function(){};"
)
# BertViz draws for white paper. On a dark page its drawing is inverted with its hues kept, over the app's own
# dark paper; a saved page goes by what the browser prefers, and in the app bertviz_frame.js sets the class.
_DARK = "{0}{{background:#12181c}}{0} body{{filter:invert(.9) hue-rotate(180deg)}}"
_STYLE = (
    "html{background:#fff}"
    "body{margin:8px;color:#111;"
    'font-family:system-ui,"Noto Sans CJK SC","PingFang SC","Microsoft YaHei",sans-serif}'
    + _DARK.format("html.dark")
    + "@media (prefers-color-scheme:dark){"
    + _DARK.format("html:not(.light)")
    + "}"
    # The neuron view is drawn at fixed places and would be cut off on a narrow screen.
    ".neurons svg{min-width:1010px}"
)


class TooManyNodesError(ValueError):
    """The sentence is too long for BertViz; the message says how long it may be and what to use instead."""


def bertviz_frame(title: str) -> gr.HTML:
    """A frame that shows the page of its value ``{"page": str, "height": int, "view": str}``, which can be
    saved as it is: it needs nothing from outside. Hidden without one."""
    return page_widget(
        "widgets/bertviz_frame.js",
        (
            f'<iframe sandbox="allow-scripts" hidden title="{title}" '
            'style="width:100%;border:0;border-radius:8px"></iframe>'
            '<div class="ll-figure-bar ll-figure-ready"><button type="button" hidden>HTML</button></div>'
        ),
        value={"page": "", "height": 400},
    )


def most_nodes(view: View) -> int:
    """How many characters, words or pieces a view can hold."""
    return MOST_NEURON_NODES if view == "neuron" else MOST_NODES


def bertviz_page(trace: Trace, view: View, layer: int = 0, head: int = 0) -> str:
    """A whole HTML document with BertViz's drawing of the trace's attention.

    In a lattice the queries are the characters on every layer, because the last one has no others, and keys
    are all nodes; a pretrained encoder attends among word pieces. BertViz calls that cross attention.

    Args:
        trace: needs ``attention``, and ``query_key`` for the neuron view. layer: the one the head view opens
            on, and the only one of the neuron view: the vectors of all would fill many pages. head: the one
            the neuron view opens on.

    Raises:
        ValueError: the trace has no attention, or no vectors behind it.
        TooManyNodesError: more keys than ``most_nodes(view)``.
    """
    if not trace.attention:
        raise ValueError(f"the tagger {trace.tagger!r} has no attention to draw")
    keys = list(trace.keys)
    if len(keys) > most_nodes(view):
        raise TooManyNodesError(
            f"this sentence has {len(keys)} characters, words or pieces; this view draws up to "
            f"{most_nodes(view)}. Choose a shorter sentence, or use the heatmap."
        )
    if view == "neuron":
        return _neurons(trace, layer, head)
    return _offline(*_parts(_bertviz(trace.attention, list(trace.queries), keys, view, layer)))


def _neurons(trace: Trace, layer: int, head: int) -> str:
    """BertViz's neuron view of one layer, with a choice of its heads."""
    if trace.query_key is None:
        raise ValueError(f"the tagger {trace.tagger!r} gives no query and key vectors to draw")
    parts = {
        "attn": trace.attention[layer],
        "queries": trace.query_key.queries[layer],
        "keys": trace.query_key.keys[layer],
    }
    rounded = {name: [np.round(part.astype(np.float64), 4).tolist()] for name, part in parts.items()}
    given = {
        "attention": {"all": {"left_text": trace.queries, "right_text": trace.keys, **rounded}},
        "default_filter": "all",
        "root_div_id": "neurons",
        "bidirectional": True,
        "display_mode": "light",
        "layer": 0,
        "head": head,
    }
    body = (
        '<div id="neurons" class="neurons"><select id="layer" hidden></select>'
        '<label>Head: <select id="att_head"></select></label><div id="vis"></div></div>'
    )
    script = f"window.bertviz_params = {json.dumps(given)};\n{_neuron_script()}"
    return _offline(body, script)


def _bertviz(
    attention: Sequence[np.ndarray], queries: list[str], keys: list[str], view: View, layer: int
) -> str:
    """BertViz's own HTML. Imported here because it brings torch with it."""
    import torch
    from bertviz import head_view, model_view

    # Four decimals in float64 print short; with all 17 digits the page would be four times as long.
    layers = [
        torch.from_numpy(np.round(np.asarray(weights[:, : len(queries)], dtype=np.float64), 4))[None]
        for weights in attention
    ]
    arguments = {"cross_attention": layers, "decoder_tokens": queries, "encoder_tokens": keys}
    if view == "head":
        page = head_view(**arguments, layer=layer, prettify_tokens=False, html_action="return")
    else:
        page = model_view(**arguments, prettify_tokens=False, display_mode="light", html_action="return")
    return str(page.data)


def _parts(drawing: str) -> tuple[str, str]:
    """Body and script of a page that BertViz made."""
    start = drawing.index("<div")  # before it stands only the script tag that fetches require.js
    body_end = drawing.index('<script type="text/javascript">', start)
    script = drawing[body_end:].split(">", 1)[1].rsplit("</script>", 1)[0]
    return drawing[start:body_end], script


def _offline(body: str, script: str) -> str:
    """A document that needs nothing from outside and that no token can break out of."""
    return (
        f'<!doctype html><html><head><meta charset="utf-8"><style>{_STYLE}</style>'
        f"{_libraries()}<script>{_SHIM}</script>"
        f"</head><body>{body}<script>{_closed(script)}</script></body></html>"
    )


def _closed(script: str) -> str:
    r"""``</`` as ``<\/``, ``<!--`` as ``<\!--``: the same to JavaScript, but no end of the script to HTML."""
    return script.replace("</", "<\\/").replace("<!--", "<\\!--")


@lru_cache(maxsize=1)
def _libraries() -> str:
    return "".join(f"<script>{read(f'vendor/{name}')}</script>" for name in _LIBRARIES)


@lru_cache(maxsize=1)
def _neuron_script() -> str:
    """BertViz's own script of the neuron view, read without importing BertViz, which brings torch with it."""
    spec = find_spec("bertviz")
    if spec is None or spec.origin is None:
        raise FileNotFoundError("the package bertviz is missing; install the project's requirements.txt")
    return Path(spec.origin).with_name("neuron_view.js").read_text(encoding="utf-8")
