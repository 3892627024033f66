"""Server functions for suggestions, patterns and annotated regions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from pydantic import Field

from app.annotate.outside import offered
from app.annotate.suggestions import SLOW_SECONDS, Rules, View, read_view, rule_suggestions, write_view
from app.i18n import _
from app.services import in_project
from app.services.rights import needs
from app.services.session import Session
from app.ui.payload import Count, OneDocument, Payload, Text
from app.ui.server_function import Reply
from app.ui.widgets.sentence import span_object
from core.store.annotation import working
from core.store.annotation.annotations import Annotation
from core.store.annotation.regions import MOST_STRETCHES, Stretch, Way
from core.store.label import labels
from core.store.suggest import patterns
from core.store.suggest.patterns import ProjectPattern
from core.text import Span
from core.text.pattern import PatternError, check_pattern, find

MOST_HITS = 50
AROUND = 12  # characters of context on either side of a match
# Error texts of the regex module that get a translation.
_REASONS = {
    "missing )": _("a closing bracket ) is missing"),
    "unbalanced parenthesis": _("a closing bracket ) without an opening one"),
    "unterminated character set": _("a set of characters [ is not closed with ]"),
    "nothing to repeat": _("there is nothing to repeat"),
    "multiple repeat": _("a repeat of a repeat"),
    "bad character range": _("a range of characters runs backwards"),
    "unknown group": _("there is no such group"),
    "unknown property": _("\\p names no known property"),
    "unknown extension": _("unknown extension after (?"),
    "the pattern is empty": _("it is empty"),
}

LONGEST_PATTERN = 2_000  # accepted from the page; the store has its own, lower limit
Pattern = Annotated[str, Field(max_length=LONGEST_PATTERN)]


class ChosenView(Payload):
    """Which sources the project shows, and their minimum confidence."""

    view: View


class PatternTrial(Payload):
    """A pattern to try on a document."""

    document: Count
    pattern: Pattern


class NewPattern(Payload):
    """A pattern that suggests a label."""

    pattern: Pattern
    label: Text


class PatternChange(Payload):
    """The new state of a pattern."""

    pattern: Count
    change: Literal["enable", "disable", "trash", "restore"]


class RegionChange(Payload):
    """A region to mark as annotated, or to unmark."""

    start: Count
    end: Count
    annotated: bool


class RegionChanges(Payload):
    """Regions of a document marked or unmarked in one step."""

    document: Count
    changes: Annotated[list[RegionChange], Field(min_length=1, max_length=MOST_STRETCHES)]
    way: Way = "mark"


def opening(session: Session, annotation: Annotation, *, patient: bool = False) -> tuple[list[Reply], Reply]:
    """Rule suggestions that are ready when a document opens, with ``view``, ``pending``, ``more``,
    ``annotated`` and ``lac``, the labels that LAC would add where it is offered.

    Args:
        patient: as `rule_suggestions` has it.
    """
    rules = rule_suggestions(session, annotation, patient=patient)
    state = {
        "view": read_view(session),
        "pending": rules.pending,
        "more": rules.more,
        "annotated": _annotated(session, annotation.document_id),
        "lac": offered(session, annotation),
    }
    return _objects(session, rules), state


@needs("annotate")
def find_suggestions(session: Session, asked: OneDocument) -> Reply:
    """All ``suggestions`` of dictionary, patterns and earlier decisions, including those that were not ready
    when the document opened; ``stopped`` and ``cut`` patterns; how many ``more`` follow these."""
    annotation = in_project.annotation(session, asked.document)
    rules = rule_suggestions(session, annotation, patient=True)
    spans = _objects(session, rules)
    return {"suggestions": spans, "stopped": list(rules.stopped), "cut": list(rules.cut), "more": rules.more}


@needs("annotate")
def set_suggestion_view(session: Session, asked: ChosenView) -> Reply:
    """Set which sources are shown and their minimum confidence."""
    write_view(session, asked.view)
    return {}


@needs("annotate")
def list_patterns(session: Session) -> Reply:
    """Return ``patterns`` and ``deleted``."""
    return _patterns(session)


@needs("annotate")
def try_pattern(session: Session, asked: PatternTrial) -> Reply:
    """Match a pattern: ``hits`` with their context, ``count``, ``cut``, ``stopped``; or ``problem``."""
    text = in_project.without_spans(session, asked.document).text
    try:
        matches = find(asked.pattern, "entity", text, seconds=SLOW_SECONDS)
    except PatternError as error:
        return _problem(session, error)
    return {
        "hits": [_hit(span, text) for span in matches.spans[:MOST_HITS]],
        "count": len(matches.spans),
        "cut": matches.cut,
        "stopped": matches.timed_out,
    }


@needs("change_dictionary")
def add_pattern(session: Session, asked: NewPattern) -> Reply:
    """Add a pattern; return ``patterns`` and ``deleted``, or ``problem``."""
    try:
        check_pattern(asked.pattern)
    except PatternError as error:
        return _problem(session, error)
    patterns.add(session.workspace, session.project_id, asked.pattern, asked.label, user=session.user)
    return _patterns(session)


@needs("change_dictionary")
def change_pattern(session: Session, asked: PatternChange) -> Reply:
    """Change a pattern; return ``patterns`` and ``deleted``."""
    place = session.workspace, session.project_id
    if asked.change == "trash":
        patterns.trash(*place, asked.pattern)
    elif asked.change == "restore":
        patterns.restore(*place, asked.pattern)
    else:
        patterns.set_enabled(*place, asked.pattern, asked.change == "enable")
    return _patterns(session)


@needs("annotate")
def read_annotated_regions(session: Session, asked: OneDocument) -> Reply:
    """Return ``annotated``: ``whole``, ``regions``, ``marked`` and ``own`` (see `_annotated`)."""
    return {"annotated": _annotated(session, asked.document)}


@needs("annotate")
def set_annotated_regions(session: Session, asked: RegionChanges) -> Reply:
    """Mark or unmark regions as annotated, in one step; return ``annotated``."""
    stretches = [Stretch(change.start, change.end, change.annotated) for change in asked.changes]
    working.mark(session.workspace, asked.document, stretches, user=session.user, way=asked.way)
    return {"annotated": _annotated(session, asked.document)}


FUNCTIONS = (
    find_suggestions, set_suggestion_view, list_patterns, try_pattern, add_pattern, change_pattern,
    read_annotated_regions, set_annotated_regions,
)  # fmt: skip


def rule_objects(session: Session, annotation: Annotation) -> tuple[list[Reply], int]:
    """Suggestions of dictionary, patterns and earlier decisions that are ready at once, and how many more."""
    rules = rule_suggestions(session, annotation)
    return _objects(session, rules), rules.more


def _annotated(session: Session, document_id: int) -> Reply:
    """Annotated regions. ``own``: of the annotator's version, which is trained on only after adjudication."""
    annotated = working.annotated(session.workspace, document_id, session.user)
    return {
        "own": bool(working.annotator(session.workspace, document_id, session.user)),
        "whole": annotated.whole,
        "regions": [list(region) for region in annotated.regions],
        "marked": [list(region) for region in annotated.marked],
    }


