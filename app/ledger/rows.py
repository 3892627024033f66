"""Rows of the ledger: a sentence with the span before and after, and the state under each run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import gradio as gr

from app.i18n import Language, _, text
from app.i18n.terms import KIND_NAMES, STATE_NAMES
from app.ui.widgets.page_code import page_widget
from core.store.run.ledger import Row
from core.text import LabelSet, Span

WORDS = {
    **{f"kind.{kind}": name for kind, name in KIND_NAMES.items()},
    **{f"state.{state}": name for state, name in STATE_NAMES.items()},
    "column.correction": _("Correction"),
    "column.erred": _("Run with the error"),
    "column.active": _("active"),
    "nothing_there": _("nothing"),
    "open": _("Open in Annotate"),
}

CONTEXT = 40  # characters of the sentence shown on either side of a correction
CUT = "…"


def ledger_rows(elem_id: str) -> gr.HTML:
    """An empty table; give it ``rows_value(...)``. Its ``choose`` event carries the clicked ``document``.

    Corpus text travels as data and is drawn as text nodes, never through a template.
    """
    return page_widget(
        "widgets/ledger_rows.js",
        '<div class="lla-root"><div class="ll-ledger"></div></div>',
        events=("choose",),
        styles=("annotator", "ledger"),
        value={},
        elem_id=elem_id,
    )


def rows_value(
    rows: Sequence[Row],
    runs: Sequence[str],
    labels: LabelSet,
    language: Language,
    *,
    judged: str | None,
    active: str | None,
    titles: Mapping[str, str],
) -> dict[str, Any]:
    """What the table draws.

    Args:
        runs: the columns, oldest first. judged: the run to decide on. active: the active run.
        titles: what the runs are called, by name.
    """
    return {
        "runs": [
            {"name": run, "title": titles.get(run, run), "judged": run == judged, "active": run == active}
            for run in runs
        ],
        "rows": [row_object(row, runs, titles) for row in rows],
        "colours": {label.name: label.colour for label in labels},
        "words": words(language),
        "language": language,
    }


def row_object(row: Row, runs: Sequence[str], titles: Mapping[str, str]) -> dict[str, Any]:
    """One correction: an excerpt of its sentence with the two spans in the excerpt's own offsets."""
    correction, claim, whole = row.correction, row.correction.claim, row.document.text
    spans = [span for span in (claim.before, claim.after) if span is not None]
    start = max(0, min(span.start for span in spans) - CONTEXT)
    end = min(len(whole), max(span.end for span in spans) + CONTEXT)
    lead = CUT if start else ""
    shift = start - len(lead)
    marks = [_mark(claim.after, "person", shift)] if claim.after else []
    if claim.before and claim.before != claim.after:
        marks.append(_mark(claim.before, "tagger", shift))
    return {
        "document": correction.document_id,
        "name": row.document.id,
        "kind": claim.kind,
        "text": lead + whole[start:end] + (CUT if end < len(whole) else ""),
        "marks": marks,
        "before": _said(whole, claim.before),
        "after": _said(whole, claim.after),
        "run": titles.get(correction.run, correction.run),
        "user": correction.user,
        "at": correction.at,
        "states": [correction.states[run] for run in runs],
    }


def words(language: Language) -> dict[str, str]:
    """The strings the table needs, by short key."""
    return {key: text(message, language) for key, message in WORDS.items()}


def _mark(span: Span, source: str, shift: int) -> dict[str, Any]:
    return {"start": span.start - shift, "end": span.end - shift, "label": span.label, "source": source}


def _said(whole: str, span: Span | None) -> dict[str, str] | None:
    return None if span is None else {"label": span.label, "surface": whole[span.start : span.end]}
