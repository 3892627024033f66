"""The evidence for a span: a ranked list, then the sentence coloured by it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import gradio as gr

from app.ui.widgets.page_code import page_widget
from core.text import Span


@dataclass(frozen=True, slots=True)
class Reason:
    """One row of the list.

    Args:
        what: the part of the input. outcome: of the span without it, if computed.
        change: a signed number, formatted. worth: positive supports the span; length of the bar.
        broken: whether the span is no longer predicted.
    """

    what: str
    outcome: str
    change: str
    worth: float
    broken: bool = False


@dataclass(frozen=True, slots=True)
class Tinted:
    """A piece of text with its contribution."""

    text: str
    worth: float


def reasons_view(elem_id: str) -> gr.HTML:
    """An empty answer; give it ``reasons_value(...)``. Texts travel as data, never through a template."""
    return page_widget(
        "widgets/reasons.js",
        '<div class="lla-root"><div class="ll-reasons" role="status"></div></div>',
        events=("waiting",),
        styles=("annotator", "reasons"),
        value={},
        elem_id=elem_id,
    )


def reasons_value(
    question: str,
    rows: Sequence[Reason] = (),
    *,
    note: str = "",
    sentence: str = "",
    span: Span | None = None,
    worth: Sequence[float] = (),
    words: Sequence[Tinted] = (),
    words_name: str = "",
    pending: bool = False,
) -> dict[str, Any]:
    """What the widget draws, from top to bottom.

    Args:
        question: the span in question. rows: largest contribution first. note: a line under them.
        sentence: coloured by ``worth``, one number for each character; not drawn without those.
        words: drawn under it behind ``words_name``.
        pending: the result is not there yet; once this is drawn, the event ``waiting`` requests it.
    """
    return {
        "question": question,
        "rows": [asdict(row) for row in rows],
        "note": note,
        "sentence": sentence if worth else "",
        "start": span.start if span else 0,
        "end": span.end if span else 0,
        "worth": [round(float(value), 4) for value in worth],
        "words": [asdict(word) for word in words],
        "words_name": words_name,
        "pending": pending,
    }
