"""From a click on a figure of the Errors tab to the spans behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import gradio as gr

from app.i18n import _
from app.inspect.corpus.error_analysis import SLICES, ErrorAnalysis
from app.inspect.corpus.errors_rows import Picked
from app.services.session import Session
from core.inspection.corpus.errors import BOUNDARIES
from core.inspection.corpus.slices import FREQUENCIES, LENGTHS, LEXICON, NOVELTIES

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
    "hit": _("is a word of it"),
    "miss": _("is not"),
}


Finder = Callable[[Session, ErrorAnalysis, gr.EventData], Picked | None]


def bin_names(session: Session, name: str) -> list[str]:
    """What the bins of a slice are called."""
    if name in ("length", "frequency"):
        return [_range(*ends) for ends in (LENGTHS if name == "length" else FREQUENCIES)]
    return [session._(BIN_NAMES[key]) for key in (NOVELTIES if name == "novelty" else LEXICON)]


def all_mistakes(session: Session, analysis: ErrorAnalysis) -> Picked:
    """What the list shows before anything is clicked."""
    return _picked(session, analysis, session._("All mistakes"), analysis.judged.mistakes)


def cell(session: Session, analysis: ErrorAnalysis, event: gr.EventData) -> Picked | None:
    """The spans of one cell of the confusion of labels."""
    count = len(analysis.labels) + 1
    column, row = index(event, "x", count), index(event, "y", count)
    if row is None or column is None:
        return None
    rows = (*analysis.labels, session._("nothing (spurious)"))
    columns = (*analysis.labels, session._("nothing (missed)"))
    return _picked(session, analysis, f"{rows[row]} → {columns[column]}", analysis.cell(row, column))


def boundary(session: Session, analysis: ErrorAnalysis, event: gr.EventData) -> Picked | None:
    """The spans of one part of a bar of boundary errors."""
    place, part = index(event, "y", len(BOUNDARIES)), index(event, "trace", 2)
    if place is None or part is None:
        return None
    what = session._("inspect_errors.boundary.{}-{}".format(*BOUNDARIES[place]))
    return _picked(session, analysis, what, analysis.boundaries[place][part])


def confidence(session: Session, analysis: ErrorAnalysis, event: gr.EventData) -> Picked | None:
    """The spans of one bin of confidence."""
    curve = analysis.calibration
    place = index(event, "customdata", len(curve.counts))
    if place is None:
        return None
    low, high = (f"{edge:.1f}" for edge in curve.edges[place : place + 2])
    what = session._("Confidence {low} to {high}", low=low, high=high)
    found = [at for at, own in zip(analysis.scored, curve.bins.tolist(), strict=True) if own == place]
    return _picked(session, analysis, what, found)


def slice_of(name: str) -> Finder:
    """Finds the spans of one bin: people's behind its recall, the run's behind its precision, both for F1."""

    def found(session: Session, analysis: ErrorAnalysis, event: gr.EventData) -> Picked | None:
        place, part = index(event, "x", SLICES[name]), index(event, "trace", 3)
        if place is None or part is None:
            return None
        own = analysis.slices[name]
        sides = (own.gold[place], own.predicted[place], {*own.gold[place], *own.predicted[place]})
        ratio = (_("recall"), _("precision"))[part : part + 1]
        what = session._(
            "{slice}, {bin}",
            slice=session._(SLICE_NAMES[name]),
            bin=" · ".join([bin_names(session, name)[place], *map(session._, ratio)]),
        )
        return _picked(session, analysis, what, sides[part])

    return found


# By the name of the figure.
FINDERS: dict[str, Finder] = {
    "confusion": cell,
    "boundaries": boundary,
    **{name: slice_of(name) for name in SLICES},
    "calibration": confidence,
}


def contradictory(session: Session, analysis: ErrorAnalysis, window: int) -> Picked:
    """The contradictions of the data."""
    items = analysis.contradictions(window)
    what = session._("Contradictions in the data")
    title = session._("{what}: {count}", what=what, count=len(items))
    return Picked(title, analysis.labelled, items)


def sure_against(session: Session, analysis: ErrorAnalysis, threshold: float) -> Picked:
    """Training labels that the run is sure are otherwise."""
    cases = [analysis.training.cases[at] for at in analysis.confident_against(threshold)]
    what = session._("Training labels against a sure run")
    title = session._("{what}: {count}", what=what, count=len(cases))
    return Picked(title, analysis.training.documents, cases)


def index(event: gr.EventData, name: str, count: int) -> int | None:
    """A field of an event where it is a whole number from 0 to below ``count``; it comes from a browser."""
    value = getattr(event, name, None)
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < count:
        return value
    return None


def _picked(session: Session, analysis: ErrorAnalysis, what: str, places: Iterable[int]) -> Picked:
    """Mistakes first, each part in the order of the documents."""
    cases, correct = analysis.judged.cases, analysis.judged.correct
    ordered = sorted(places, key=lambda at: (correct[at], at))
    wrong = sum(not correct[at] for at in ordered)
    key = _("{what}: {count}") if wrong == len(ordered) else _("{what}: {count}, {wrong} of them mistakes")
    title = session._(key, what=what, count=len(ordered), wrong=wrong)
    return Picked(title, analysis.judged.documents, [cases[at] for at in ordered])


def _range(first: int, last: int | None) -> str:
    if last is None:
        return f"{first}+"
    return str(first) if first == last else f"{first}–{last}"
