"""What was tagged last: how it is drawn, and what of it has become a document of the project."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import gradio as gr

from app.i18n import _, counted
from app.services import in_project
from app.services.errors import AppError
from app.services.session import Session
from app.ui.annotation.correcting import Tagged, may_correct
from app.ui.code_span import code_span
from app.ui.widgets.sentence import sentence_row, sentences_value
from core.store.label import labels
from core.text import Document, LabelSet

COLUMNS = (_("document"), _("text"), _("label"), _("from"), _("to"), _("confidence"))

DRAWN = 50
DRAWN_CHARACTERS = 20_000  # of all of them; of each at least SHORTEST
SHORTEST = 200
LARGEST_TABLE = 500

MEMORY = "tag"  # where a session keeps its result


@dataclass(frozen=True)
class Result:
    """The texts that were tagged last.

    Args:
        numbers: of those that are documents of the project by now, by their place in ``tagged``.
    """

    run: str
    tagged: list[Document]
    numbers: dict[int, int] = field(default_factory=dict)


def kept_result(session: Session) -> Result:
    """The result of this session.

    Raises:
        AppError: there is none.
    """
    kept = session.memory.get(MEMORY)
    if not isinstance(kept, Result):
        raise AppError("Tag something first.")
    return kept


def tagged_row(session: Session, row: int) -> Tagged:
    """A text of the result as its sentence on the page; see `Source`."""
    result = kept_result(session)
    if row >= len(result.tagged):
        raise AppError("Tag something first.")
    return Tagged(result.run, result.tagged[row], result.numbers.get(row))


def adopt(session: Session, row: int, number: int | None) -> None:
    """Note that a text of the result is a document now, or none any more; see `Source`."""
    numbers = kept_result(session).numbers
    if number is None:
        numbers.pop(row, None)
    else:
        numbers[row] = number


def result_updates(session: Session, run: str, tagged: Sequence[Document]) -> dict[str, Any]:
    """The result drawn."""
    spans = sum(len(document.spans) for document in tagged)
    summary = session._(
        "{spans} in {documents}, by {run}.",
        spans=counted.spans(spans),
        documents=counted.documents(len(tagged)),
        run=code_span(in_project.run_title(session, run)),
    )
    if len(tagged) > DRAWN:
        summary += " " + session.ngettext(
            "The first {shown} of {count} document is shown; the file has all.",
            "The first {shown} of {count} documents are shown; the file has all.",
            shown=DRAWN,
            count=len(tagged),
        )
    rows = drawn_rows(session, tagged)
    return {
        "result": gr.update(visible=True),
        "summary": summary,
        "how": session._(
            _("Click a span to correct it or to see why it is predicted; select characters to add one.")
            if may_correct(session, None)
            else _("Click a span to see why the tagger predicts it.")
        ),
        "sentences": sentences_value(rows, known_labels(session, tagged), run=run),
        "table": gr.update(value={"headers": table_headers(session), "data": table_rows(tagged)}),
        "losses": "",
        "download": gr.update(value=None, visible=False),
    }


def drawn_rows(session: Session, tagged: Sequence[Document]) -> list[dict[str, Any]]:
    """The first documents and the beginning of long ones, to keep the browser responsive."""
    rows, room = [], DRAWN_CHARACTERS
    may = may_correct(session, None)
    for document in tagged[:DRAWN]:
        shown = min(len(document.text), max(room, SHORTEST))
        spans = [span for span in document.spans if span.end <= shown]
        note = (
            session.ngettext(
                "The first {shown} of {count} character is shown; the file has all.",
                "The first {shown} of {count} characters are shown; the file has all.",
                count=len(document.text),
                shown=shown,
            )
            if shown < len(document.text)
            else ""
        )
        whole = shown == len(document.text)
        row = sentence_row(document.text[:shown], spans, id=document.id, note=note, correct=may and whole)
        rows.append(row)
        room -= shown
    return rows


def known_labels(session: Session, tagged: Sequence[Document]) -> LabelSet:
    """The project's labels, and further ones of the tagger."""
    label_set = labels.get(session.workspace, session.project_id)
    return label_set.extended(span.label for document in tagged for span in document.spans)


def table_headers(session: Session) -> list[str]:
    """Headers of the table of spans."""
    return [session._(name) for name in COLUMNS]


def table_rows(tagged: Sequence[Document]) -> list[list[str]]:
    """The first spans as rows."""
    rows = [
        [document.id, document.surface(span), span.label, str(span.start), str(span.end), _score(span.score)]
        for document in tagged
        for span in document.spans
    ]
    return rows[:LARGEST_TABLE]


def _score(score: float | None) -> str:
    return "" if score is None else f"{score:.3f}"
