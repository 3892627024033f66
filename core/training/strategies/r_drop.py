"""R-Drop: Regularized Dropout for Neural Networks (Liang et al., NeurIPS 2021)."""

from __future__ import annotations

from typing import ClassVar

from core.taggers.base.tagger import Batch
from core.training.strategies.divergence import symmetric_divergence
from core.training.strategies.strategy import Objective, Outcome, Strategy


class RDrop(Strategy):
    """``½ (L_1 + L_2) + α/2 · ½ [KL(p_1 ‖ p_2) + KL(p_2 ‖ p_1)]`` of two passes with different dropout.

    This is half of the paper's loss (equations 2 to 4), so that the loss keeps its scale; α means the same.
    The divergence is between token decisions (for a CRF, the softmax of its emissions), summed over the
    tokens of a sentence and averaged over sentences, like the loss.
    """

    name: ClassVar[str] = "r_drop"
    needs_scores = True

    def objective(self, batch: Batch, inner: Objective) -> Outcome:
        first, second = inner(batch), inner(batch)
        assert first.scores is not None
        assert second.scores is not None
        apart = symmetric_divergence(first.scores, second.scores) / max(len(batch.documents), 1)
        loss = 0.5 * (first.loss + second.loss) + 0.5 * self.settings.r_drop * apart
        return Outcome(loss, first.scores)
