"""Words that another page than the word list puts into the dictionary or takes out; one step back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from app.services.errors import AppError
from app.services.rights import check
from app.services.session import Session
from core.store.lexicon import changes as lexicon_changes
from core.store.lexicon import rejected_candidates
from core.store.lexicon import word_import as lexicon_import
from core.store.lexicon.entries import WordEntry, checked_word
from core.store.queue import queue
from core.store.run import predictions

SEARCHED = 30  # words that are looked for one by one; beyond, all answers of the tagger are asked anew
EVERY_DOCUMENT = 1_000_000
MEMORY = "dictionary-changes"
CANDIDATES = "candidates"  # the source that the versions of the list show
Kind = Literal["accepted", "removed", "rejected"]


@dataclass(frozen=True, slots=True)
class Step:
    """What a person did last: how, to how many words (``word`` is the first), and its batch, for undo."""

    kind: Kind
    batch: int
    count: int
    word: str


def accept(session: Session, typed: Mapping[str, str]) -> Step:
    """Put words into the dictionary, each with its type or ""; one that is there keeps its types beside it.

    Raises:
        NotAllowed, PayloadError: nothing was changed.
    """
    check(session, "change_dictionary")
    words = {checked_word(word): (WordEntry(type_),) for word, type_ in typed.items()}
    batch = lexicon_import.bring(
        session.workspace, session.project_id, words,
        user=session.user, source=CANDIDATES, choice="both", kind="add",
    ).id  # fmt: skip
    forget_answers(session, words)
    return _remember(session, Step("accepted", batch, len(words), next(iter(words))))


def remove(session: Session, words: Iterable[str]) -> Step:
    """Take words out of the dictionary.

    Raises:
        NotAllowed, PayloadError: nothing was changed.
    """
    check(session, "change_dictionary")
    given = list(words)
    batch = lexicon_changes.remove(session.workspace, session.project_id, given, user=session.user)
    forget_answers(session, given)
    return _remember(session, Step("removed", batch, len(given), given[0]))


def reject(session: Session, words: Iterable[str]) -> Step:
    """Reject candidates; they do not come back.

    Raises:
        NotAllowed, PayloadError: nothing was changed.
    """
    check(session, "change_dictionary")
    given = list(words)
    batch = rejected_candidates.reject(session.workspace, session.project_id, given, user=session.user)
    return _remember(session, Step("rejected", batch, len(given), given[0]))


def last(session: Session) -> Step | None:
    """The latest step of this session in the project on the screen that can be taken back."""
    steps = session.memory.get(MEMORY)
    return steps[-1] if isinstance(steps, list) and steps else None


def undo(session: Session) -> Step:
    """Take the latest step back; returns it.

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
        forget_answers(session, [change.word for change in undone])
    return step


def forget_answers(session: Session, words: Iterable[str]) -> None:
    """Ask the serving tagger anew about documents with these words: it may say something else now."""
    run = session.workbench.serving_run(session.project_id)
    if run is None:
        return
    given = list(words)
    if len(given) > SEARCHED:
        predictions.drop(session.workspace, run)
        return
    for word in given:
        which = queue.Filter(search=word, predicted=True)
        page = queue.page(session.workspace, session.project_id, which, limit=EVERY_DOCUMENT, run=run)
        predictions.drop(session.workspace, run, [row.id for row in page.rows])


def _remember(session: Session, step: Step) -> Step:
    steps = session.memory.setdefault(MEMORY, [])
    assert isinstance(steps, list)
    steps.append(step)
    return step
