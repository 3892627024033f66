"""Probes on every layer of a tagger, row by row."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from core.inspection.representations import word_senses
from core.inspection.representations.probing import (
    ProbeScore,
    control_labels,
    entity_labels,
    macro_f1,
    parts_of_speech,
    probe,
)
from core.inspection.representations.states import Progress
from core.inspection.representations.word_senses import Occurrence
from core.text import Document

LINEAR = ("part_of_speech", "entity")
SENSES = ("character_sense", "surface_sense")
TASKS = (*LINEAR, *SENSES)
HELD_OUT_SHARE = 0.2
Read = Callable[[Sequence[Document], Progress], Mapping[str, np.ndarray]]


@dataclass(frozen=True, slots=True)
class ProbeRow:
    """The result of probing one layer for one task.

    Args:
        layer: its name. task: one of ``TASKS``. accuracy, macro_f1: on held-out characters or forms.
        baseline: accuracy without the states: of the most frequent class, or of the form's first sense.
        control: accuracy on the control task; None for senses, which have none.
        train, held_out: number of characters, or occurrences of forms, for training and scoring.
        classes: number of classes in training.
    """

    layer: str
    task: str
    accuracy: float
    macro_f1: float
    baseline: float
    control: float | None
    train: int
    held_out: int
    classes: int

    @property
    def selectivity(self) -> float | None:
        """Accuracy minus that on the control task (Hewitt and Liang, 2019)."""
        return None if self.control is None else self.accuracy - self.control

    def to_json(self) -> dict[str, Any]:
        """All numbers by name, including ``selectivity``."""
        return {**asdict(self), "selectivity": self.selectivity}


@dataclass(frozen=True, slots=True)
class ProbeSample:
    """The documents of a probe.

    Args:
        train, held_out: for training and scoring; no document is in both.
    """

    train: tuple[Document, ...]
    held_out: tuple[Document, ...]


@dataclass(frozen=True)
class LayerProbes:
    """Hidden states of a sample, and the probes on them.

    Args:
        sample: the documents. train, held_out: states of their characters by layer, ``[characters, D]``.
        seed: of the probes and of the control task.
    """

    sample: ProbeSample
    train: Mapping[str, np.ndarray]
    held_out: Mapping[str, np.ndarray]
    seed: int = 0

    @classmethod
    def of(
        cls, sample: ProbeSample, read: Read, *, seed: int = 0, progress: Progress = lambda done, count: None
    ) -> LayerProbes:
        """Compute the states of both parts with ``read``."""
        return cls(sample, read(sample.train, progress), read(sample.held_out, progress), seed)

    @property
    def count(self) -> int:
        """Number of rows."""
        return len(self.train) * len(self._tasks)

    def rows(self) -> Iterator[ProbeRow]:
        """Lowest layer first, tasks in the order of ``TASKS``; tasks with a single class are left out."""
        for layer in self.train:
            for task in self._tasks:
                yield task.row(layer, self.train[layer], self.held_out[layer])

    @cached_property
    def _tasks(self) -> tuple[_Linear | _Senses, ...]:
        """What the sample can be probed for, the same for every layer."""
        return (*self._linear_tasks(), *self._sense_tasks())

    def _linear_tasks(self) -> Iterator[_Linear]:
        characters, others = (_characters(side) for side in (self.sample.train, self.sample.held_out))
        for name, label in zip(LINEAR, (parts_of_speech, entity_labels), strict=True):
            labels, expected = label(self.sample.train), label(self.sample.held_out)
            if len(set(labels)) > 1 and expected:
                control = control_labels(characters, labels, others, seed=self.seed)
                yield _Linear(name, labels, expected, control, self.seed)

    def _sense_tasks(self) -> Iterator[_Senses]:
        sides = self.sample.train, self.sample.held_out
        forms = word_senses.entity_surfaces(self.sample.train)
        readings = (
            [word_senses.characters(side) for side in sides],
            [word_senses.surfaces(side, forms) for side in sides],
        )
        starts = [_starts(side) for side in sides]
        for name, (occurrences, expected) in zip(SENSES, readings, strict=True):
            forms = word_senses.ambiguous(occurrences, expected)
            ambiguous = [[item for item in side if item.form in forms] for side in (occurrences, expected)]
            if all(ambiguous):
                yield _Senses(name, ambiguous[0], ambiguous[1], starts[0], starts[1])


@dataclass(frozen=True, slots=True)
class _Linear:
    name: str
    labels: list[str]
    expected: list[str]
    control: tuple[list[str], list[str]]
    seed: int

    def row(self, layer: str, train: np.ndarray, held_out: np.ndarray) -> ProbeRow:
        score: ProbeScore = probe(train, self.labels, held_out, self.expected, seed=self.seed)
        control = probe(train, self.control[0], held_out, self.control[1], seed=self.seed)
        return ProbeRow(
            layer,
            self.name,
            score.accuracy,
            score.macro_f1,
            score.majority,
            control.accuracy,
            len(self.labels),
            len(self.expected),
            len(set(self.labels)),
        )


@dataclass(frozen=True, slots=True)
class _Senses:
    name: str
    occurrences: list[Occurrence]
    expected: list[Occurrence]
    train_starts: list[int]
    held_out_starts: list[int]

    def row(self, layer: str, train: np.ndarray, held_out: np.ndarray) -> ProbeRow:
        vectors = _means(train, self.occurrences, self.train_starts)
        others = _means(held_out, self.expected, self.held_out_starts)
        gold = np.array([occurrence.sense for occurrence in self.expected])
        said = np.array(word_senses.nearest_sense(self.occurrences, vectors, self.expected, others))
        first = np.array(word_senses.first_senses(self.occurrences, self.expected))
        return ProbeRow(
            layer,
            self.name,
            float((said == gold).mean()),
            macro_f1(gold, said),
            float((first == gold).mean()),
            None,
            len(self.occurrences),
            len(self.expected),
            len({occurrence.sense for occurrence in self.occurrences}),
        )


def sample_of(
    train: Sequence[Document],
    held_out: Sequence[Document],
    *,
    train_characters: int,
    held_out_characters: int,
    seed: int = 0,
) -> ProbeSample:
    """A seeded sample of documents; the last one is cut to the number of characters.

    Args:
        held_out: if empty, a seeded fifth of ``train`` is held out.
    """
    order = _shuffled(train, f"train {seed}")
    if not held_out:
        count = max(1, round(len(order) * HELD_OUT_SHARE)) if len(order) > 1 else 0
        held_out, order = order[:count], order[count:]
    return ProbeSample(
        _up_to(order, train_characters), _up_to(_shuffled(held_out, f"held out {seed}"), held_out_characters)
    )


def _shuffled(documents: Sequence[Document], seed: str) -> list[Document]:
    # Seeding by text is defined by hashing, so the order is the same on every platform and version.
    return random.Random(seed).sample(documents, len(documents))  # noqa: S311


def _up_to(documents: Sequence[Document], characters: int) -> tuple[Document, ...]:
    taken: list[Document] = []
    for document in documents:
        if characters <= 0:
            break
        text = document.text[:characters]
        spans = tuple(span for span in document.spans if span.end <= len(text))
        if text:
            taken.append(Document(document.id, text, spans))
        characters -= len(text)
    return tuple(taken)


def _characters(documents: Sequence[Document]) -> list[str]:
    return [character for document in documents for character in document.text]


def _starts(documents: Sequence[Document]) -> list[int]:
    """The index of each document's first character among all."""
    return [0, *np.cumsum([len(document.text) for document in documents]).tolist()]


def _means(states: np.ndarray, occurrences: Sequence[Occurrence], starts: Sequence[int]) -> np.ndarray:
    """The mean state of every occurrence, ``[N, D]``."""
    sums = np.concatenate([np.zeros((1, states.shape[1])), np.cumsum(states, axis=0, dtype=np.float64)])
    first = np.array([starts[occurrence.document] + occurrence.start for occurrence in occurrences])
    last = np.array([starts[occurrence.document] + occurrence.end for occurrence in occurrences])
    means: np.ndarray = (sums[last] - sums[first]) / (last - first)[:, None]
    return means
