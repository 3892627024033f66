"""Where a run errs, over the labelled documents of a project; kept in the session until something changes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from app.services import in_project
from app.services.session import Session
from core.corpus.document_json import read_documents
from core.inspection.corpus.calibration import Calibration, calibration
from core.inspection.corpus.contradictions import Contradiction, confident_against, contradictions
from core.inspection.corpus.errors import (
    BOUNDARIES,
    Case,
    cases_of,
    cell_of,
    confusion,
    edges_of,
    score_cases,
)
from core.inspection.corpus.slices import (
    FREQUENCIES,
    LENGTHS,
    LEXICON,
    NOVELTIES,
    Slices,
    TrainingSurfaces,
    by_frequency,
    by_length,
    by_lexicon,
    by_novelty,
    sliced,
)
from core.lexicon import Lexicon
from core.store.label import labels
from core.store.run.answered import Answered, answered, stamp
from core.text import Document
from core.text.scoring import Score

MEMORY = "inspect-errors"
# What a person chooses, and the splits of the store that it means: what is in no split is trained on.
PARTS: dict[str, tuple[str, ...]] = {"train": ("train", "none"), "dev": ("dev",), "test": ("test",)}
TRAINING = PARTS["train"]
SLICES: dict[str, int] = {
    "length": len(LENGTHS),
    "frequency": len(FREQUENCIES),
    "novelty": len(NOVELTIES),
    "lexicon": len(LEXICON),
}


@dataclass(frozen=True)
class Judged:
    """Labelled documents beside what the run said about them.

    Args:
        documents: those the run has answered. unanswered: the store's numbers of the others.
    """

    documents: tuple[Answered, ...]
    unanswered: tuple[int, ...]

    @classmethod
    def of(cls, found: Iterable[Answered]) -> Judged:
        known = list(found)
        return cls(
            tuple(one for one in known if one.predicted is not None),
            tuple(one.document_id for one in known if one.predicted is None),
        )

    @property
    def labelled(self) -> int:
        """Answered or not."""
        return len(self.documents) + len(self.unanswered)

    @cached_property
    def texts(self) -> tuple[Document, ...]:
        return tuple(one.document for one in self.documents)

    @cached_property
    def cases(self) -> tuple[Case, ...]:
        return tuple(cases_of(self.texts, [one.predicted or () for one in self.documents]))

    @cached_property
    def correct(self) -> tuple[bool, ...]:
        """For each of ``cases``."""
        return tuple(case.is_correct for case in self.cases)

    @cached_property
    def mistakes(self) -> tuple[int, ...]:
        """Places in ``cases`` of those that are not correct."""
        return tuple(at for at, is_correct in enumerate(self.correct) if not is_correct)


@dataclass(frozen=True)
class ErrorAnalysis:
    """Everything the Errors tab shows of a run; each part is computed when it is first asked for.

    Args:
        run: its name. parts: of `PARTS`, those in view. labelled: every labelled document of the project.
        labels: of the project, then those only found in spans.
        trained_on: what people labelled in the documents the run learned from. words: of its lexicon.
    """

    run: str
    parts: tuple[str, ...]
    labelled: tuple[Answered, ...]
    labels: tuple[str, ...]
    trained_on: TrainingSurfaces
    words: Lexicon
    _contradictions: dict[int, list[Contradiction]] = field(default_factory=dict, repr=False)

    @cached_property
    def judged(self) -> Judged:
        """The documents in view."""
        splits = {split for part in self.parts for split in PARTS[part]}
        return Judged.of(one for one in self.labelled if one.split in splits)

    @cached_property
    def training(self) -> Judged:
        """The documents of the project that are trained on."""
        return Judged.of(one for one in self.labelled if one.split in TRAINING)

    @cached_property
    def score(self) -> Score:
        return score_cases(self.judged.cases)

    @cached_property
    def confusion(self) -> np.ndarray:
        """``[L + 1, L + 1]``; see `core.inspection.corpus.errors.confusion`."""
        return confusion(self.judged.cases, self.labels)

    def cell(self, row: int, column: int) -> list[int]:
        """The cases of one cell of ``confusion``."""
        places = {label: at for at, label in enumerate(self.labels)}
        return [at for at, case in enumerate(self.judged.cases) if cell_of(case, places) == (row, column)]

    @cached_property
    def boundaries(self) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]:
        """For each of `BOUNDARIES`: the cases with the right label, and those with another one too."""
        found: tuple[tuple[list[int], list[int]], ...] = tuple(([], []) for _ in BOUNDARIES)
        for at, case in enumerate(self.judged.cases):
            edges = edges_of(case)
            if edges is not None:
                found[BOUNDARIES.index(edges)][case.kind != "boundary"].append(at)
        return tuple((tuple(right), tuple(other)) for right, other in found)

    @cached_property
    def slices(self) -> dict[str, Slices]:
        """By the names of `SLICES`."""
        properties = {
            "length": by_length(),
            "frequency": by_frequency(self.trained_on),
            "novelty": by_novelty(self.trained_on),
            "lexicon": by_lexicon(self.words),
        }
        cases, texts = self.judged.cases, self.judged.texts
        return {name: sliced(cases, texts, properties[name], bins) for name, bins in SLICES.items()}

    @cached_property
    def scored(self) -> tuple[int, ...]:
        """The cases whose predicted span has a confidence, in the order of ``calibration.bins``."""
        return tuple(
            at
            for at, case in enumerate(self.judged.cases)
            if case.predicted is not None and case.predicted.score is not None
        )

    @cached_property
    def calibration(self) -> Calibration:
        predicted = [self.judged.cases[at].predicted for at in self.scored]
        confidences = [span.score for span in predicted if span is not None and span.score is not None]
        return calibration(confidences, [self.judged.correct[at] for at in self.scored])

    def contradictions(self, window: int) -> list[Contradiction]:
        """Those between all labelled documents of the project, whatever their split."""
        if window not in self._contradictions:
            texts = [one.document for one in self.labelled]
            self._contradictions[window] = contradictions(texts, window)
        return self._contradictions[window]

    def confident_against(self, threshold: float) -> list[int]:
        """Cases of ``training`` in which the run is that sure of something else than people."""
        return confident_against(self.training.cases, threshold)


def analysis_of(session: Session, run: str, parts: Collection[str]) -> ErrorAnalysis:
    """The analysis of ``run``, from the session's memory where nothing has changed since.

    Raises:
        NotFound: no such run. ModelFolderError: its lexicon cannot be read.
    """
    chosen = tuple(part for part in PARTS if part in parts)
    words = session.workbench.serving.words(session.project_id)
    seen = stamp(session.workspace, session.project_id, run)
    known = labels.get(session.workspace, session.project_id).names
    state = (session.project_id, run, seen, words, known)
    kept = session.memory.get(MEMORY)
    before = kept if isinstance(kept, _Kept) and kept.state == state else None
    if before is not None and before.analysis.parts == chosen:
        return before.analysis
    if before is None:
        found = tuple(answered(session.workspace, session.project_id, run))
        trained_on = TrainingSurfaces(_trained_on(session, run, found))
        lexicon = _lexicon(session, run).with_words(words[0]).without_words(words[1])
    else:  # other parts of the same documents
        found, trained_on, lexicon = (
            before.analysis.labelled,
            before.analysis.trained_on,
            before.analysis.words,
        )
    analysis = ErrorAnalysis(run, chosen, found, _labels(known, found), trained_on, lexicon)
    session.memory[MEMORY] = _Kept(state, analysis)
    return analysis


@dataclass(frozen=True)
class _Kept:
    """An analysis with all that it depends on."""

    state: tuple[object, ...]
    analysis: ErrorAnalysis


def _trained_on(session: Session, run: str, found: Sequence[Answered]) -> Iterable[Document]:
    """What the run learned from: its snapshot, or the project's training documents of today without one."""
    taken = in_project.run(session, run).folder / "snapshot" / "train.jsonl"
    if taken.is_file():
        return read_documents(taken)
    return [one.document for one in found if one.split in TRAINING]


def _lexicon(session: Session, run: str) -> Lexicon:
    """The words the run matches, or jieba's where it has none."""
    from core.taggers.base.model_folder import LEXICON, read_lexicon

    folder = session.workbench.serving.model_folder(run)
    return read_lexicon(folder) if (folder / LEXICON).is_dir() else Lexicon.jieba()


def _labels(known: Iterable[str], found: Iterable[Answered]) -> tuple[str, ...]:
    seen = {span.label for one in found for span in (*one.document.spans, *(one.predicted or ()))}
    return (*known, *sorted(seen - set(known)))
