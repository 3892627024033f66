"""Tag scores of texts in batches, and acquisition functions computed from them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Generic, NamedTuple, TypeVar

import torch
from torch import Tensor

from core.layers.evaluating import evaluating
from core.learning.active_learning.acquisition import Acquisition, Pool, Progress
from core.taggers.base.tagging import Piece, batches_by_cost, disjoint_pieces
from core.taggers.sequence.tagger import SequenceTagger
from core.text import Document

Measure = TypeVar("Measure")


class Chains(NamedTuple):
    """Pieces of texts with their tag scores.

    Args:
        tagger: has the transitions (``crf``) and says which are legal (``decoder.constraints``).
        pieces: B windows of documents. emissions: ``[B, T, K]``. mask: ``[B, T]``, characters first.
    """

    tagger: SequenceTagger
    pieces: Sequence[Piece]
    emissions: Tensor
    mask: Tensor


def chains_of(tagger: SequenceTagger, documents: Sequence[Document], progress: Progress) -> Iterator[Chains]:
    """All non-empty documents, in batches of pieces of similar length.

    Runs in evaluation mode, without gradients.
    """
    pieces = disjoint_pieces(tagger, documents)
    done = 0
    with evaluating(tagger):
        for group in batches_by_cost(pieces):
            with torch.inference_mode():
                batch = tagger.collate([piece.text for piece in group]).to(tagger.device)
                checked = tagger.check_batch(batch)
                emissions = tagger.emissions(checked)
            yield Chains(tagger, group, emissions, checked.mask)
            done += len(group)
            progress(done / len(pieces))


class ChainAcquisition(Acquisition, Generic[Measure]):
    """An acquisition function that scores the pieces of a document by the CRF and combines the scores."""

    @abstractmethod
    def measure(self, chains: Chains) -> Sequence[Measure]:
        """One value for each piece."""

    @abstractmethod
    def join(self, measures: Sequence[Measure]) -> float | None:
        """The score of a document from the values of its pieces (at least one, in any order)."""

    def score(self, pool: Pool, progress: Progress) -> list[float | None]:
        by_document: list[list[Measure]] = [[] for _ in pool.documents]
        for chains in chains_of(pool.chain_tagger(), pool.documents, progress):
            with torch.inference_mode():
                measures = self.measure(chains)
            for piece, measure in zip(chains.pieces, measures, strict=True):
                by_document[piece.document].append(measure)
        return [self.join(measures) if measures else None for measures in by_document]
