"""The changes a run would make, in a sentence, on the Compare page and wherever a run is activated."""

from __future__ import annotations

from dataclasses import dataclass

from app.i18n import _, counted
from app.services import in_project
from app.services.session import Session
from app.ui.code_span import code_span
from app.ui.window.navigation import link
from core.inspection.corpus.span_changes import ChangeGroup, count_by_kind, grouped
from core.store.db.errors import NotFound
from core.store.run import predicted


@dataclass(frozen=True)
class Changes:
    """Changes from one run to another, over all documents predicted by both.

    Args:
        base, other: the runs. total: number of documents predicted by both. changed: number that differ.
        groups: equal changes, most frequent first.
    """

    base: str
    other: str
    total: int
    changed: int
    groups: tuple[ChangeGroup, ...]

    @property
    def spans(self) -> int:
        """Number of changed spans."""
        return sum(group.count for group in self.groups)


def changes_between(session: Session, base: str, other: str) -> Changes:
    """The changes between two runs."""
    total, differing = predicted.differing(session.workspace, session.project_id, base, other)
    return Changes(base, other, total, len(differing.ids), tuple(grouped(differing)))


def sentence(session: Session, changes: Changes) -> str:
    """As "This retraining changes 31 spans in 12 documents, of 150 that both answered (a → b)."."""
    runs_named = {
        "base": code_span(in_project.run_title(session, changes.base)),
        "other": code_span(in_project.run_title(session, changes.other)),
    }
    if not changes.total:
        return session._("No document has predictions of both {base} and {other} yet.", **runs_named)
    subject = session._(
        _("This retraining") if _same_tagger(session, changes) else _("Switching to this tagger")
    )
    if not changes.changed:
        return session.ngettext(
            "{subject} changes nothing in the {count} document that both predicted ({base} → {other}).",
            "{subject} changes nothing in the {count} documents that both predicted ({base} → {other}).",
            subject=subject,
            count=changes.total,
            **runs_named,
        )
    return session._(
        "{subject} changes {spans} in {changed} of the {total} that both predicted ({base} → {other}).",
        subject=subject,
        spans=counted.spans(changes.spans),
        changed=counted.documents(changes.changed),
        total=f"{changes.total:,}",
        **runs_named,
    )


def by_kind(session: Session, changes: Changes) -> str:
    """Counts of changes by kind; empty without changes."""
    if not changes.changed:
        return ""
    return session._(
        "{new} new, {lost} lost, {boundary} with the boundary moved, {label} with another label.",
        **count_by_kind(changes.groups),
    )


def promotion(session: Session, active: str | None, candidate: str) -> str:
    """What making ``candidate`` active would change, and the way to it on Compare; empty without two runs."""
    if active is None or active == candidate:
        return ""
    changes = changes_between(session, active, candidate)
    compare = link(session, "compare", runs=f"{active},{candidate}")
    way = f"[{session._('Compare in detail')}]({compare})"
    return session.paragraph(sentence(session, changes), by_kind(session, changes), way)


def _same_tagger(session: Session, changes: Changes) -> bool:
    try:
        kinds = {in_project.run(session, name).tagger for name in (changes.base, changes.other)}
    except NotFound:  # a run may have been deleted
        return False
    return len(kinds) == 1
