"""Words accepted, removed or rejected outside the word table, and undo of these steps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from app.dictionary.word_matches import forget_predictions
from app.services.errors import AppError
from app.services.rights import check
from app.services.session import Session
from core.store.lexicon import batches, rejected_candidates
from core.store.lexicon import changes as lexicon_changes
from core.store.lexicon import word_import as lexicon_import
from core.store.lexicon.entries import WordEntry, checked_word
from core.store.project import journal

KINDS = (batches.KIND, rejected_candidates.KIND)
CANDIDATES = "candidates"  # the source named in the list of versions
Kind = Literal["accepted", "removed", "rejected"]


@dataclass(frozen=True, slots=True)
class Step:
    """A step that can be undone: what was done, to how many words (``word`` is the first)."""

    kind: Kind
    id: int
    count: int
    word: str


def accept(session: Session, typed: Mapping[str, str]) -> None:
    """Add words to the dictionary, each with a type or ""; words that exist keep their types as well.

    Raises:
        NotAllowed, PayloadError: nothing was changed.
    """
    check(session, "change_dictionary")
    words = {checked_word(word): (WordEntry(type_),) for word, type_ in typed.items()}
    lexicon_import.import_list(
        session.workspace, session.project_id, words,
        user=session.user, source=CANDIDATES, choice="both", kind="add",
    )  # fmt: skip
    forget_predictions(session, words)


def remove(session: Session, words: Iterable[str]) -> None:
    """Remove words from the dictionary.

    Raises:
        NotAllowed, PayloadError: nothing was changed.
    """
    check(session, "change_dictionary")
    given = list(words)
    lexicon_changes.remove(session.workspace, session.project_id, given, user=session.user)
    forget_predictions(session, given)


def reject(session: Session, words: Iterable[str]) -> None:
    """Reject candidates; they are not offered again.

    Raises:
        NotAllowed, PayloadError: nothing was changed.
    """
    check(session, "change_dictionary")
    rejected_candidates.reject(session.workspace, session.project_id, words, user=session.user)


def last(session: Session) -> Step | None:
    """The person's latest step in the current project that is not undone."""
    step = journal.latest(session.workspace, session.project_id, KINDS, session.user, _made_here)
    if step is None:
        return None
    if step.kind == rejected_candidates.KIND:
        surfaces = step.detail["surfaces"]
        return Step("rejected", step.id, len(surfaces), surfaces[0])
    kind: Kind = "removed" if step.detail["kind"] == "remove" else "accepted"
    return Step(kind, step.id, step.detail["words"], step.detail["first"])


def _made_here(step: journal.Step) -> bool:
    """False of what was done in the word table or by an import."""
    detail = step.detail
    return step.kind != batches.KIND or detail["kind"] == "remove" or detail["source"] == CANDIDATES


def undo(session: Session) -> Step:
    """Undo the latest step and return it.

    Raises:
        AppError: there is none. NotAllowed, StoreError: it cannot be taken back (any more).
    """
    check(session, "change_dictionary")
    step = last(session)
    if step is None:
        raise AppError("There is nothing left to undo here.")
    done = journal.undo(session.workspace, session.project_id, step.id, user=session.user, kinds=KINDS)
    if step.kind != "rejected":
        _, made = done
        forget_predictions(session, batches.words_of(session.workspace, session.project_id, made.id))
    return step
