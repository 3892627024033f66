"""Short words of the tests for what pages do in other ways."""

from collections.abc import Mapping

from core.store import Workspace
from core.store.annotation import annotations, regions
from core.store.annotation.annotations import Saved
from core.store.annotation.comments import Comment, read_by
from core.store.annotation.regions import Annotated, Stretch
from core.store.lexicon import batches
from core.store.lexicon import steps as lexicon_steps
from core.store.lexicon.batches import Batch
from core.store.lexicon.entries import WordEntry
from core.store.project import journal
from core.store.queue import queue


def number_of(workspace: Workspace, project_id: int, name: str) -> int:
    """The store's number of the document that came with this id."""
    (number,) = [row.id for row in queue.page(workspace, project_id, limit=10**6).rows if row.name == name]
    return number


def add_words(workspace: Workspace, project_id: int, words, *, user: str) -> int:
    """Words on the list, each with its type where it is given one; the version that this makes."""
    typed = dict(words) if isinstance(words, Mapping) else dict.fromkeys(words, "")

    def decide(word, before):
        frequency = max((entry.frequency for entry in before if not entry.masked), default=1)
        return (WordEntry(typed[word], frequency),)

    return lexicon_steps.write(workspace, project_id, "add", list(typed), decide, user=user).id


def undo_batch(workspace: Workspace, project_id: int, batch: int, *, user: str) -> tuple[Batch, Batch]:
    """One change of the word list taken back, whether or not it is the latest; that batch and the new one."""
    with workspace.reading() as db:
        step = batches.read(db, batch).step
    assert step is not None
    return journal.undo(workspace, project_id, step, user=user)


def save_own(workspace, document_id, base_revision, spans, rejected=(), *, user, **options) -> Saved:
    """A save of somebody's own version."""
    return annotations.save(
        workspace, document_id, base_revision, spans, rejected, user=user, annotator=user, **options
    )


def revert_own(workspace, document_id, to_revision, *, user, **options) -> Saved:
    """Somebody's own version as it was."""
    return annotations.revert(workspace, document_id, to_revision, user=user, annotator=user, **options)


def mark(workspace, document_id, start, end, *, user, annotator="") -> Annotated:
    """One region marked as annotated."""
    return regions.mark(workspace, document_id, [Stretch(start, end, True)], user=user, annotator=annotator)


def unmark(workspace, document_id, start, end, *, user, annotator="") -> Annotated:
    """One region no longer marked."""
    return regions.mark(workspace, document_id, [Stretch(start, end, False)], user=user, annotator=annotator)


def mark_own(workspace, document_id, stretches, *, user, **options) -> Annotated:
    """Regions marked in somebody's own version."""
    return regions.mark(workspace, document_id, stretches, user=user, annotator=user, **options)


def comments_of(
    workspace: Workspace, document_id: int, reader: str = "lin", *, trashed=False
) -> list[Comment]:
    """The comments that somebody reads, in the trash or outside it."""
    found = read_by(workspace, document_id, reader)
    return [comment for comment in found if (comment.trashed is not None) == trashed]
