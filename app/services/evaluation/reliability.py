"""How often spans with a given confidence of a run are correct, on documents it was not trained on."""

from __future__ import annotations

from dataclasses import dataclass

from app.services.evaluation.held_out import documents_of
from app.services.session import Session
from core.inspection.corpus.calibration import Bin, Calibration
from core.inspection.corpus.error_analysis import Judged
from core.store.db.payload import HELD_OUT
from core.store.run.predicted import predicted_documents, stamp

MEMORY = "held-out calibration"


@dataclass(frozen=True)
class _Kept:
    """A calibration and what it was computed from."""

    made_from: tuple[object, ...]
    calibration: Calibration


def reliability(session: Session, run: str, confidence: float) -> Bin | None:
    """The predictions of ``run`` on its held-out documents that are as confident; None without any.

    Raises:
        NotFound: no such run in this project.
    """
    calibration = _calibration(session, run)
    return calibration.bin_of(confidence) if calibration.counts.sum() else None


def _calibration(session: Session, run: str) -> Calibration:
    """Of the labelled documents that the run held out, cached in the session until one of them changes."""
    memory, workspace, project_id = session.memory, session.workspace, session.project_id
    held_out = frozenset(documents_of(session, [run], HELD_OUT))
    made_from = (project_id, run, held_out, stamp(workspace, project_id, run))
    kept = memory.get(MEMORY)
    if isinstance(kept, _Kept) and kept.made_from == made_from:
        return kept.calibration
    labelled = predicted_documents(workspace, project_id, run)
    judged = Judged.of(document for document in labelled if document.document_id in held_out)
    memory[MEMORY] = _Kept(made_from, judged.calibration)
    return judged.calibration
