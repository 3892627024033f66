"""PGD: Towards Deep Learning Models Resistant to Adversarial Attacks (Madry et al., ICLR 2018)."""

from __future__ import annotations

from typing import ClassVar

from core.training.strategies.perturbation import embedding_tables, perturbed, project, rescaled
from core.training.strategies.step import Step
from core.training.strategies.strategy import Strategy


class PGD(Strategy):
    """The gradient at ``e + r_K`` is added to that at ``e``; ``r`` ascends the loss within a ball.

    ``r_0 = 0`` and ``r_{k+1} = Π(r_k + α g_k / ‖g_k‖₂)``, where ``g_k`` is the gradient of the step's loss
    with respect to the embedding tables at ``e + r_k`` and ``Π`` projects onto ``‖r‖₂ ≤ ε`` (section 2.1).
    """

    name: ClassVar[str] = "pgd"

    def after_backward(self, step: Step) -> None:
        tables = embedding_tables(self.tagger, "PGD")
        if not tables:
            return
        size, radius = self.settings.pgd_step_length, self.settings.pgd_radius
        gradient = step.clean_gradient(tables)
        perturbation = project(rescaled(gradient, size), radius)
        for _ in range(self.settings.pgd_steps - 1):
            with perturbed(tables, perturbation):
                gradient = step.gradient(tables)
            climbed = [old + new for old, new in zip(perturbation, rescaled(gradient, size), strict=True)]
            perturbation = project(climbed, radius)
        with perturbed(tables, perturbation):
            step.backward()
