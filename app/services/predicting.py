"""Letting a run answer documents it has not been asked about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from app.services.session import Session
from core.store.document import documents
from core.store.run import predictions

if TYPE_CHECKING:
    from app.services.workbench import Workbench

ANSWER_AT_ONCE = 64


def answer(
    session: Session, run: str, document_ids: Sequence[int], progress: Callable[[int, int], None]
) -> None:
    """Tag the documents with ``run`` and keep what it says; every part that is done is kept at once.

    Args:
        progress: told how many of how many are done, before each part.

    Raises:
        NotFound, ModelFolderError: the run, a document or the model is not there any more.
    """
    answer_with(session.workbench, session.project_id, run, document_ids, progress)


def answer_with(
    workbench: Workbench,
    project_id: int,
    run: str,
    document_ids: Sequence[int],
    progress: Callable[[int, int], None],
) -> None:
    """As ``answer``, where nobody looks."""
    for at in range(0, len(document_ids), ANSWER_AT_ONCE):
        progress(at, len(document_ids))
        part = document_ids[at : at + ANSWER_AT_ONCE]
        tagged = workbench.serving.tag(
            project_id, [documents.get(workbench.workspace, number) for number in part], run
        )
        for number, document in zip(part, tagged, strict=True):
            predictions.put_one(workbench.workspace, run, number, document.spans)
