"""Grid experiments on the effect of learning rate, warm-up, initialisation, depth and batch size on a
Transformer.

A Transformer reads two numbers a and b and learns ``(a + 1)² + b``. The task is small enough to train a whole
grid in minutes, and hard enough that a deep model fails without the right recipe.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import torch
from torch import Tensor, nn

from core.training.schedule import learning_rate_factor
from core.training.strategies.initialisation import initialise

WIDTH, HEADS = 32, 4
STEPS = 200
HELD_OUT = 1024  # pairs the error is measured on, the same for every recipe


@dataclass(frozen=True, slots=True)
class Recipe:
    """One training configuration: warm-up in steps, batch in pairs, depth in layers."""

    learning_rate: float
    warm_up: int
    initialisation: str
    depth: int
    batch: int


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a recipe.

    Args:
        recipe: the configuration.
        error: mean squared error on held-out pairs divided by their variance: 0 is perfect, 1 is no better
            than predicting the mean; None if the training diverged.
        seconds: duration.
    """

    recipe: Recipe
    error: float | None
    seconds: float


@dataclass(frozen=True, slots=True)
class Grid:
    """A grid of recipes: all combinations of these values."""

    learning_rates: tuple[float, ...] = (1e-3, 3e-3, 1e-2)
    warm_ups: tuple[int, ...] = (0, 60)
    initialisations: tuple[str, ...] = ("own", "xavier_uniform", "normal")
    depths: tuple[int, ...] = (2, 6)
    batches: tuple[int, ...] = (16, 64)

    def recipes(self) -> list[Recipe]:
        """All recipes, the learning rate changing last."""
        shallow_first = product(
            self.depths, self.initialisations, self.warm_ups, self.batches, self.learning_rates
        )
        return [
            Recipe(rate, warm_up, initialisation, depth, batch)
            for depth, initialisation, warm_up, batch, rate in shallow_first
        ]


class PairTransformer(nn.Module):
    """A post-norm Transformer encoder over the two numbers, with a linear output over the mean of their
    states.

    Args:
        depth: layers.
    """

    def __init__(self, depth: int) -> None:
        super().__init__()
        self.number = nn.Linear(1, WIDTH)
        self.place = nn.Parameter(torch.randn(2, WIDTH))
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(WIDTH, HEADS, 4 * WIDTH, dropout=0.0, batch_first=True)
            for _ in range(depth)
        )
        self.answer = nn.Linear(WIDTH, 1)

    def forward(self, pairs: Tensor) -> Tensor:
        """``[B, 2]`` to ``[B]``."""
        hidden = self.number(pairs[..., None]) + self.place  # shape: (B, 2, WIDTH)
        for layer in self.layers:
            hidden = layer(hidden)
        answer: Tensor = self.answer(hidden.mean(1)).squeeze(-1)
        return answer


def results(
    grid: Grid, *, steps: int = STEPS, seed: int = 1, should_stop: Callable[[], bool] = lambda: False
) -> Iterator[Result]:
    """Train the recipes one after the other and yield their results.

    Args:
        steps: of every training. seed: of every training. should_stop: called before each recipe.
    """
    for recipe in grid.recipes():
        if should_stop():
            return
        yield run_recipe(recipe, steps=steps, seed=seed)


def run_recipe(recipe: Recipe, *, steps: int, seed: int) -> Result:
    """Train one Transformer with Adam and measure its error."""
    start = time.monotonic()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        pairs = _pairs(HELD_OUT)
        model = PairTransformer(recipe.depth)
        initialise(model, recipe.initialisation)
        _train(model, recipe, steps)
    with torch.no_grad():
        gold = target(pairs)
        error = float(((model.eval()(pairs) - gold) ** 2).mean() / gold.var(correction=0))
    return Result(recipe, error if math.isfinite(error) else None, time.monotonic() - start)


def target(pairs: Tensor) -> Tensor:
    """``(a + 1)² + b`` of pairs ``[B, 2]``: ``[B]``."""
    return (pairs[:, 0] + 1) ** 2 + pairs[:, 1]


def row(result: Result) -> dict[str, Any]:
    """A result as one flat JSON object."""
    recipe = result.recipe
    return {
        "learning_rate": recipe.learning_rate,
        "warm_up": recipe.warm_up,
        "initialisation": recipe.initialisation,
        "depth": recipe.depth,
        "batch": recipe.batch,
        "error": result.error,
        "seconds": round(result.seconds, 3),
    }


def _train(model: PairTransformer, recipe: Recipe, steps: int) -> None:
    optimiser = torch.optim.Adam(model.parameters(), lr=recipe.learning_rate)
    for step in range(steps):
        factor = learning_rate_factor(step, steps, recipe.warm_up, "linear")
        optimiser.param_groups[0]["lr"] = recipe.learning_rate * factor
        pairs = _pairs(recipe.batch)
        loss = ((model(pairs) - target(pairs)) ** 2).mean()
        optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call,unused-ignore]
        optimiser.step()


def _pairs(count: int) -> Tensor:
    """Numbers from -2 to 2, ``[count, 2]``."""
    return 4 * torch.rand(count, 2) - 2
