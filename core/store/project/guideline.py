"""The guideline of a project: one text in Markdown with every earlier version.

A version is a step of the journal. It is never undone; an earlier one is restored by saving its text again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from core.store.db.errors import PayloadError, StoreError
from core.store.db.workspace import Workspace
from core.store.project import journal
from core.store.project.journal import Step
from core.store.project.projects import row_of

KIND = "guideline"
LONGEST = 100_000
MOST_LISTED = 50


@dataclass(frozen=True, slots=True)
class Version:
    """A version of the guideline; the first, empty one has revision 0 and no ``user``. ``at`` in UTC ms."""

    revision: int
    text: str
    user: str
    at: int


NONE = Version(0, "", "", 0)


class StaleGuideline(StoreError):
    """Somebody has saved since. ``current`` is theirs."""

    def __init__(self, current: Version) -> None:
        super().__init__(
            "{user} has saved another version meanwhile. Yours is still in the editor: compare the "
            "two, then save again",
            user=current.user,
        )
        self.current = current


def current(workspace: Workspace, project_id: int) -> Version:
    """The guideline as it was saved last.

    Raises:
        NotFound: no such project.
    """
    return next(iter(versions(workspace, project_id, limit=1)), NONE)


def versions(workspace: Workspace, project_id: int, limit: int = MOST_LISTED) -> list[Version]:
    """The versions, newest first.

    Raises:
        NotFound: no such project.
    """
    with workspace.reading() as db:
        row_of(db, project_id)
        return [_version(step) for step in journal.steps(db, project_id, (KIND,), limit)]


def version(workspace: Workspace, project_id: int, revision: int) -> Version:
    """One version.

    Raises:
        NotFound: no such project or version.
    """
    with workspace.reading() as db:
        row_of(db, project_id)
        return _version(journal.read(db, project_id, revision, (KIND,)))


def save(workspace: Workspace, project_id: int, text: str, base: int, *, user: str) -> Version:
    """Save another version; the same text again changes nothing.

    Args:
        base: the revision it was written on.

    Raises:
        StaleGuideline: there is a later one than ``base``. PayloadError: the text is too long. NotFound: no
            such project.
    """
    if len(text) > LONGEST:
        raise PayloadError(
            "a guideline has at most {longest} characters, this one has {length}",
            longest=LONGEST,
            length=len(text),
        )
    with workspace.writing() as db:
        row_of(db, project_id)
        newest = next(map(_version, journal.steps(db, project_id, (KIND,), 1)), NONE)
        if newest.text == text:
            return newest
        if newest.revision != base:
            raise StaleGuideline(newest)
        return _version(journal.record(db, project_id, KIND, user, {"text": text}))


def _version(step: Step) -> Version:
    text: Any = step.detail["text"]
    return Version(step.id, text, step.user, step.at)
