"""Words accepted, removed or rejected outside the word table, and undo of these steps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from app.dictionary.word_matches import forget_predictions
from app.services.errors import AppError
from app.services.rights import check
from app.services.session import Session
from core.store.lexicon import changes as lexicon_changes
from core.store.lexicon import rejected_candidates
from core.store.lexicon import word_import as lexicon_import
from core.store.lexicon.entries import WordEntry, checked_word

MEMORY = "dictionary-changes"
CANDIDATES = "candidates"  # the source named in the list of versions
Kind = Literal["accepted", "removed", "rejected"]


@dataclass(frozen=True, slots=True)
class Step:
    """A step that can be undone: what was done, to how many words (``word`` is the first), in which batch."""

    kind: Kind
    batch: int
    count: int
    word: str


def accept(session: Session, typed: Mapping[str, str]) -> Step:
    """Add words to the dictionary, each with a type or ""; words that exist keep their types as well.

    Raises:
        NotAllowed, PayloadError: nothing was changed.
    """
    check(session, "change_dictionary")
    words = {checked_word(word): (WordEntry(type_),) for word, type_ in typed.items()}
    batch = lexicon_import.import_list(
        session.workspace, session.project_id, words,
        user=session.user, source=CANDIDATES, choice="both", kind="add",
    ).id  # fmt: skip
    forget_predictions(session, words)
    return _remember(session, Step("accepted", batch, len(words), next(iter(words))))


def remove(session: Session, words: Iterable[str]) -> Step:
    """Remove words from the dictionary.

    Raises:
        NotAllowed, PayloadError: nothing was changed.
    """
    check(session, "change_dictionary")
    given = list(words)
    batch = lexicon_changes.remove(session.workspace, session.project_id, given, user=session.user)
    forget_predictions(session, given)
    return _remember(session, Step("removed", batch, len(given), given[0]))


def reject(session: Session, words: Iterable[str]) -> Step:
    """Reject candidates; they are not offered again.

    Raises:
        NotAllowed, PayloadError: nothing was changed.
    """
    check(session, "change_dictionary")
    given = list(words)
    batch = rejected_candidates.reject(session.workspace, session.project_id, given, user=session.user)
    return _remember(session, Step("rejected", batch, len(given), given[0]))


def last(session: Session) -> Step | None:
    """The latest step of this session in the current project that can be undone."""
    steps = session.memory.get(MEMORY)
    return steps[-1] if isinstance(steps, list) and steps else None


def undo(session: Session) -> Step:
    """Undo the latest step and return it.

    Raises:
        AppError: there is none. NotAllowed, StoreError: it cannot be taken back (any more).
    """
    check(session, "change_dictionary")
    steps = session.memory.get(MEMORY)
    if not isinstance(steps, list) or not steps:
        raise AppError("There is nothing left to undo here.")
    step: Step = steps.pop()
    if step.kind == "rejected":
        rejected_candidates.undo(session.workspace, session.project_id, step.batch)
    else:
        undone = lexicon_changes.undo(session.workspace, session.project_id, step.batch, user=session.user)
        forget_predictions(session, [change.word for change in undone])
    return step


def _remember(session: Session, step: Step) -> Step:
    steps = session.memory.setdefault(MEMORY, [])
    assert isinstance(steps, list)
    steps.append(step)
    return step
