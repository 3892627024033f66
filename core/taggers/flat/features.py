"""The inputs of FLAT: characters, bigrams and lattice words as rows of embedding tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from core import layers
from core.encoders.vocabulary import Vocabulary
from core.layers.flat.relative_positions import RelativePositions, sinusoids
from core.lexicon import Lattice
from core.taggers.base.trace import Array, LatticeTrace, RelativeTrace
from core.taggers.sequence.character_tagger import CharacterBatch
from core.taggers.sequence.tables import padded

# What the published code calls ff and ff_two, in the names of `LatticeTrace.distances`.
FOUR_DISTANCES = ("head-head", "head-tail", "tail-head", "tail-tail")
TWO_DISTANCES = ("head-head", "tail-tail")


@dataclass(frozen=True)
class FlatBatch(CharacterBatch):
    """A batch for FLAT: B sentences of at most T characters, W words and L nodes.

    Args:
        lattices: their lattices, for traces. words: table rows, ``[B, W]``.
        source: the column of node l among the T character columns followed by the W word columns, ``[B, L]``;
            0 at padding.
        nodes: positions and lengths.
    """

    lattices: tuple[Lattice, ...]
    words: Tensor
    source: Tensor
    nodes: layers.Lattice


def node_sources(lattices: Sequence[Lattice]) -> Tensor:
    """See ``source`` of :class:`FlatBatch`."""
    most = max((lattice.characters for lattice in lattices), default=0)
    rows = [[*range(lattice.characters), *range(most, most + len(lattice.words))] for lattice in lattices]
    return padded(rows)


def node_positions(lattices: Sequence[Lattice]) -> layers.Lattice:
    """Heads, tails and lengths as tensors."""
    return layers.Lattice.of_words(
        [lattice.characters for lattice in lattices],
        [[(word.head, word.tail) for word in lattice.words] for lattice in lattices],
    )


def word_rows(lattices: Sequence[Lattice], vocabulary: Vocabulary) -> Tensor:
    """Table rows of the words of every lattice, ``[B, W]``."""
    return padded([vocabulary.rows([word.word for word in lattice.words]) for lattice in lattices])


def unpadded_attention(lattice: Lattice, attention: Sequence[Tensor], index: int) -> tuple[Array, ...]:
    """The attention of sentence ``index`` of a batch, without padding.

    Args:
        attention: per layer ``[B, N, Q, L]``, Q = T in the last one and L before.
    """
    characters, nodes = lattice.characters, len(lattice)
    layers = []
    for layer, weights in enumerate(attention):
        queries = characters if layer == len(attention) - 1 else nodes
        layers.append(weights[index, :, :queries, :nodes].float().cpu().numpy())
    return tuple(layers)


def relative_trace(lattice: LatticeTrace, positions: RelativePositions) -> RelativeTrace:
    """The encodings of the distances in a lattice under the fusion of a FLAT encoder."""
    device, farthest = positions.fusion.weight.device, max(lattice.characters - 1, 0)
    head, tail = (torch.from_numpy(edge).to(device) for edge in (lattice.head, lattice.tail))
    distances = torch.arange(-farthest, farthest + 1, dtype=torch.float32)
    return RelativeTrace(
        kinds=FOUR_DISTANCES if positions.four_distances else TWO_DISTANCES,
        norms=positions.norms(head, tail).float().cpu().numpy(),
        sinusoids=sinusoids(distances, positions.hidden).numpy(),
    )
