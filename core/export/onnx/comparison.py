"""Compares an exported graph with its tagger."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from core.export.onnx.queries import QuerySession
from core.export.onnx.session import GraphSession
from core.layers.evaluating import evaluating
from core.layers.span_scorer import candidate_pairs
from core.layers.unit_mean import unit_mean
from core.taggers.mrc.batch import MrcBatch
from core.taggers.mrc.tagger import Mrc
from core.taggers.pu.tagger import Pu
from core.taggers.sequence.tagger import SequenceTagger
from core.taggers.span.tagger import SpanTagger
from core.text import Document

_SAMPLES = (
    "清河大学在1999年下雨了。",
    "林晚晴没去 New York，她在清河教书！😀",
    "Lin of Qinghe University hired 3 people.",
    "京",
    "二〇二四年七月，上海市浦东新区人民法院公开开庭审理了本案，原告张三与被告李四到庭参加诉讼。",
)


def largest_difference(
    tagger: SequenceTagger | SpanTagger | Pu | Mrc, exported: GraphSession | QuerySession
) -> float:
    """The largest difference of a score between a tagger and its graph, on sample texts, alone and in a
    batch."""
    samples = tuple(Document(str(number), text) for number, text in enumerate(_SAMPLES))
    worst = 0.0
    with torch.inference_mode(), evaluating(tagger):
        for documents in (samples, samples[:1], samples[3:4]):
            batch = tagger.collate(documents).to(tagger.device)
            if isinstance(tagger, Mrc):
                assert isinstance(exported, QuerySession)
                assert isinstance(batch, MrcBatch)
                found = query_differences(tagger, batch, exported)
            else:
                assert isinstance(exported, GraphSession)
                found = differences(tagger, batch, exported.run(documents).scores)
            worst = max(worst, float(found.max(initial=0)))
    return worst


def query_differences(tagger: Mrc, batch: MrcBatch, exported: QuerySession) -> NDArray[np.float32]:
    """How far logits are from those of a tagger, ``[N]``: of starts and ends at the edges of pieces, and of
    the match of each start with each end."""
    scored = exported.graph.run(batch.documents)
    states = tagger.features(batch.pieces).mixed.hidden
    starts, ends = batch.rows(batch.starts), batch.rows(batch.ends)
    pairs = candidate_pairs(starts, ends)
    assert scored.states is not None
    found = np.concatenate(
        [scored.scores[starts.cpu().numpy()].ravel(), exported.match(scored.states, pairs.cpu().numpy())]
    )
    own = torch.stack(tagger.scorer.boundaries(states), dim=-1)[starts].flatten()
    expected = torch.cat([own, tagger.scorer.match(states, pairs)]).cpu().numpy()
    return np.abs(found - expected)


def differences(
    tagger: SequenceTagger | SpanTagger | Pu, batch: Any, scores: NDArray[np.float32]
) -> NDArray[np.float32]:
    """How far the scores of a graph are from those of its tagger, ``[N, K]`` of N units or possible spans.

    Of a span's score beyond 1 in size it is the share: what the characters inside say is a difference of long
    sums, and it is large for a span out of the question.
    """
    if isinstance(tagger, Pu):  # the graph gives scores of characters, whose mean over a word decides
        means = unit_mean(torch.from_numpy(scores), batch.units.cpu())
        return (means - tagger.scores(batch).cpu()).abs().numpy()[batch.mask.cpu().numpy()]
    if isinstance(tagger, SequenceTagger):
        mask = batch.mask.cpu().numpy()
        return np.abs(scores - tagger.emissions(batch).cpu().numpy())[mask]
    own = tagger.scores(batch)
    row, start, offset = own.mask.nonzero().cpu().numpy().T
    expected = own.scores.permute(0, 2, 3, 1).cpu().numpy()[row, start, offset]
    found = scores.transpose(0, 2, 3, 1)[row, start, start + offset]
    return np.abs(found - expected) / np.maximum(np.abs(expected), 1)
