"""Learning rate schedules."""

from __future__ import annotations

import math

DECAYS = ("linear", "cosine", "inverse_sqrt", "constant")


def learning_rate_factor(step: int, steps: int, warm_up: int, decay: str) -> float:
    """The factor of the learning rate at ``step``.

    Args:
        step: 0 for the first step.
        steps: steps of the whole training.
        warm_up: steps over which the factor grows linearly to 1.
        decay: ``linear`` or ``cosine`` to zero just after the last step; ``inverse_sqrt``, one over the root
            of the step (Vaswani et al., Attention Is All You Need, 2017, equation 3); or ``constant``.
    """
    if step < warm_up:
        return (step + 1) / (warm_up + 1)
    if decay == "constant":
        return 1.0
    if decay == "inverse_sqrt":
        return math.sqrt((warm_up + 1) / (step + 1))
    done = min(1.0, (step - warm_up) / max(1, steps - warm_up))
    return 1.0 - done if decay == "linear" else 0.5 * (1.0 + math.cos(math.pi * done))
