"""Error analysis of a run on labelled documents: scores, confusion, boundaries, slices and calibration."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Generic, Protocol, TypeVar

import numpy as np

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
    slice_scores,
)
from core.lexicon import Lexicon
from core.text import Document, Span
from core.text.scoring import Score

# The parts a user chooses, and their splits: documents without a split are used for training.
PARTS: dict[str, tuple[str, ...]] = {"train": ("train", "none"), "dev": ("dev",), "test": ("test",)}
TRAINING = PARTS["train"]
SLICES: dict[str, int] = {
    "length": len(LENGTHS),
    "frequency": len(FREQUENCIES),
    "novelty": len(NOVELTIES),
    "lexicon": len(LEXICON),
}


class LabelledDocument(Protocol):
    """A document labelled by people, with the run's prediction.

    Attributes:
        document_id: its id. document: with people's spans. split: train, dev, test or none.
        predicted: the run's spans; None without a prediction.
    """

    @property
    def document_id(self) -> int: ...
    @property
    def document(self) -> Document: ...
    @property
    def split(self) -> str: ...
    @property
    def predicted(self) -> Sequence[Span] | None: ...


Labelled = TypeVar("Labelled", bound=LabelledDocument)


@dataclass(frozen=True)
class Judged(Generic[Labelled]):
    """Labelled documents and the cases formed by people's and the run's spans.

    Args:
        documents: those with predictions of the run. unpredicted: ids of the others.
    """

    documents: tuple[Labelled, ...]
    unpredicted: tuple[int, ...]

    @classmethod
    def of(cls, labelled: Iterable[Labelled]) -> Judged[Labelled]:
        documents = list(labelled)
        return cls(
            tuple(document for document in documents if document.predicted is not None),
            tuple(document.document_id for document in documents if document.predicted is None),
        )

    @property
    def labelled(self) -> int:
        """Number of documents, with or without predictions."""
        return len(self.documents) + len(self.unpredicted)

    @cached_property
    def texts(self) -> tuple[Document, ...]:
        return tuple(document.document for document in self.documents)

    @cached_property
    def cases(self) -> tuple[Case, ...]:
        return tuple(cases_of(self.texts, [document.predicted or () for document in self.documents]))

    @cached_property
    def correct(self) -> tuple[bool, ...]:
        """Whether each of ``cases`` is correct."""
        return tuple(case.is_correct for case in self.cases)

    @cached_property
    def mistakes(self) -> tuple[int, ...]:
        """Indices of the incorrect ``cases``."""
        return tuple(at for at, is_correct in enumerate(self.correct) if not is_correct)

    @cached_property
    def scored(self) -> tuple[int, ...]:
        """The cases whose predicted span has a confidence, in the order of ``calibration.bins``."""
        return tuple(
            at
            for at, case in enumerate(self.cases)
            if case.predicted is not None and case.predicted.score is not None
        )

    @cached_property
    def calibration(self) -> Calibration:
        """The confidence of the predicted spans against how often they are correct."""
        predicted = [self.cases[at].predicted for at in self.scored]
        confidences = [span.score for span in predicted if span is not None and span.score is not None]
        return calibration(confidences, [self.correct[at] for at in self.scored])


@dataclass(frozen=True)
class ErrorAnalysis(Generic[Labelled]):
    """Everything the Errors tab shows of a run, computed lazily.

    Args:
        run: its name. parts: the chosen `PARTS`. labelled: every labelled document.
        labels: those of the project, then others that spans have.
        trained_on: the labelled surfaces of the run's training documents. words: its lexicon.
    """

    run: str
    parts: tuple[str, ...]
    labelled: tuple[Labelled, ...]
    labels: tuple[str, ...]
    trained_on: TrainingSurfaces
    words: Lexicon
    _contradictions: dict[int, list[Contradiction]] = field(default_factory=dict, repr=False)

    @cached_property
    def judged(self) -> Judged[Labelled]:
        """The documents of the chosen parts."""
        splits = {split for part in self.parts for split in PARTS[part]}
        return Judged.of(document for document in self.labelled if document.split in splits)

    @cached_property
    def training(self) -> Judged[Labelled]:
        """The documents of the training split."""
        return Judged.of(document for document in self.labelled if document.split in TRAINING)

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
        """For each of `BOUNDARIES`: the cases with the right label, and those with a wrong one."""
        at_boundary: tuple[tuple[list[int], list[int]], ...] = tuple(([], []) for _ in BOUNDARIES)
        for at, case in enumerate(self.judged.cases):
            edges = edges_of(case)
            if edges is not None:
                at_boundary[BOUNDARIES.index(edges)][case.kind != "boundary"].append(at)
        return tuple((tuple(right), tuple(other)) for right, other in at_boundary)

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
        return {name: slice_scores(cases, texts, properties[name], bins) for name, bins in SLICES.items()}

    @property
    def scored(self) -> tuple[int, ...]:
        """As of the chosen documents."""
        return self.judged.scored

    @property
    def calibration(self) -> Calibration:
        """As of the chosen documents."""
        return self.judged.calibration

    def contradictions(self, window: int) -> list[Contradiction]:
        """Contradictions among all labelled documents of any split."""
        if window not in self._contradictions:
            texts = [labelled.document for labelled in self.labelled]
            self._contradictions[window] = contradictions(texts, window)
        return self._contradictions[window]

    def confident_against(self, threshold: float) -> list[int]:
        """Cases of ``training`` in which the run contradicts people with at least this confidence."""
        return confident_against(self.training.cases, threshold)
