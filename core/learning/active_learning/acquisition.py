"""What every order of the queue is: documents in, one number each out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.learning.active_learning.catalogue import Need
from core.taggers.base.sequence_tagger import SequenceTagger
from core.taggers.base.tagger import Tagger
from core.text import Document, Span

# Told which share of the work is done, in [0, 1]; raises `ScoringStopped` to end it.
Progress = Callable[[float], None]


class ScoringStopped(Exception):
    """Somebody asked the scoring to stop; nothing was written."""


class MissingForAcquisition(ValueError):
    """A strategy was not given what it reads.

    Args:
        need: what is missing, as in the catalogue.
    """

    def __init__(self, need: Need) -> None:
        super().__init__(
            {
                "tagger": "this order needs a tagger; train one first",
                "chain": "this order reads a tagger's scores of tag sequences, which this tagger does not "
                "have; choose another order, or a tagger with a CRF or a softmax over tags",
                "second": "this order compares two runs; there is only one, so train another",
                "dictionary": "this order compares with the dictionary; give some words a type first",
                "labelled": "this order looks at what is labelled; label some documents first",
            }[need]
        )
        self.need = need


@dataclass(frozen=True, slots=True)
class Pool:
    """What a strategy may look at.

    Args:
        documents: those to be scored; their spans are not read.
        labelled: documents with the spans people gave them. tagger: the one that serves.
        predicted: the tagger's spans on ``documents``, where they are known already.
        second: another tagger's spans on them. dictionary: the typed words found in them.
        seed: of every choice by chance.
    """

    documents: Sequence[Document]
    labelled: Sequence[Document] = ()
    tagger: Tagger | None = None
    predicted: Sequence[Sequence[Span]] | None = None
    second: Sequence[Sequence[Span]] | None = None
    dictionary: Sequence[Sequence[Span]] | None = None
    seed: int = 1

    def chain_tagger(self) -> SequenceTagger:
        """The tagger, if it weighs tag sequences.

        Raises:
            MissingForAcquisition: there is none, or it does not.
        """
        if self.tagger is None:
            raise MissingForAcquisition("tagger")
        if not isinstance(self.tagger, SequenceTagger):
            raise MissingForAcquisition("chain")
        return self.tagger


class Acquisition(ABC):
    """An order of the queue. One subclass = one file of this folder = one line of the catalogue."""

    @abstractmethod
    def score(self, pool: Pool, progress: Progress) -> list[float | None]:
        """One number for each document of the pool; the catalogue says which end comes first.

        None stands for a document the strategy has nothing to say about; such documents come last.

        Raises:
            MissingForAcquisition: the pool lacks what this strategy reads. ScoringStopped: by ``progress``.
        """


def ordered(scores: Sequence[float | None], *, highest_first: bool) -> list[int]:
    """Indices of the documents, the first to label first; ties stay in order, None comes last."""
    sign = -1.0 if highest_first else 1.0
    return sorted(
        range(len(scores)),
        key=lambda index: (scores[index] is None, sign * (scores[index] or 0.0), index),
    )
