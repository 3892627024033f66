"""FLAT's traces: tensors of a batch, cut to each sentence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from torch import Tensor

from core.layers import CRF
from core.taggers.crf_decoding import CrfDecoder
from core.taggers.flat_features import FlatBatch
from core.taggers.trace import CrfTrace, LatticeTrace, Trace


def flat_traces(
    tagger: str,
    batch: FlatBatch,
    emissions: Tensor,
    attention: Sequence[Tensor],
    crf: CRF,
    decoder: CrfDecoder,
) -> list[Trace]:
    """One trace per sentence.

    Args:
        tagger: registered name. emissions: ``[B, T, K]``.
        attention: per layer ``[B, N, Q, L]``, Q = T in the last one and L before.
    """
    mask = batch.nodes.char_mask
    paths = crf.decode(emissions, mask, decoder.constraints)
    spans = decoder.score(crf, emissions, mask, [decoder.read(path) for path in paths])
    marginals = crf.marginals(emissions, mask, decoder.constraints)
    traces = []
    for index, (document, lattice) in enumerate(zip(batch.documents, batch.lattices, strict=True)):
        characters, nodes = lattice.characters, len(lattice)
        cut = []
        for layer, weights in enumerate(attention):
            queries = characters if layer == len(attention) - 1 else nodes
            cut.append(weights[index, :, :queries, :nodes].float().cpu().numpy())
        traces.append(
            Trace(
                text=document.text,
                tokens=tuple(document.text),
                spans=tuple(spans[index]),
                tagger=tagger,
                attention=tuple(cut),
                lattice=LatticeTrace(
                    lattice.nodes,
                    np.array(lattice.head, dtype=np.int64),
                    np.array(lattice.tail, dtype=np.int64),
                    characters,
                ),
                crf=CrfTrace(
                    tags=decoder.tags,
                    emissions=emissions[index, :characters].cpu().numpy(),
                    transitions=crf.transitions.detach().cpu().numpy(),
                    start=crf.start_transitions.detach().cpu().numpy(),
                    end=crf.end_transitions.detach().cpu().numpy(),
                    marginals=marginals[index, :characters].cpu().numpy(),
                    path=np.array(paths[index], dtype=np.int64),
                ),
            )
        )
    return traces
