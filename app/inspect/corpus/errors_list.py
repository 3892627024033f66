"""The list of the Errors tab: the spans behind a click on a figure, as rows of sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import gradio as gr

from app.i18n import _
from app.i18n.terms import OUTCOMES
from app.inspect.figures.errors import BOUNDARY_NAMES
from app.inspect.widgets.error_rows import Row, Sentence, excerpt
from app.services.session import Session
from core.inspection.corpus.contradictions import Contradiction, Reading
from core.inspection.corpus.error_analysis import SLICES, ErrorAnalysis
from core.inspection.corpus.errors import BOUNDARIES, Case
from core.inspection.corpus.slices import FREQUENCIES, LENGTHS, LEXICON, NOVELTIES
from core.store.run.predicted import PredictedDocument, predicted_documents
from core.text import Span

SLICE_NAMES = {
    "length": _("By length"),
    "frequency": _("By frequency in training"),
    "novelty": _("Seen or unseen"),
    "lexicon": _("In the dictionary or not"),
}

BIN_NAMES = {
    "unseen": _("unseen"),
    "other_label": _("other label only"),
    "seen": _("same label"),
    "hit": _("in the dictionary"),
    "miss": _("not in the dictionary"),
}

Analysis = ErrorAnalysis


@dataclass(frozen=True)
class Picked:
    """The contents of the list. Args:
    title: above it. run: whose predictions they are of. ids: of the documents, by index.
    items: all that can be listed. order: indices of those that are.
    """

    title: str
    run: str
    ids: Sequence[int]
    items: Sequence[Case] | Sequence[Contradiction]
    order: Sequence[int]


Finder = Callable[[Session, Analysis, gr.EventData], Picked | None]


def bin_names(session: Session, name: str) -> list[str]:
    """Names of the bins of a slice."""
    if name in ("length", "frequency"):
        return [_range(*ends) for ends in (LENGTHS if name == "length" else FREQUENCIES)]
    return [session._(BIN_NAMES[key]) for key in (NOVELTIES if name == "novelty" else LEXICON)]


def all_mistakes(session: Session, analysis: Analysis) -> Picked:
    """The initial contents of the list."""
    return _picked(session, analysis, session._("All mistakes"), analysis.judged.mistakes)


def cell(session: Session, analysis: Analysis, event: gr.EventData) -> Picked | None:
    """The spans of one cell of the confusion of labels."""
    count = len(analysis.labels) + 1
    column, row = index(event, "x", count), index(event, "y", count)
    if row is None or column is None:
        return None
    rows = (*analysis.labels, session._("nothing (spurious)"))
    columns = (*analysis.labels, session._("nothing (missed)"))
    return _picked(session, analysis, f"{rows[row]} → {columns[column]}", analysis.cell(row, column))


def boundary(session: Session, analysis: Analysis, event: gr.EventData) -> Picked | None:
    """The spans of one part of a bar of boundary errors."""
    place, part = index(event, "y", len(BOUNDARIES)), index(event, "trace", 2)
    if place is None or part is None:
        return None
    what = session._(BOUNDARY_NAMES[BOUNDARIES[place]])
    return _picked(session, analysis, what, analysis.boundaries[place][part])


def confidence(session: Session, analysis: Analysis, event: gr.EventData) -> Picked | None:
    """The spans of one bin of confidence."""
    curve = analysis.calibration
    place = index(event, "customdata", len(curve.counts))
    if place is None:
        return None
    low, high = (f"{edge:.1f}" for edge in curve.edges[place : place + 2])
    what = session._("Confidence {low} to {high}", low=low, high=high)
    cases = [
        at
        for at, bin_number in zip(analysis.scored.tolist(), curve.bins.tolist(), strict=True)
        if bin_number == place
    ]
    return _picked(session, analysis, what, cases)


def slice_of(name: str) -> Finder:
    """The spans of one bin: gold for recall, predicted for precision, both for F1."""

    def pick(session: Session, analysis: Analysis, event: gr.EventData) -> Picked | None:
        place, part = index(event, "x", SLICES[name]), index(event, "trace", 3)
        if place is None or part is None:
            return None
        gold, predicted = analysis.slices[name].cases(place)
        sides = (gold, predicted, {*gold, *predicted})
        ratio = (_("recall"), _("precision"))[part : part + 1]
        what = session._(
            "{slice}, {bin}",
            slice=session._(SLICE_NAMES[name]),
            bin=" · ".join([bin_names(session, name)[place], *map(session._, ratio)]),
        )
        return _picked(session, analysis, what, sides[part])

    return pick


# By the name of the figure.
FINDERS: dict[str, Finder] = {
    "confusion": cell,
    "boundaries": boundary,
    **{name: slice_of(name) for name in SLICES},
    "calibration": confidence,
}


def contradictory(session: Session, analysis: Analysis, window: int) -> Picked:
    """The contradictions of the data."""
    items = analysis.contradictions(window)
    what = session._("Contradictions in the data")
    title = session._("{what}: {count}", what=what, count=len(items))
    return Picked(title, analysis.run, analysis.ids, items, range(len(items)))


def sure_against(session: Session, analysis: Analysis, threshold: float) -> Picked:
    """Training labels that the run contradicts with high confidence."""
    training, found = analysis.training, analysis.confident_against(threshold)
    what = session._("Training labels a run confidently contradicts")
    title = session._("{what}: {count}", what=what, count=len(found))
    return Picked(title, analysis.run, training.ids, training.cases, found)


def index(event: gr.EventData, name: str, count: int) -> int | None:
    """A field of an event if it is an integer in ``range(count)``, else None; events are untrusted."""
    value = getattr(event, name, None)
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < count:
        return value
    return None


def _picked(session: Session, analysis: Analysis, what: str, places: Iterable[int]) -> Picked:
    """Mistakes first, each part in the order of the documents."""
    judged, correct = analysis.judged, analysis.judged.correct
    ordered = sorted(places, key=lambda at: (correct[at], at))
    wrong = sum(not correct[at] for at in ordered)
    key = _("{what}: {count}") if wrong == len(ordered) else _("{what}: {count}, {wrong} of them mistakes")
    title = session._(key, what=what, count=len(ordered), wrong=wrong)
    return Picked(title, analysis.run, judged.ids, judged.cases, ordered)


def _range(first: int, last: int | None) -> str:
    if last is None:
        return f"{first}+"
    return str(first) if first == last else f"{first}–{last}"


def rows_of(session: Session, picked: Picked, offset: int, limit: int) -> list[Row]:
    """``limit`` rows from ``offset``, without those of documents that have gone meanwhile."""
    items = [picked.items[at] for at in picked.order[offset : offset + limit]]
    ids = {picked.ids[at] for item in items for at in _indices(item)}
    documents = predicted_documents(session.workspace, session.project_id, picked.run).of(ids)
    rows = []
    for item in items:
        found = {at: documents.get(picked.ids[at]) for at in _indices(item)}
        there = {at: document for at, document in found.items() if document is not None}
        if len(there) == len(found):
            rows.append(
                _case_row(session, item, there[item.document])
                if isinstance(item, Case)
                else _contradiction_row(session, item, there)
            )
    return rows


def _indices(item: Case | Contradiction) -> list[int]:
    """The documents that its row shows."""
    if isinstance(item, Case):
        return [item.document]
    return [reading.places[0].document for reading in item.readings]


def _case_row(session: Session, case: Case, predicted: PredictedDocument) -> Row:
    document, spans = predicted.document, predicted.predicted or ()
    case_spans = [span for span in (case.gold, case.predicted) if span is not None]
    near = [("person", span) for span in document.spans if any(map(span.overlaps, case_spans))]
    near += [("tagger", span) for span in spans if any(map(span.overlaps, case_spans))]
    extent = (min(span.start for span in case_spans), max(span.end for span in case_spans))
    sentence = excerpt(predicted.document_id, document, extent, near)
    sides = (_said(predicted, case.gold), _said(predicted, case.predicted))
    return Row(session._(OUTCOMES[case.kind]), sides, (sentence,))


def _said(document: PredictedDocument, span: Span | None) -> tuple[str, str]:
    return ("", "") if span is None else (span.label, document.document.surface(span))


def _contradiction_row(
    session: Session, item: Contradiction, documents: Mapping[int, PredictedDocument]
) -> Row:
    sentences = tuple(_reading(session, item, reading, documents) for reading in item.readings)
    return Row(
        session.ngettext("{count} place", "{count} places", count=item.places),
        (("", item.surface),),
        sentences,
    )


def _reading(
    session: Session, item: Contradiction, reading: Reading, documents: Mapping[int, PredictedDocument]
) -> Sentence:
    """The first occurrence of a reading, with all overlapping gold spans."""
    place = reading.places[0]
    document = documents[place.document]
    not_labelled = session._("not labelled")
    here = Span(place.start, place.end, "place")
    marks = [("person", span) for span in document.document.spans if span.overlaps(here)]
    if not reading.labels:
        marks.append(("place", here))
    note = session._(
        "{labels}, {count} of {total}",
        labels=" + ".join(reading.labels) or not_labelled,
        count=len(reading.places),
        total=item.places,
    )
    extent = (place.start, place.end)
    return excerpt(document.document_id, document.document, extent, marks, note=note, named=not_labelled)
