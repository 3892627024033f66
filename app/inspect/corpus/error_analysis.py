"""The error analysis of a run over a project, cached in the session until its inputs change."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from app.services import in_project
from app.services.session import Session
from core.corpus.document_json import read_documents
from core.inspection.corpus.error_analysis import PARTS, TRAINING, ErrorAnalysis
from core.inspection.corpus.slices import TrainingSurfaces
from core.lexicon import Lexicon
from core.store.label import labels
from core.store.run.predicted import PredictedDocuments, Progress, predicted_documents, stamp
from core.text import Document

MEMORY = "inspect-errors"


def analysis_of(
    session: Session, run: str, parts: Collection[str], progress: Progress = lambda done, total: None
) -> ErrorAnalysis:
    """The analysis of ``run``, read and cached in the session.

    Args:
        progress: called while the documents are read; may raise to stop.

    Raises:
        NotFound: no such run. ModelFolderError: its lexicon cannot be read.
    """
    chosen = tuple(part for part in PARTS if part in parts)
    state = _state(session, run)
    kept = session.memory.get(MEMORY)
    before = kept.analysis if isinstance(kept, _Kept) and kept.state == state else None
    if before is not None and before.parts == chosen:
        return before
    documents = predicted_documents(session.workspace, session.project_id, run)
    read = replace(documents, progress=progress)
    if before is None:
        words = session.workbench.taggers.words(session.project_id)
        trained_on = TrainingSurfaces(_trained_on(session, run, read))
        lexicon = _lexicon(session, run).with_words(words[0]).without_words(words[1])
    else:  # other splits of the same documents
        trained_on, lexicon = before.trained_on, before.words
    names = labels.get(session.workspace, session.project_id).names
    analysis = ErrorAnalysis(run, chosen, documents, names, trained_on, lexicon)
    analysis.read(read)
    session.memory[MEMORY] = _Kept(state, analysis)
    return analysis


def read(session: Session, run: str, parts: Collection[str], window: int, progress: Progress) -> None:
    """Read what the tab shows first, so that it is cached.

    Args:
        window: of the contradictions. progress: as in `analysis_of`.
    """
    analysis = analysis_of(session, run, parts, progress)
    documents = predicted_documents(session.workspace, session.project_id, run)
    analysis.contradictions(window, replace(documents, progress=progress))


@dataclass(frozen=True)
class _Kept:
    """An analysis with its cache key."""

    state: tuple[object, ...]
    analysis: ErrorAnalysis


def _state(session: Session, run: str) -> tuple[object, ...]:
    seen = stamp(session.workspace, session.project_id, run)
    words = session.workbench.taggers.words(session.project_id)
    return session.project_id, run, seen, words, labels.get(session.workspace, session.project_id).names


def _trained_on(session: Session, run: str, documents: PredictedDocuments) -> Iterable[Document]:
    """The run's training documents: its snapshot, or else the project's current ones."""
    taken = in_project.run(session, run).folder / "snapshot" / "train.jsonl"
    if taken.is_file():
        return read_documents(taken)
    return (document.document for document in replace(documents, splits=TRAINING))


def _lexicon(session: Session, run: str) -> Lexicon:
    """The run's lexicon, or jieba's words if it has none."""
    from core.taggers.base.model_folder import LEXICON, read_lexicon

    folder = session.workbench.taggers.model_folder(run)
    return read_lexicon(folder) if (folder / LEXICON).is_dir() else Lexicon.jieba()
