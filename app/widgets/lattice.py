"""The lattice viewer: characters and dictionary words of one sentence, placed by head and tail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import gradio as gr

from app.i18n import Language, text
from core.taggers.trace import LatticeTrace, Trace
from core.text import Span

ASSETS = Path(__file__).resolve().parents[2] / "assets"


def lattice_view(label: str) -> gr.HTML:
    """An empty viewer; give it ``lattice_value(...)`` as its value."""
    return gr.HTML(
        value={},
        html_template=(
            '<div class="ll-lattice"><div class="ll-lattice-board"></div>'
            '<div class="ll-lattice-note" role="status"></div></div>'
        ),
        js_on_load=(ASSETS / "lattice.js").read_text(encoding="utf-8"),
        label=label,
        container=False,
        padding=False,
    )


def lattice_value(trace: Trace, colours: Mapping[str, str], language: Language) -> dict[str, Any]:
    """What the viewer draws: tokens, words and spans, each with the sentence its hover shows.

    Args:
        trace: of a lattice tagger. colours: hex colour by label name. language: ``zh`` or ``en``.

    Raises:
        ValueError: the trace has no lattice.
    """
    lattice = trace.lattice
    if lattice is None:
        raise ValueError(f"the tagger {trace.tagger!r} has no lattice to draw")
    words = [
        {
            "surface": lattice.nodes[node],
            "head": int(lattice.head[node]),
            "tail": int(lattice.tail[node]),
            "colour": _colour(touched(lattice, node, trace.spans), colours),
            "explain": _explain(trace, node, language),
        }
        for node in range(lattice.characters, len(lattice.nodes))
    ]
    return {
        "label": text("inspect.lattice", language),
        "hint": text("inspect.lattice_hint", language),
        "tokens": list(lattice.nodes[: lattice.characters]),
        "characters": [_explain(trace, node, language) for node in range(lattice.characters)],
        "words": words,
        "spans": [_span(span, trace.text, colours, language) for span in trace.spans],
    }


def touched(lattice: LatticeTrace, node: int, spans: Sequence[Span]) -> tuple[Span, ...]:
    """The spans that share at least one character with a node."""
    head, tail = int(lattice.head[node]), int(lattice.tail[node])
    return tuple(span for span in spans if span.start <= tail and head < span.end)


def _colour(spans: Sequence[Span], colours: Mapping[str, str]) -> str:
    return colours.get(spans[0].label, "#666666") if spans else ""


def _explain(trace: Trace, node: int, language: Language) -> str:
    """E.g. ``教授 · head 5 · tail 6 · touches TITLE 教授级高工``."""
    lattice = trace.lattice
    assert lattice is not None
    parts = [lattice.nodes[node], f"head {lattice.head[node]}", f"tail {lattice.tail[node]}"]
    spans = touched(lattice, node, trace.spans)
    if spans:
        entities = ", ".join(f"{span.label} {trace.text[span.start : span.end]}" for span in spans)
        parts.append(f"{text('inspect.touches', language)} {entities}")
    else:
        parts.append(text("inspect.touches_nothing", language))
    return " · ".join(parts)


def _span(span: Span, sentence: str, colours: Mapping[str, str], language: Language) -> dict[str, Any]:
    score = "" if span.score is None else f" {span.score:.2f}"
    return {
        "start": span.start,
        "end": span.end,
        "colour": colours.get(span.label, "#666666"),
        "name": f"{span.label}{score}",
        "explain": (
            f"{sentence[span.start : span.end]} · {span.label}{score} · {span.start}–{span.end} · "
            f"{text('inspect.predicted', language)}"
        ),
    }
