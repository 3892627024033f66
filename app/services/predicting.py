"""Letting a run predict documents it has not predicted yet."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from app.services.workbench import Workbench
from core.store.document import documents
from core.store.run import predictions

DOCUMENTS_AT_ONCE = 64


def predict(
    workbench: Workbench,
    project_id: int,
    run: str,
    document_ids: Sequence[int],
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> None:
    """Tag documents of a project with ``run`` and store the predictions, part by part.

    Args:
        progress: called before each part with how many documents are done, of how many.

    Raises:
        NotFound, ModelFolderError: the run, a document or the model is gone.
    """
    for at in range(0, len(document_ids), DOCUMENTS_AT_ONCE):
        progress(at, len(document_ids))
        part = document_ids[at : at + DOCUMENTS_AT_ONCE]
        tagged = workbench.serving.tag(
            project_id, [documents.get(workbench.workspace, number) for number in part], run
        )
        for number, document in zip(part, tagged, strict=True):
            predictions.put_one(workbench.workspace, run, number, document.spans)