def _objects(session: Session, rules: Rules) -> list[Reply]:
    """Suggestions with labels of the project; others could be neither accepted nor rejected."""
    label_names = set(labels.get(session.workspace, session.project_id).names)
    by_source: Mapping[str, Sequence[Span]] = rules.spans
    return [
        span_object(span, source)
        for source, spans in by_source.items()
        for span in spans
        if span.label in label_names
    ]


def _patterns(session: Session) -> Reply:
    place = session.workspace, session.project_id
    return {
        "patterns": [_pattern_object(pattern) for pattern in patterns.all_patterns(*place)],
        "deleted": [_pattern_object(pattern) for pattern in patterns.all_patterns(*place, trashed=True)],
    }


def _pattern_object(pattern: ProjectPattern) -> Reply:
    return {"id": pattern.id, "pattern": pattern.pattern, "label": pattern.label, "enabled": pattern.enabled}


def _hit(span: Span, text: str) -> Reply:
    before, after = text[max(0, span.start - AROUND) : span.start], text[span.end : span.end + AROUND]
    return {
        "before": re.sub(r"\s", " ", before),
        "surface": text[span.start : span.end],
        "after": re.sub(r"\s", " ", after),
    }


def _problem(session: Session, error: PatternError) -> Reply:
    """The error in a pattern and its position, in the person's language."""
    reason = session._(_REASONS.get(str(error.reason), error.reason))
    place = (
        _("Invalid pattern: {reason}.")
        if error.position is None
        else _("Invalid pattern: {reason}, at character {at}.")
    )
    at = None if error.position is None else error.position + 1
    return {"problem": session._(place, reason=reason, at=at), "position": error.position}
