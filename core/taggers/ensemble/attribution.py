"""The embeddings of a member, with the shares of its words given to the units that these cover."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch

from core.taggers.base.embedding_hooks import EmbeddingHook
from core.taggers.base.tagger import Batch, Tagger
from core.taggers.sequence.lexicon_tagger import LexiconTagger


def unit_hooks(member: Tagger, batch: Batch) -> list[EmbeddingHook]:
    """The member's hooks on a batch of one sentence, whose nodes are all units of it.

    Members may match different words, so an ensemble has no lattice of its own: what a word contributes goes
    in equal parts to the units that it covers.
    """
    hooks, encoder = member.embedding_hooks(batch), member.encoder_part()
    if not isinstance(encoder, LexiconTagger):
        return hooks
    lattice = encoder.lattice(batch.documents[0])
    covered: list[Sequence[int]] = [(unit,) for unit in range(lattice.characters)]
    covered += [range(word.head, word.tail + 1) for word in lattice.words]
    return [_spread(hook, covered) for hook in hooks]


def _spread(hook: EmbeddingHook, covered: Sequence[Sequence[int]]) -> EmbeddingHook:
    rows = [
        (vector, unit, share / len(covered[node]))
        for vector, node, share in zip(
            hook.vector.tolist(), hook.node.tolist(), hook.share.tolist(), strict=True
        )
        for unit in covered[node]
    ]
    vectors, units, shares = zip(*rows, strict=True) if rows else ((), (), ())
    return replace(
        hook,
        vector=torch.tensor(vectors, dtype=torch.long),
        node=torch.tensor(units, dtype=torch.long),
        share=torch.tensor(shares, dtype=torch.float64),
    )
