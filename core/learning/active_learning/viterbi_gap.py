"""Viterbi gap: the margin of the best tag sequence over the second best."""

from __future__ import annotations

from collections.abc import Sequence

from core.learning.active_learning.chains import ChainAcquisition, Chains


class ViterbiGap(ChainAcquisition[float | None]):
    """``log P(y1 | x) - log P(y2 | x)`` of the two best sequences; the smallest comes first.

    Margin sampling (Scheffer, Decomain and Wrobel, Active hidden Markov models for information extraction,
    IDA 2001; for sequences Settles and Craven, EMNLP 2008, eq. 5, with probabilities). In logarithms the
    partition cancels, so two-best Viterbi suffices. A long text has the smallest gap of its pieces.
    """

    def measure(self, chains: Chains) -> list[float | None]:
        tagger = chains.tagger
        constraints = tagger.decoder.constraints
        best = tagger.crf.best_paths(chains.emissions, chains.mask, 2, constraints)
        return [paths[0].score - paths[1].score if len(paths) == 2 else None for paths in best]

    def join(self, measures: Sequence[float | None]) -> float | None:
        return min((gap for gap in measures if gap is not None), default=None)
