"""Rows of sentences with gold and predicted spans, and links to open each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import gradio as gr

from app.i18n import Language, _, text
from app.ui.widgets.page_code import page_widget
from core.text import Document, LabelSet, Span

WORDS = {"open": _("Open in Annotate"), "inside": _("Inspect sentence"), "nothing": _("nothing")}

CONTEXT = 30  # characters of the sentence shown on either side
CUT = "…"
SOURCES = ("person", "tagger", "place")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a row.

    Args:
        document: the document's id. at: offset of interest in it.
        text: an excerpt. marks: in its own offsets.
        name: of the document. note: a line above it.
    """

    document: int
    at: int
    text: str
    marks: tuple[dict[str, Any], ...]
    name: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One row: kind, subject, and one or more sentences.

    Args:
        parts: of a line as (label, surface); an arrow stands between two. A label may be empty.
    """

    kind: str
    parts: tuple[tuple[str, str], ...]
    sentences: tuple[Sentence, ...]


def error_rows(elem_id: str) -> gr.HTML:
    """An empty list; give it ``rows_value(...)``.

    Its events ``choose`` and ``inside`` carry the ``document`` whose button was pressed, and ``at``, a
    position in it; both are untrusted. Corpus text travels as data and is drawn as text nodes.
    """
    return page_widget(
        "widgets/error_rows.js",
        '<div class="lla-root"><div class="ll-errors"></div></div>',
        events=("choose", "inside"),
        styles=("annotator", "error_rows"),
        value={},
        elem_id=elem_id,
    )


def rows_value(
    rows: Sequence[Row], title: str, labels: LabelSet, language: Language, *, empty: str = "", call: int = 0
) -> dict[str, Any]:
    """The value of the list. Args:
    title: above the rows. empty: text without rows.
    call: another number than the last time brings the list into view.
    """
    return {
        "title": title,
        "empty": empty,
        "call": call,
        "rows": [
            {
                "kind": row.kind,
                "said": [{"label": label, "surface": surface} for label, surface in row.parts],
                "sentences": [
                    {
                        "document": sentence.document,
                        "at": sentence.at,
                        "text": sentence.text,
                        "marks": list(sentence.marks),
                        "name": sentence.name,
                        "note": sentence.note,
                    }
                    for sentence in row.sentences
                ],
            }
            for row in rows
        ],
        "colours": {label.name: label.colour for label in labels},
        "words": {key: text(message, language) for key, message in WORDS.items()},
    }


def excerpt(
    number: int,
    document: Document,
    extent: tuple[int, int],
    marks: Iterable[tuple[str, Span]],
    *,
    note: str = "",
    named: str = "",
) -> Sentence:
    """The part of a document around an extent.

    Args:
        number: the store's. extent: start and end of what must be seen whole.
        marks: (source, span) of `SOURCES`; one that reaches beyond the excerpt is cut with it.
        named: in place of the label on marks of the source ``place``, which have none.
    """
    start = max(0, extent[0] - CONTEXT)
    end = min(len(document.text), extent[1] + CONTEXT)
    lead = CUT if start else ""
    shift = start - len(lead)
    drawn = tuple(
        {
            "start": max(span.start, start) - shift,
            "end": min(span.end, end) - shift,
            "label": named if source == "place" else span.label,
            "score": span.score if source == "tagger" else None,
            "source": source,
        }
        for source, span in marks
        if span.start < end and start < span.end
    )
    tail = CUT if end < len(document.text) else ""
    return Sentence(number, extent[0], f"{lead}{document.text[start:end]}{tail}", drawn, document.id, note)
