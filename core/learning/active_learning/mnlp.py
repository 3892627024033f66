"""Maximum normalised log-probability: the log-probability of the best tag sequence per character."""

from __future__ import annotations

from collections.abc import Sequence

from core.learning.active_learning.chains import ChainAcquisition, Chains


class Mnlp(ChainAcquisition[tuple[float, int]]):
    """``max_y (1/n) log P(y | x)``; the lowest comes first.

    Shen et al., Deep active learning for named entity recognition, ICLR 2018, section 4 (MNLP). Without the
    division by the length n, long sentences would always come first. ``P`` is the CRF's, over legal tag
    sequences if the tagger only decodes those. The pieces of a long text are treated as independent.
    """

    def measure(self, chains: Chains) -> list[tuple[float, int]]:
        tagger, lengths = chains.tagger, chains.mask.sum(1).tolist()
        best = tagger.decoder.best_paths(tagger.crf, chains.emissions, chains.mask, 1)
        return [(paths[0].log_probability, length) for paths, length in zip(best, lengths, strict=True)]

    def join(self, measures: Sequence[tuple[float, int]]) -> float:
        return sum(value for value, _ in measures) / sum(length for _, length in measures)
