"""The annotator's questions about suggestions, patterns and annotated regions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from pydantic import Field

from app.annotate.suggestions import SLOW_SECONDS, Rules, View, read_view, rule_suggestions, write_view
from app.i18n import _
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
AROUND = 12  # characters shown on either side of a hit
# regex says what is wrong in English; the frequent ones in Chinese.
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


LONGEST_PATTERN = 2_000  # as sent; the store allows fewer, and says so itself
Pattern = Annotated[str, Field(max_length=LONGEST_PATTERN)]


class ChosenView(Payload):
    """Which sources the project shows, and from which confidence on."""

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
    """What is to become of a pattern."""

    pattern: Count
    change: Literal["enable", "disable", "trash", "restore"]


class RegionChange(Payload):
    """A region that was annotated, or no longer is."""

    start: Count
    end: Count
    annotated: bool


class RegionChanges(Payload):
    """Stretches of a document that change as one step."""

    document: Count
    changes: Annotated[list[RegionChange], Field(min_length=1, max_length=MOST_STRETCHES)]
    way: Way = "mark"


def opening(session: Session, stands: Annotation) -> tuple[list[Reply], Reply]:
    """The suggestions of rules that open with a document; and ``view``, ``pending`` and ``annotated``."""
    found = rule_suggestions(session, stands.document_id, stands.document.text)
    told = {
        "view": read_view(session),
        "pending": found.pending,
        "annotated": _annotated(session, stands.document_id),
    }
    return _objects(session, found), told


@needs("annotate")
def find_suggestions(session: Session, asked: OneDocument) -> Reply:
    """``suggestions`` of dictionary, patterns and earlier decisions, with those that were not ready when the
    document opened, and the ``stopped`` and ``cut`` patterns."""
    text = working.current(session.workspace, asked.document, session.user).document.text
    found = rule_suggestions(session, asked.document, text, patient=True)
    spans = _objects(session, found)
    return {"suggestions": spans, "stopped": list(found.stopped), "cut": list(found.cut)}


@needs("annotate")
def set_suggestion_view(session: Session, asked: ChosenView) -> Reply:
    """Nothing, after the project remembers which sources are shown and from which confidence on."""
    write_view(session, asked.view)
    return {}


@needs("annotate")
def list_patterns(session: Session) -> Reply:
    """``patterns`` and ``deleted``."""
    return _patterns(session)


@needs("annotate")
def try_pattern(session: Session, asked: PatternTrial) -> Reply:
    """``hits`` in the document with what is around, ``count``, ``cut``, ``stopped``; or ``problem``."""
    text = working.current(session.workspace, asked.document, session.user).document.text
    try:
        found = find(asked.pattern, "entity", text, seconds=SLOW_SECONDS)
    except PatternError as error:
        return _problem(session, error)
    return {
        "hits": [_hit(span, text) for span in found.spans[:MOST_HITS]],
        "count": len(found.spans),
        "cut": found.cut,
        "stopped": found.timed_out,
    }


@needs("change_dictionary")
def add_pattern(session: Session, asked: NewPattern) -> Reply:
    """``patterns`` and ``deleted`` with it; or ``problem``."""
    try:
        check_pattern(asked.pattern)
    except PatternError as error:
        return _problem(session, error)
    patterns.add(session.workspace, session.project_id, asked.pattern, asked.label, user=session.user)
    return _patterns(session)


@needs("change_dictionary")
def change_pattern(session: Session, asked: PatternChange) -> Reply:
    """``patterns`` and ``deleted`` after one of them changed."""
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
    """``annotated``: ``whole``, ``regions`` and ``marked``, and whether it is a version of one's ``own``."""
    return {"annotated": _annotated(session, asked.document)}


@needs("annotate")
def set_annotated_regions(session: Session, asked: RegionChanges) -> Reply:
    """``annotated`` after regions were marked as annotated, or that was undone, as one step."""
    stretches = [Stretch(one.start, one.end, one.annotated) for one in asked.changes]
    working.mark(session.workspace, asked.document, stretches, user=session.user, way=asked.way)
    return {"annotated": _annotated(session, asked.document)}


FUNCTIONS = (
    find_suggestions, set_suggestion_view, list_patterns, try_pattern, add_pattern, change_pattern,
    read_annotated_regions, set_annotated_regions,
)  # fmt: skip


def rule_objects(session: Session, stands: Annotation) -> list[Reply]:
    """The suggestions of dictionary, patterns and earlier decisions that are ready at once."""
    return _objects(session, rule_suggestions(session, stands.document_id, stands.document.text))


def _annotated(session: Session, document_id: int) -> Reply:
    """``own`` for a person's own copy: what teaches is what the review makes of the copies."""
    found = working.annotated(session.workspace, document_id, session.user)
    return {
        "own": bool(working.annotator(session.workspace, document_id, session.user)),
        "whole": found.whole,
        "regions": [list(region) for region in found.regions],
        "marked": [list(region) for region in found.marked],
    }


def _objects(session: Session, found: Rules) -> list[Reply]:
    """Suggestions of labels that the project has: another could be neither accepted nor rejected."""
    known = set(labels.get(session.workspace, session.project_id).names)
    by_source: Mapping[str, Sequence[Span]] = found.spans
    return [
        span_object(span, source)
        for source, spans in by_source.items()
        for span in spans
        if span.label in known
    ]


def _patterns(session: Session) -> Reply:
    place = session.workspace, session.project_id
    return {
        "patterns": [_pattern_object(known) for known in patterns.all_patterns(*place)],
        "deleted": [_pattern_object(known) for known in patterns.all_patterns(*place, trashed=True)],
    }


def _pattern_object(known: ProjectPattern) -> Reply:
    return {"id": known.id, "pattern": known.pattern, "label": known.label, "enabled": known.enabled}


def _hit(span: Span, text: str) -> Reply:
    before, after = text[max(0, span.start - AROUND) : span.start], text[span.end : span.end + AROUND]
    return {
        "before": re.sub(r"\s", " ", before),
        "surface": text[span.start : span.end],
        "after": re.sub(r"\s", " ", after),
    }


def _problem(session: Session, error: PatternError) -> Reply:
    """What is wrong with a pattern and where, in the person's language; not an error of the page."""
    reason = session._(_REASONS.get(str(error.reason), error.reason))
    place = (
        _("Invalid pattern: {reason}.")
        if error.position is None
        else _("Invalid pattern: {reason}, at character {at}.")
    )
    at = None if error.position is None else error.position + 1
    return {"problem": session._(place, reason=reason, at=at), "position": error.position}
