"""Sentences with their spans, read-only: a `gr.HTML` with a static template, drawn by assets/scripts.

Corpus text never enters a template (Gradio would evaluate ``${…}`` in it); it travels as data and is drawn as
text nodes. The factory functions build plain `gr.HTML` components: a subclass writes a stub file at import.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import gradio as gr

from app.ui.widgets.page_code import page_widget
from core.text import LabelSet, Span

TEMPLATE = '<div class="lla-root"></div>'
STYLES = ("annotator", "annotator_tools", "annotator_similar")
WHY_STYLES = ("reasons", "crf_paths", "why")  # of the drawer that explains a span


def sentence_view(
    value: Mapping[str, Any] | None = None,
    *,
    elem_id: str | None = None,
    explain: Callable[[Any], Any] | None = None,
    correct: Sequence[Callable[[Any], Any]] = (),
) -> gr.HTML:
    """Sentences with their marks, drawn as the annotator draws them.

    Give it ``sentence_value(...)`` or ``sentences_value(...)``. Its ``select`` event (``gr.SelectData``) says
    what was clicked: ``evt.index`` is ``[row, start, end]`` in code points, ``evt.value`` has ``kind``
    (``"span"`` or ``"character"``), ``row``, ``id``, ``start``, ``end``, ``label``.

    Args:
        explain: the server function `app.ui.why.drawer.explain_span`; then a click on a span opens the drawer
            that explains it, by the ``run`` of the value.
        correct: the server functions of `app.ui.annotation.correcting`; then a click on a span of a row that
            says so opens the menu that corrects it, with "why?" where there is a drawer, and its ``adopted``
            event tells that a row has become a document, or is none any more.
    """
    functions = [*([] if explain is None else [explain]), *correct]
    events = ("select", "adopted") if correct else ("select",)
    return page_widget(
        "widgets/sentences.js",
        TEMPLATE,
        events=events,
        functions=functions,
        styles=(*STYLES, *(() if explain is None else WHY_STYLES)),
        value=dict(value) if value is not None else {"sentences": [], "labels": []},
        elem_id=elem_id,
    )


def sentence_value(
    text: str,
    spans: Iterable[Span],
    labels: LabelSet,
    *,
    source: str = "tagger",
    id: str = "",
    note: str = "",
) -> dict[str, Any]:
    """What `sentence_view` draws for one sentence; see `sentences_value`."""
    return sentences_value([sentence_row(text, spans, source=source, id=id, note=note)], labels)


def sentence_row(
    text: str,
    spans: Iterable[Span],
    *,
    source: str = "tagger",
    id: str = "",
    note: str = "",
    correct: bool = False,
) -> dict[str, Any]:
    """One row of `sentences_value`.

    Args:
        source: how the marks are drawn: ``person`` solid, ``tagger`` dashed, ``dictionary`` dotted.
        id: comes back with a click. note: a line above the sentence.
        correct: whether the person may correct it, in a view that can.
    """
    drawn = [span_object(span, source) for span in spans]
    return {"id": id, "text": text, "note": note, "spans": drawn, "correct": correct}


def sentences_value(
    rows: Sequence[dict[str, Any]], labels: LabelSet, *, empty: str = "", run: str = ""
) -> dict[str, Any]:
    """What `sentence_view` draws: rows made by `sentence_row`, or ``empty`` where there are none.

    Args:
        run: whose spans they are, for a view that explains them.
    """
    colours = [{"name": label.name, "colour": label.colour} for label in labels]
    return {"sentences": list(rows), "labels": colours, "empty": empty, "run": run}


def span_object(span: Span, source: str | None = None) -> dict[str, Any]:
    """A span as the widgets take it; ``score`` is None where nobody computed one."""
    plain: dict[str, Any] = {"start": span.start, "end": span.end, "label": span.label}
    if span.link is not None:
        plain["link"] = span.link.to_json()
    return plain if source is None else plain | {"score": span.score, "source": source}
