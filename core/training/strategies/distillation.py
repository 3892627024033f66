"""Distilling the Knowledge in a Neural Network (Hinton, Vinyals and Dean, 2015), for tag sequences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import torch
from torch import Tensor

from core.taggers.base.tagger import Batch
from core.taggers.sequence.tagger import SequenceTagger
from core.training.strategies.strategy import Objective, Outcome, Strategy, TrainingContext


def softened_divergence(teacher: Tensor, student: Tensor, mask: Tensor, temperature: float) -> Tensor:
    """Sum over units of ``KL(p ‖ q)`` for ``p ∝ teacher^(1/T)`` and ``q ∝ exp(student)^(1/T)``, ``[]``.

    For a softmax these are the distributions of its logits divided by T, as in the paper. A CRF or an average
    of taggers has no logits of single tags: there they are its marginals, softened in the same way.

    Args:
        teacher: probabilities, ``[B, T, K]``. student: log-probabilities, ``[B, T, K]``.
        mask: True at units, ``[B, T]``. temperature: T, above 0.
    """
    # Masked first: values at padding must not reach the sum or its gradient.
    p = (teacher[mask].log() / temperature).softmax(-1)
    log_q = (student[mask] / temperature).log_softmax(-1)
    return (torch.xlogy(p, p) - p * log_q).sum()


def without_tags(teacher: Tensor, student: Tensor, unknown: Sequence[int]) -> tuple[Tensor, Tensor]:
    """Both distributions over what a teacher can tell apart: unknown tags and tag 0, no span, are one.

    Args:
        teacher: probabilities, ``[B, T, K]``, 0 at unknown tags. student: log-probabilities, ``[B, T, K]``.
        unknown: numbers of tags, without 0.
    """
    kept = [tag for tag in range(1, student.shape[-1]) if tag not in unknown]
    outside = student[..., [0, *unknown]].logsumexp(-1, keepdim=True)
    return teacher[..., [0, *kept]], torch.cat([outside, student[..., kept]], dim=-1)


class Distillation(Strategy):
    """``(1 - λ) L + λ T² KL(p ‖ q)``: the loss of the labels and the divergence from the teacher.

    The divergence is between the tag probabilities at every unit, summed over the units of a sentence and
    averaged over sentences, like the loss L; T² keeps its gradient from shrinking with the temperature
    (section 2 of the paper). Of a raw text L is 0, since none of it is annotated; of a unit at which the
    teacher was not asked the divergence is 0. λ and T are those of the `Lesson`.

    Args:
        context: with a lesson, of a training of a `SequenceTagger`.
    """

    name: ClassVar[str] = "distillation"
    needs_scores = True

    def __init__(self, context: TrainingContext) -> None:
        super().__init__(context)
        assert context.lesson is not None
        assert isinstance(context.tagger, SequenceTagger)
        self.lesson, self.student = context.lesson, context.tagger

    def objective(self, batch: Batch, inner: Objective) -> Outcome:
        outcome = inner(batch)
        assert outcome.scores is not None
        emissions, mask = outcome.scores.logits, self.student.check_batch(batch).mask
        teacher = self.lesson.of(batch, mask.shape[1]).to(emissions.device)
        student = self.student.log_marginals(emissions, mask)
        temperature, share = self.lesson.temperature, self.lesson.share
        mask = mask & (teacher > 0).any(-1)
        if self.lesson.unknown:
            teacher, student = without_tags(teacher, student, self.lesson.unknown)
        apart = softened_divergence(teacher.to(student.dtype), student, mask, temperature)
        apart = apart / max(len(batch.documents), 1)
        loss = (1 - share) * outcome.loss + (share * temperature**2 * apart).to(outcome.loss.dtype)
        return Outcome(loss, outcome.scores)
