"""Error analysis of a run on labelled documents: scores, confusion, boundaries, slices and calibration."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import nan
from typing import Protocol

import numpy as np

from core.inspection.corpus.calibration import Calibration, calibration
from core.inspection.corpus.case_table import CaseTable
from core.inspection.corpus.contradictions import Contradiction, confident_against, contradictions
from core.inspection.corpus.errors import BOUNDARIES, cell_of, confusion, edges_of, pair_spans, score_cases
from core.inspection.corpus.slices import (
    FREQUENCIES,
    LENGTHS,
    LEXICON,
    NOVELTIES,
    SliceColumns,
    Slices,
    TrainingSurfaces,
    by_frequency,
    by_length,
    by_lexicon,
    by_novelty,
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


@dataclass
class Judged:
    """Labelled documents and the cases formed by people's and the run's spans.

    Args:
        ids: of the documents with predictions of the run; `Case.document` is an index into them.
        unpredicted: ids of the others. cases: of all documents.
    """

    ids: array[int] = field(default_factory=lambda: array("q"))
    unpredicted: list[int] = field(default_factory=list)
    cases: CaseTable = field(default_factory=CaseTable)

    @classmethod
    def of(cls, labelled: Iterable[LabelledDocument]) -> Judged:
        """Of all documents; none is kept."""
        judged = cls()
        for document in labelled:
            judged.add(document)
        return judged

    def add(self, labelled: LabelledDocument, columns: Iterable[SliceColumns] = ()) -> None:
        """Add a document, and its cases to the columns as well."""
        if labelled.predicted is None:
            self.unpredicted.append(labelled.document_id)
            return
        self.ids.append(labelled.document_id)
        for gold, predicted in pair_spans(labelled.document.spans, labelled.predicted):
            self.cases.append(len(self.ids) - 1, gold, predicted)
            for column in columns:
                is_correct = gold is not None and predicted is not None and gold.key == predicted.key
                column.append(labelled.document, gold, predicted, is_correct)

    @property
    def labelled(self) -> int:
        """Number of documents, with or without predictions."""
        return len(self.ids) + len(self.unpredicted)

    @cached_property
    def correct(self) -> np.ndarray:
        """Whether each of ``cases`` is correct."""
        return np.fromiter((case.is_correct for case in self.cases), bool, len(self.cases))

    @cached_property
    def mistakes(self) -> list[int]:
        """Indices of the incorrect ``cases``."""
        return np.flatnonzero(~self.correct).tolist()

    @cached_property
    def confidences(self) -> np.ndarray:
        """Those of the predicted spans; NaN where there is none."""
        spans = (case.predicted for case in self.cases)
        scores = (nan if span is None or span.score is None else span.score for span in spans)
        return np.fromiter(scores, float, len(self.cases))

    @cached_property
    def scored(self) -> np.ndarray:
        """The cases whose predicted span has a confidence, in the order of ``calibration.bins``."""
        return np.flatnonzero(~np.isnan(self.confidences))

    @cached_property
    def calibration(self) -> Calibration:
        """The confidence of the predicted spans against how often they are correct."""
        return calibration(self.confidences[self.scored].tolist(), self.correct[self.scored].tolist())


@dataclass(frozen=True)
class ErrorAnalysis:
    """Everything the Errors tab shows of a run, computed lazily; of the documents only the spans are kept.

    Args:
        run: its name. parts: the chosen `PARTS`.
        labelled: every labelled document, gone through again and again.
        listed: the project's labels; those that spans have besides follow them.
        trained_on: the labelled surfaces of the run's training documents. words: its lexicon.
    """

    run: str
    parts: tuple[str, ...]
    labelled: Iterable[LabelledDocument]
    listed: tuple[str, ...]
    trained_on: TrainingSurfaces
    words: Lexicon
    _contradictions: dict[int, list[Contradiction]] = field(default_factory=dict, repr=False)

    def read(self, labelled: Iterable[LabelledDocument]) -> None:
        """Go through the documents, given here by somebody who reports how far it is."""
        vars(self)["_read"] = self._reading(labelled)

    @cached_property
    def _read(self) -> _Read:
        return self._reading(self.labelled)

    def _reading(self, labelled: Iterable[LabelledDocument]) -> _Read:
        properties = {
            "length": by_length(),
            "frequency": by_frequency(self.trained_on),
            "novelty": by_novelty(self.trained_on),
            "lexicon": by_lexicon(self.words),
        }
        columns = {name: SliceColumns(properties[name], bins) for name, bins in SLICES.items()}
        splits = {split for part in self.parts for split in PARTS[part]}
        judged, training, ids, seen = Judged(), Judged(), array("q"), set[str]()
        for document in labelled:
            ids.append(document.document_id)
            seen.update(span.label for span in (*document.document.spans, *(document.predicted or ())))
            if document.split in splits:
                judged.add(document, columns.values())
            if document.split in TRAINING:
                training.add(document)
        labels = (*self.listed, *sorted(seen - set(self.listed)))
        return _Read(judged, training, ids, labels, {name: each.slices() for name, each in columns.items()})

    @property
    def judged(self) -> Judged:
        """The documents of the chosen parts."""
        return self._read.judged

    @property
    def training(self) -> Judged:
        """The documents of the training split."""
        return self._read.training

    @property
    def ids(self) -> array[int]:
        """Of all labelled documents; `Place.document` is an index into them."""
        return self._read.ids

    @property
    def labels(self) -> tuple[str, ...]:
        """Those of the project, then others that spans have."""
        return self._read.labels

    @property
    def slices(self) -> dict[str, Slices]:
        """By the names of `SLICES`."""
        return self._read.slices

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
        for at in self.judged.mistakes:
            case = self.judged.cases[at]
            edges = edges_of(case)
            if edges is not None:
                at_boundary[BOUNDARIES.index(edges)][case.kind != "boundary"].append(at)
        return tuple((tuple(right), tuple(other)) for right, other in at_boundary)

    @property
    def scored(self) -> np.ndarray:
        """As of the chosen documents."""
        return self.judged.scored

    @property
    def calibration(self) -> Calibration:
        """As of the chosen documents."""
        return self.judged.calibration

    def contradictions(
        self, window: int, labelled: Iterable[LabelledDocument] | None = None
    ) -> list[Contradiction]:
        """Contradictions among all labelled documents of any split, which may be given as for `read`."""
        if window not in self._contradictions:
            texts = _Texts(self.labelled if labelled is None else labelled)
            self._contradictions[window] = contradictions(texts, window)
        return self._contradictions[window]

    def confident_against(self, threshold: float) -> list[int]:
        """Cases of ``training`` in which the run contradicts people with at least this confidence."""
        return confident_against(self.training.cases, threshold)


@dataclass(frozen=True)
class _Read:
    """What going through the labelled documents gives, see `ErrorAnalysis`."""

    judged: Judged
    training: Judged
    ids: array[int]
    labels: tuple[str, ...]
    slices: dict[str, Slices]


@dataclass(frozen=True)
class _Texts:
    """The documents alone."""

    labelled: Iterable[LabelledDocument]

    def __iter__(self) -> Iterator[Document]:
        return (each.document for each in self.labelled)
