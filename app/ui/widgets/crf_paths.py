"""The best paths of a CRF as a table: margin, probability, and the entities that each gains or loses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import gradio as gr

from app.i18n import Language, _, text
from app.ui.figures.axes import signed
from app.ui.widgets.page_code import page_widget
from core.text import Span

if TYPE_CHECKING:
    from core.inspection.sentence.crf_paths import TagPath
    from core.taggers.base.trace import Trace

WORDS = {
    "gap": _("gap"),
    "chosen": _("chosen"),
    "nothing": _("no entity"),
    "gained": _("new"),
    "lost": _("lost"),
    "probability": _("probability"),
}

MOST_CHANGES = 4  # tags named where two paths spell the same entities


def crf_paths(elem_id: str) -> gr.HTML:
    """An empty table; give it ``paths_value(...)``. Text travels as data and is drawn as text nodes."""
    return page_widget(
        "widgets/crf_paths.js",
        '<div class="ll-paths"></div>',
        styles=("crf_paths",),
        value={},
        elem_id=elem_id,
    )


def paths_value(
    paths: Sequence[TagPath],
    trace: Trace,
    colours: Mapping[str, str],
    language: Language,
    focus: Span | None = None,
) -> dict[str, Any]:
    """What the table draws.

    Args:
        paths: best first. trace: with the CRF whose paths they are. colours: hex colour by label name.
        focus: the entity in question; marked wherever it stands.
    """
    words = {key: text(message, language) for key, message in WORDS.items()}
    rows = []
    for path in paths:
        best = paths[0]
        note = ""
        if path is not best and not path.lost and not path.gained:
            note = text(
                _("same entities, other tags: {tags}"), language, tags=_tag_changes(best, path, trace)
            )
        rows.append(
            {
                "gap": None if path is best else signed(path.score - best.score, 2),
                "probability": path.probability,
                "kept": [_chip(span, trace.text, colours, focus) for span in path.spans if path is best],
                "lost": [_chip(span, trace.text, colours, focus) for span in path.lost],
                "gained": [_chip(span, trace.text, colours, focus) for span in path.gained],
                "note": note,
            }
        )
    return {"rows": rows, "words": words, "label": text(_("Best paths"), language)}


def _chip(span: Span, sentence: str, colours: Mapping[str, str], focus: Span | None) -> dict[str, Any]:
    return {
        "label": span.label,
        "surface": sentence[span.start : span.end],
        "colour": colours.get(span.label, ""),
        "focus": focus is not None and span.key == focus.key,
    }


def _tag_changes(best: TagPath, other: TagPath, trace: Trace) -> str:
    assert trace.crf is not None
    places, tags = other.differing, trace.crf.tags
    changes = [
        f"{trace.tokens[place]} {tags[best.tags[place]]} → {tags[other.tags[place]]}"
        for place in places[:MOST_CHANGES]
    ]
    return ", ".join(changes) + ("…" if len(places) > MOST_CHANGES else "")
