"""FGM: Adversarial Training Methods for Semi-Supervised Text Classification (Miyato et al., ICLR 2017)."""

from __future__ import annotations

from typing import ClassVar

from core.training.strategies.perturbation import embedding_tables, perturbed, rescaled
from core.training.strategies.step import Step
from core.training.strategies.strategy import Strategy


class FGM(Strategy):
    """The gradient at ``e + r`` is added to that at ``e``, with ``r = ε g / ‖g‖₂`` (section 3).

    ``e`` are the embedding tables and ``g`` is the gradient of the step's loss with respect to them.
    """

    name: ClassVar[str] = "fgm"

    def after_backward(self, step: Step) -> None:
        tables = embedding_tables(self.tagger, "FGM")
        if tables:
            with perturbed(tables, rescaled(step.clean_gradient(tables), self.settings.fgm)):
                step.backward()
