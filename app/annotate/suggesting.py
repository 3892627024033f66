"""The annotator's answers about suggestions, patterns and annotated regions."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from app.annotate.suggestions import SLOW_SECONDS, Rules, read_view, rule_suggestions, write_view
from app.annotate.widget.annotator import Reply
from app.annotate.widget.suggestion_calls import PatternChange
from app.i18n import _
from app.services.session import Session
from app.ui.widgets.sentence import span_object
from core.store.annotation import working
from core.store.annotation.annotations import Annotation
from core.store.annotation.regions import Stretch, Way
from core.store.label import labels
from core.store.project import members
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


class SuggestionAnswers(ABC):
    """Answers the annotator from the store of the session behind the token. See `SuggestionBackend`."""

    @abstractmethod
    def _session(self, token: str) -> AbstractContextManager[Session]:
        """The session of ``token`` for the block; every error in it becomes an `AnnotatorError`."""

    def opening(self, session: Session, stands: Annotation) -> tuple[list[Reply], Reply]:
        """The suggestions of rules that open with a document; and ``view``, ``pending`` and ``annotated``."""
        found = rule_suggestions(session, stands.document_id, stands.document.text)
        told = {
            "view": read_view(session),
            "pending": found.pending,
            "annotated": _annotated(session, stands.document_id),
        }
        return _objects(session, found), told

    def rules(self, token: str, document: int) -> Reply:
        with self._session(token) as session:
            text = working.current(session.workspace, document, session.user).document.text
            found = rule_suggestions(session, document, text, patient=True)
            spans = _objects(session, found)
            return {"suggestions": spans, "stopped": list(found.stopped), "cut": list(found.cut)}

    def set_view(self, token: str, view: Any) -> Reply:
        with self._session(token) as session:
            members.check(session.workspace, session.project_id, session.user, "annotate")
            write_view(session, view)
            return {}

    def patterns(self, token: str) -> Reply:
        with self._session(token) as session:
            return _patterns(session)

    def try_pattern(self, token: str, document: int, pattern: str) -> Reply:
        with self._session(token) as session:
            text = working.current(session.workspace, document, session.user).document.text
            try:
                found = find(pattern, "entity", text, seconds=SLOW_SECONDS)
            except PatternError as error:
                return _problem(session, error)
            return {
                "hits": [_hit(span, text) for span in found.spans[:MOST_HITS]],
                "count": len(found.spans),
                "cut": found.cut,
                "stopped": found.timed_out,
            }

    def add_pattern(self, token: str, pattern: str, label: str) -> Reply:
        with self._session(token) as session:
            members.check(session.workspace, session.project_id, session.user, "change_dictionary")
            try:
                check_pattern(pattern)
            except PatternError as error:
                return _problem(session, error)
            patterns.add(session.workspace, session.project_id, pattern, label, user=session.user)
            return _patterns(session)

    def change_pattern(self, token: str, pattern: int, change: PatternChange) -> Reply:
        with self._session(token) as session:
            place = session.workspace, session.project_id
            members.check(*place, session.user, "change_dictionary")
            if change == "trash":
                patterns.trash(*place, pattern)
            elif change == "restore":
                patterns.restore(*place, pattern)
            else:
                patterns.set_enabled(*place, pattern, change == "enable")
            return _patterns(session)

    def annotated_regions(self, token: str, document: int) -> Reply:
        with self._session(token) as session:
            return {"annotated": _annotated(session, document)}

    def set_annotated_regions(
        self, token: str, document: int, stretches: Sequence[Stretch], way: Way
    ) -> Reply:
        with self._session(token) as session:
            working.mark(session.workspace, document, stretches, user=session.user, way=way)
            return {"annotated": _annotated(session, document)}


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
    key = _REASONS.get(error.reason)
    reason = session._(key) if key else error.reason
    place = (
        _("Invalid pattern: {reason}.")
        if error.position is None
        else _("Invalid pattern: {reason}, at character {at}.")
    )
    at = None if error.position is None else error.position + 1
    return {"problem": session._(place, reason=reason, at=at), "position": error.position}
