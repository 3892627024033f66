"""BertViz's head view and model view, drawn with no network inside a sandboxed frame.

BertViz writes a page that fetches d3, jQuery and require.js from a CDN. Here the two libraries come from the
Python packages mpld3 and XStatic-jQuery, a one-line shim stands in for require.js, and the page runs in an
``<iframe sandbox="allow-scripts">``: an opaque origin that reaches neither the app nor its cookies.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import gradio as gr
import numpy as np

from core.taggers.trace import Trace

View = Literal["head", "model"]

# A page grows with layers x heads x queries x keys; above this a browser takes seconds to draw it.
MOST_NODES = 240

_CARRIERS = {
    "d3": ("mpld3", ("js", "d3.v5.min.js")),
    "jquery": ("xstatic.pkg.jquery", ("data", "jquery.min.js")),
}
_SHIM = (
    "window.requirejs=window.require=function(names,run){run(window.jQuery,window.d3)};"
    "requirejs.config=function(){};"
)
_STYLE = (
    "body{margin:8px;background:#fff;color:#111;"
    'font-family:system-ui,"Noto Sans CJK SC","PingFang SC","Microsoft YaHei",sans-serif}'
)
_JS_ON_LOAD = """
const frame = element.querySelector('iframe');
const draw = () => {
  const page = (props.value && props.value.page) || '';
  frame.hidden = !page;
  if (page && frame.srcdoc !== page) frame.srcdoc = page;
  frame.style.height = ((props.value && props.value.height) || 400) + 'px';
};
watch('value', draw);
draw();
"""


class TooManyNodesError(ValueError):
    """The sentence is too long for BertViz; the message says how long it may be and what to use instead."""


def bertviz_frame(title: str) -> gr.HTML:
    """A frame that shows the page of its value ``{"page": str, "height": int}``; hidden without one."""
    return gr.HTML(
        value={"page": "", "height": 400},
        html_template=(
            f'<iframe sandbox="allow-scripts" hidden title="{title}" '
            'style="width:100%;border:0;border-radius:8px;background:#fff"></iframe>'
        ),
        js_on_load=_JS_ON_LOAD,
        container=False,
        padding=False,
    )


def bertviz_page(trace: Trace, view: View, layer: int = 0) -> str:
    """A whole HTML document with BertViz's drawing of the trace's attention.

    In a lattice the queries are the characters on every layer, because the last one has no others, and keys
    are all nodes; a pretrained encoder attends among word pieces. BertViz calls that cross attention.

    Args:
        trace: needs ``attention``. view: ``head`` or ``model``. layer: the layer the head view opens on.

    Raises:
        ValueError: the trace has no attention.
        TooManyNodesError: more than ``MOST_NODES`` keys.
    """
    if not trace.attention:
        raise ValueError(f"the tagger {trace.tagger!r} has no attention to draw")
    keys = list(trace.keys)
    if len(keys) > MOST_NODES:
        raise TooManyNodesError(
            f"this sentence has {len(keys)} characters, words or pieces; BertViz draws up to {MOST_NODES}. "
            "Choose a shorter sentence, or use the heatmap."
        )
    drawing = _bertviz(trace.attention, list(trace.queries), keys, view, layer)
    return _offline(drawing)


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


def _offline(drawing: str) -> str:
    """The drawing as a document that needs nothing from outside and that no token can break out of."""
    start = drawing.index("<div")  # before it stands only the script tag that fetches require.js
    body_end = drawing.index('<script type="text/javascript">', start)
    body = drawing[start:body_end]
    script = drawing[body_end:].split(">", 1)[1].rsplit("</script>", 1)[0]
    return (
        f'<!doctype html><html><head><meta charset="utf-8"><style>{_STYLE}</style>'
        f"<script>{_library('jquery')}</script><script>{_library('d3')}</script><script>{_SHIM}</script>"
        f"</head><body>{body}<script>{_closed(script)}</script></body></html>"
    )


def _closed(script: str) -> str:
    r"""``</`` as ``<\/``, ``<!--`` as ``<\!--``: the same to JavaScript, but no end of the script to HTML."""
    return script.replace("</", "<\\/").replace("<!--", "<\\!--")


@lru_cache(maxsize=2)
def _library(name: Literal["d3", "jquery"]) -> str:
    """The source of a library from the Python package that carries it, without importing that package.

    Importing mpld3 would import matplotlib, which builds a font cache for seconds on its first use.
    """
    package, inside = _CARRIERS[name]
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise FileNotFoundError(f"the package {package!r} is missing; install the project's requirements.txt")
    return Path(spec.origin).parent.joinpath(*inside).read_text(encoding="utf-8")
