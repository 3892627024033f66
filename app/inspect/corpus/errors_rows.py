"""What was picked on the Errors tab, as rows of sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.i18n.terms import OUTCOMES
from app.inspect.widgets.error_rows import Row, Sentence, excerpt
from app.services.session import Session
from core.inspection.corpus.contradictions import Contradiction, Reading
from core.inspection.corpus.errors import Case
from core.store.run.answered import Answered
from core.text import Span


@dataclass(frozen=True)
class Picked:
    """What the list shows.

    Args:
        title: above it. documents: what the items speak of by place. items: in the order of the list.
    """

    title: str
    documents: Sequence[Answered]
    items: Sequence[Case | Contradiction]


def rows_of(session: Session, picked: Picked, offset: int, limit: int) -> list[Row]:
    """``limit`` rows from ``offset``."""
    return [
        _case_row(session, item, picked.documents[item.document])
        if isinstance(item, Case)
        else _contradiction_row(session, item, picked.documents)
        for item in picked.items[offset : offset + limit]
    ]


def _case_row(session: Session, case: Case, answered: Answered) -> Row:
    document, said = answered.document, answered.predicted or ()
    own = [span for span in (case.gold, case.predicted) if span is not None]
    near = [("person", span) for span in document.spans if any(map(span.overlaps, own))]
    near += [("tagger", span) for span in said if any(map(span.overlaps, own))]
    extent = (min(span.start for span in own), max(span.end for span in own))
    sentence = excerpt(answered.document_id, document, extent, near)
    sides = (_said(answered, case.gold), _said(answered, case.predicted))
    return Row(session._(OUTCOMES[case.kind]), sides, (sentence,))


def _said(answered: Answered, span: Span | None) -> tuple[str, str]:
    return ("", "") if span is None else (span.label, answered.document.surface(span))


def _contradiction_row(session: Session, item: Contradiction, documents: Sequence[Answered]) -> Row:
    sentences = tuple(_reading(session, item, reading, documents) for reading in item.readings)
    return Row(
        session.ngettext("{count} place", "{count} places", count=item.places),
        (("", item.surface),),
        sentences,
    )


def _reading(
    session: Session, item: Contradiction, reading: Reading, documents: Sequence[Answered]
) -> Sentence:
    """The first place of a reading, with all of people's marks that touch it."""
    place = reading.places[0]
    answered = documents[place.document]
    not_labelled = session._("not labelled")
    here = Span(place.start, place.end, "place")
    marks = [("person", span) for span in answered.document.spans if span.overlaps(here)]
    if not reading.labels:
        marks.append(("place", here))
    note = session._(
        "{labels}, {count} of {total}",
        labels=" + ".join(reading.labels) or not_labelled,
        count=len(reading.places),
        total=item.places,
    )
    extent = (place.start, place.end)
    return excerpt(answered.document_id, answered.document, extent, marks, note=note, named=not_labelled)
