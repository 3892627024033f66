"""The error analysis of a run over a project, cached in the session until its inputs change."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from app.services import in_project
from app.services.session import Session
from core.corpus.document_json import read_documents
from core.inspection.corpus.error_analysis import PARTS, TRAINING, ErrorAnalysis
from core.inspection.corpus.slices import TrainingSurfaces
from core.lexicon import Lexicon
from core.store.label import labels
from core.store.run.predicted import PredictedDocument, predicted_documents, stamp
from core.text import Document

MEMORY = "inspect-errors"


def analysis_of(session: Session, run: str, parts: Collection[str]) -> ErrorAnalysis[PredictedDocument]:
    """The analysis of ``run``, cached in the session.

    Raises:
        NotFound: no such run. ModelFolderError: its lexicon cannot be read.
    """
    chosen = tuple(part for part in PARTS if part in parts)
    words = session.workbench.taggers.words(session.project_id)
    seen = stamp(session.workspace, session.project_id, run)
    label_names = labels.get(session.workspace, session.project_id).names
    state = (session.project_id, run, seen, words, label_names)
    kept = session.memory.get(MEMORY)
    before = kept if isinstance(kept, _Kept) and kept.state == state else None
    if before is not None and before.analysis.parts == chosen:
        return before.analysis
    if before is None:
        documents = tuple(predicted_documents(session.workspace, session.project_id, run))
        trained_on = TrainingSurfaces(_trained_on(session, run, documents))
        lexicon = _lexicon(session, run).with_words(words[0]).without_words(words[1])
    else:  # other splits of the same documents
        documents, trained_on, lexicon = (
            before.analysis.labelled,
            before.analysis.trained_on,
            before.analysis.words,
        )
    analysis = ErrorAnalysis(run, chosen, documents, _labels(label_names, documents), trained_on, lexicon)
    session.memory[MEMORY] = _Kept(state, analysis)
    return analysis


@dataclass(frozen=True)
class _Kept:
    """An analysis with its cache key."""

    state: tuple[object, ...]
    analysis: ErrorAnalysis[PredictedDocument]


def _trained_on(session: Session, run: str, documents: Sequence[PredictedDocument]) -> Iterable[Document]:
    """The run's training documents: its snapshot, or else the project's current ones."""
    taken = in_project.run(session, run).folder / "snapshot" / "train.jsonl"
    if taken.is_file():
        return read_documents(taken)
    return [document.document for document in documents if document.split in TRAINING]


def _lexicon(session: Session, run: str) -> Lexicon:
    """The run's lexicon, or jieba's words if it has none."""
    from core.taggers.base.model_folder import LEXICON, read_lexicon

    folder = session.workbench.taggers.model_folder(run)
    return read_lexicon(folder) if (folder / LEXICON).is_dir() else Lexicon.jieba()


def _labels(label_names: Iterable[str], documents: Iterable[PredictedDocument]) -> tuple[str, ...]:
    seen = {
        span.label
        for document in documents
        for span in (*document.document.spans, *(document.predicted or ()))
    }
    return (*label_names, *sorted(seen - set(label_names)))
