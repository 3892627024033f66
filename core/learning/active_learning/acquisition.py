"""The interface of acquisition functions: one score per document."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.learning.active_learning.catalogue import Need
from core.runtime.message import Message, ToldValueError, _
from core.taggers.base.tagger import Tagger
from core.taggers.sequence.tagger import SequenceTagger
from core.text import Document, Span

# Called with the fraction done; may raise to stop.
Progress = Callable[[float], None]


_MISSING: dict[Need, Message] = {
    "tagger": _("this order needs a tagger; train one first"),
    "chain": _(
        "this order reads a tagger's scores of tag sequences, which this tagger does not have; choose "
        "another order, or a tagger with a CRF or a softmax over tags"
    ),
    "second": _("this order compares two runs; there is only one, so train another"),
    "dictionary": _("this order compares with the dictionary; give some words a type first"),
    "labelled": _("this order compares with labelled documents; label some first"),
}


class MissingForAcquisition(ToldValueError):
    """A required input of an acquisition function is missing.

    Args:
        need: the input, as in the catalogue.
    """

    def __init__(self, need: Need) -> None:
        super().__init__(_MISSING[need])
        self.need = need


@dataclass(frozen=True, slots=True)
class Pool:
    """The input of an acquisition function.

    Args:
        documents: to be scored; their spans are ignored.
        labelled: documents with gold spans. tagger: the active one.
        predicted: the tagger's spans on ``documents``, if available.
        second: another tagger's spans on them. dictionary: typed words matched in them.
        seed: of random choices.
    """

    documents: Sequence[Document]
    labelled: Sequence[Document] = ()
    tagger: Tagger | None = None
    predicted: Sequence[Sequence[Span]] | None = None
    second: Sequence[Sequence[Span]] | None = None
    dictionary: Sequence[Sequence[Span]] | None = None
    seed: int = 1

    def chain_tagger(self) -> SequenceTagger:
        """The tagger, if it scores tag sequences.

        Raises:
            MissingForAcquisition: there is none, or it does not score tag sequences.
        """
        if self.tagger is None:
            raise MissingForAcquisition("tagger")
        if not isinstance(self.tagger, SequenceTagger):
            raise MissingForAcquisition("chain")
        return self.tagger


class Acquisition(ABC):
    """An acquisition function. One subclass = one file of this folder = one line of the catalogue."""

    @abstractmethod
    def score(self, pool: Pool, progress: Progress) -> list[float | None]:
        """Score every document of the pool; the catalogue says whether the lowest or the highest comes first.

        Documents with the score None come last.

        Raises:
            MissingForAcquisition: the pool lacks an input. Also whatever ``progress`` raises.
        """


def ordered(scores: Sequence[float | None], *, highest_first: bool) -> list[int]:
    """Indices of the documents in order of acquisition; ties stay in order, None comes last."""
    sign = -1.0 if highest_first else 1.0
    return sorted(
        range(len(scores)), key=lambda index: (scores[index] is None, sign * (scores[index] or 0.0), index)
    )
