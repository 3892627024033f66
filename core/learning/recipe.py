"""Grid experiments on the effect of learning rate, warm-up, initialisation, depth and batch size on a
Transformer.

A Transformer learns ``(a + 1)² + b``: of two numbers, or element by element of ten tokens, 256 wide, from the
standard normal distribution. The first is small enough to train a whole grid in minutes, and hard enough that
a deep model fails without the right recipe; the second is as wide as models in use.
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
TOKENS, VECTOR_WIDTH, VECTOR_HEADS = 10, 256, 8
STEPS = 200
HELD_OUT = 1024  # samples the error is measured on, the same for every recipe


@dataclass(frozen=True, slots=True)
class Recipe:
    """One training configuration: warm-up in steps, batch in samples, depth in layers; the initialisation is
    one of ``INITIALISATIONS``, or one with its scale: ``normal:0.1``."""

    learning_rate: float
    warm_up: int
    initialisation: str
    depth: int
    batch: int
    task: str = "numbers"


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a recipe.

    Args:
        recipe: the configuration.
        error: mean squared error on held-out samples divided by their variance: 0 is perfect, 1 is no better
            than predicting the mean; None if the training diverged.
        seconds: duration.
    """

    recipe: Recipe
    error: float | None
    seconds: float


@dataclass(frozen=True, slots=True)
class Grid:
    """A grid of recipes: all combinations of these values, for one task."""

    learning_rates: tuple[float, ...] = (1e-3, 3e-3, 1e-2)
    warm_ups: tuple[int, ...] = (0, 60)
    initialisations: tuple[str, ...] = ("own", "xavier_uniform", "normal")
    depths: tuple[int, ...] = (2, 6)
    batches: tuple[int, ...] = (16, 64)
    task: str = "numbers"

    def recipes(self) -> list[Recipe]:
        """All recipes, the learning rate changing last."""
        shallow_first = product(
            self.depths, self.initialisations, self.warm_ups, self.batches, self.learning_rates
        )
        return [
            Recipe(rate, warm_up, initialisation, depth, batch, self.task)
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
        self.layers = _layers(depth, WIDTH, HEADS)
        self.answer = nn.Linear(WIDTH, 1)

    def forward(self, pairs: Tensor) -> Tensor:
        """``[B, 2]`` to ``[B]``."""
        hidden = self.number(pairs[..., None]) + self.place  # shape: (B, 2, WIDTH)
        for layer in self.layers:
            hidden = layer(hidden)
        answer: Tensor = self.answer(hidden.mean(1)).squeeze(-1)
        return answer


class VectorTransformer(nn.Module):
    """The same encoder over ten vectors as they are, with a linear output over the states of the first five.

    Args:
        depth: layers.
    """

    def __init__(self, depth: int) -> None:
        super().__init__()
        self.place = nn.Parameter(torch.randn(TOKENS, VECTOR_WIDTH))
        self.layers = _layers(depth, VECTOR_WIDTH, VECTOR_HEADS)
        self.answer = nn.Linear(VECTOR_WIDTH, VECTOR_WIDTH)

    def forward(self, vectors: Tensor) -> Tensor:
        """``[B, TOKENS, VECTOR_WIDTH]`` to ``[B, TOKENS / 2, VECTOR_WIDTH]``."""
        hidden = vectors + self.place
        for layer in self.layers:
            hidden = layer(hidden)
        answer: Tensor = self.answer(hidden[:, : TOKENS // 2])
        return answer


def _layers(depth: int, width: int, heads: int) -> nn.ModuleList:
    return nn.ModuleList(
        nn.TransformerEncoderLayer(width, heads, 4 * width, dropout=0.0, batch_first=True)
        for _ in range(depth)
    )


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
        build, draw, target = TASKS[recipe.task]
        held_out = draw(HELD_OUT)
        model = build(recipe.depth)
        name, _, scale = recipe.initialisation.partition(":")
        initialise(model, name, float(scale or 0))
        _train(model, recipe, steps)
    with torch.no_grad():
        gold = target(held_out)
        error = float(((model.eval()(held_out) - gold) ** 2).mean() / gold.var(correction=0))
    return Result(recipe, error if math.isfinite(error) else None, time.monotonic() - start)


def row(result: Result) -> dict[str, Any]:
    """A result as one flat JSON object."""
    recipe = result.recipe
    return {
        "task": recipe.task,
        "learning_rate": recipe.learning_rate,
        "warm_up": recipe.warm_up,
        "initialisation": recipe.initialisation,
        "depth": recipe.depth,
        "batch": recipe.batch,
        "error": result.error,
        "seconds": round(result.seconds, 3),
    }


def _train(model: nn.Module, recipe: Recipe, steps: int) -> None:
    _build, draw, target = TASKS[recipe.task]
    optimiser = torch.optim.Adam(model.parameters(), lr=recipe.learning_rate)
    for step in range(steps):
        factor = learning_rate_factor(step, steps, recipe.warm_up, "linear")
        optimiser.param_groups[0]["lr"] = recipe.learning_rate * factor
        samples = draw(recipe.batch)
        loss = ((model(samples) - target(samples)) ** 2).mean()
        optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call,unused-ignore]
        optimiser.step()


def pairs(count: int) -> Tensor:
    """Numbers from -2 to 2, ``[count, 2]``."""
    return 4 * torch.rand(count, 2) - 2


def target_of_pairs(pairs: Tensor) -> Tensor:
    """``(a + 1)² + b`` of pairs ``[B, 2]``: ``[B]``."""
    return (pairs[:, 0] + 1) ** 2 + pairs[:, 1]


def vectors(count: int) -> Tensor:
    """Numbers of the standard normal distribution, ``[count, TOKENS, VECTOR_WIDTH]``."""
    return torch.randn(count, TOKENS, VECTOR_WIDTH)


def target_of_vectors(vectors: Tensor) -> Tensor:
    """``(a + 1)² + b`` of every element, with a in the first five tokens and b in the others."""
    a, b = vectors.chunk(2, dim=1)
    return (a + 1) ** 2 + b


# The model of so many layers, its samples, and what it should answer to them.
TASKS: dict[str, tuple[Callable[[int], nn.Module], Callable[[int], Tensor], Callable[[Tensor], Tensor]]] = {
    "numbers": (PairTransformer, pairs, target_of_pairs),
    "vectors": (VectorTransformer, vectors, target_of_vectors),
}
