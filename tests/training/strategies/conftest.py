"""A tiny tagger in double precision with the step and the context a strategy meets."""

from collections.abc import Sequence

import pytest
import torch

from core.training.precision import Precision
from core.training.processes import ALONE
from core.training.settings import TrainingSettings
from core.training.strategies.step import Step
from core.training.strategies.strategy import TrainingContext


@pytest.fixture
def exact(tiny):
    """A tiny tagger without dropout, in double precision."""

    def build(seed: int = 1, dropout: float = 0.0):
        return tiny(seed, dropout=dropout).double().train()

    return build


@pytest.fixture
def context(documents):
    """What a strategy is told of a training."""

    def build(tagger, *, unlabelled: Sequence = (), steps_per_epoch: int = 9, **settings):
        return TrainingContext(
            tagger,
            TrainingSettings(**settings),
            documents,
            unlabelled,
            lambda found: (tagger.collate(found[i : i + 4]) for i in range(0, len(found), 4)),
            ALONE,
            steps_per_epoch,
        )

    return build


def step_of(tagger, *batches, loss=None) -> Step:
    """A step over these documents, its own gradient in ``.grad``."""
    tagger.zero_grad()
    collated = [tagger.collate(batch) for batch in batches]
    step = Step(
        collated,
        sum(len(batch) for batch in batches),
        loss or tagger.loss,
        list(tagger.parameters()),
        torch.device("cpu"),
        Precision("off", "cpu"),
        ALONE,
    )
    step.backward()
    return step


def gradients(tagger) -> dict[str, torch.Tensor]:
    return {name: parameter.grad.clone() for name, parameter in tagger.named_parameters()}
