"""The token loss: cross-entropy with focal loss, label smoothing and class weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from torch import Tensor

from core.taggers.base.tagger import Batch, TokenScores
from core.training.strategies.class_weights import class_counts, class_weights
from core.training.strategies.divergence import log_probabilities
from core.training.strategies.focal_loss import focal_factor
from core.training.strategies.label_smoothing import smoothed_cross_entropy
from core.training.strategies.strategy import Objective, Outcome, Strategy, TrainingContext


def token_loss(
    scores: TokenScores, *, gamma: float = 0.0, epsilon: float = 0.0, weights: Tensor | None = None
) -> Tensor:
    """``Σ_t -w_{y_t} (1 - p_{t, y_t})^γ Σ_k q_{t,k} log p_{t,k}``, summed over all tokens t, ``[]``.

    ``p_t = softmax(logits_t)``, ``y_t`` is the gold class and ``q_{t,k} = (1 - ε) [k = y_t] + ε / K``. With
    the defaults it is the cross-entropy.

    Args:
        gamma: γ of the focal loss. epsilon: ε of label smoothing. weights: ``w``, ``[K]``; None for ones.
    """
    log_p = log_probabilities(scores.logits, scores.mask)
    gold = scores.gold[scores.mask]
    losses = smoothed_cross_entropy(log_p, gold, epsilon)
    if gamma:
        losses = losses * focal_factor(log_p, gold, gamma)
    if weights is not None:
        losses = losses * weights.to(losses)[gold]
    return losses.sum()


class TokenLoss(Strategy):
    """Replaces the loss of a tagger's decisions by the token loss ``ℓ``, or adds ``λ ℓ`` to the whole loss.

    ``ℓ`` is a mean over sentences. The loss of a softmax head is ``ℓ`` with γ = ε = 0 and equal weights, so
    there ``ℓ`` replaces it. Nothing else is replaced: where a tagger's loss is ``s L + A``, with ``L`` the
    loss of its decisions, it learns by ``s ℓ + A``. Auxiliary losses and penalties stay, and γ = ε = 0 with
    equal weights gives the tagger's own loss. A CRF has no loss of single tokens: ``ℓ`` on the softmax of its
    emissions is added to its negative log-likelihood.
    """

    name: ClassVar[str] = "token_loss"

    def __init__(self, context: TrainingContext) -> None:
        super().__init__(context)
        self._counts: Tensor | None = None
        self._weights: Tensor | None = None
        wanted = self.settings.token_loss
        softmax = getattr(self.tagger.config, "head", None) == "softmax"
        self.replaces = wanted == "replace" or (wanted == "auto" and softmax)
        self.needs_scores = not self.replaces

    def begin_epoch(self, epoch: int) -> None:
        kind = self.settings.class_weights
        if kind == "off" or self._weights is not None:
            return
        if self._counts is None:
            self._counts = class_counts(self.tagger, self.context.training_batches())
        self._weights = class_weights(self._counts, kind).to(self.tagger.device)

    def objective(self, batch: Batch, inner: Objective) -> Outcome:
        if self.replaces:
            scores = self.tagger.token_scores(batch)
            return Outcome(scores.total_loss(self._of(batch, scores)), scores)
        outcome = inner(batch)
        assert outcome.scores is not None
        extra = self.settings.token_weight * self._of(batch, outcome.scores)
        return Outcome(outcome.loss + extra, outcome.scores)

    def _of(self, batch: Batch, scores: TokenScores) -> Tensor:
        settings = self.settings
        whole = token_loss(
            scores, gamma=settings.focal, epsilon=settings.label_smoothing, weights=self._weights
        )
        # The second term keeps a graph where no text of the batch has a character.
        return (whole + 0.0 * scores.logits.sum()) / max(len(batch.documents), 1)

    def state(self) -> dict[str, Tensor]:
        return {} if self._counts is None else {"counts": self._counts}

    def load_state(self, state: Mapping[str, Tensor]) -> None:
        self._counts = state.get("counts")
        self._weights = None

    @classmethod
    def is_enabled(cls, focal: float, smoothing: float, weights: str) -> bool:
        """Whether any of the three is set."""
        return bool(focal or smoothing or weights != "off")
