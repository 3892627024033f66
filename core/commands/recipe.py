"""``python -m core recipe``: which learning rate, warm-up, initialisation, depth and batch train at all."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from typing import Any

from core.commands.terminal.errors import CommandError
from core.commands.terminal.progress_line import ProgressLine
from core.training.strategies.settings import INITIALISATIONS

LISTS: dict[str, tuple[Callable[[str], Any], str]] = {
    "learning_rates": (float, "highest step sizes, each above 0"),
    "warm_ups": (int, "steps over which the step size grows, each 0 or more"),
    "initialisations": (
        str,
        f"first weights, each one of {', '.join(INITIALISATIONS)}, with a scale after a colon if not its own "
        "(normal:0.1)",
    ),
    "depths": (int, "layers of the Transformer, each 1 to 24"),
    "batches": (int, "samples in a step, each 1 to 4096"),
}
TASKS = ("numbers", "vectors")


def add_parser(subparsers: Any) -> None:
    """Add ``recipe``."""
    parser = subparsers.add_parser(
        "recipe",
        help="train a small Transformer by many recipes and compare",
        description="Train a Transformer on (a + 1)^2 + b once for every combination of the lists and print "
        "one JSON object a line: the recipe, its error on held-out samples as a share of their variance (1 "
        "is no better than the mean) and the seconds it took.",
    )
    for name, (_, words) in LISTS.items():
        flag = "--" + name.replace("_", "-")
        parser.add_argument(flag, metavar="A,B,…", help=f"{words}; separated by commas")
    parser.add_argument(
        "--task",
        choices=TASKS,
        default=TASKS[0],
        help="a and b are two numbers, or vectors of 256 numbers in ten tokens, which takes longer; numbers",
    )
    parser.add_argument("--steps", type=int, default=200, metavar="N", help="steps of every training; 200")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of every training; 1")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """One row for every recipe, as they come."""
    chosen = {name: _values(name, given) for name in LISTS if (given := getattr(args, name)) is not None}
    if not 1 <= args.steps <= 100_000:
        raise CommandError(f"--steps {args.steps}: expected 1 to 100000")
    return _rows({**chosen, "task": args.task}, args.steps, args.seed)


def _rows(chosen: dict[str, Any], steps: int, seed: int) -> Iterator[dict[str, Any]]:
    import torch

    from core.learning.recipe import Grid, results, row

    torch.set_num_threads(1)  # for matrices this small more threads only wait for each other
    grid = Grid(**chosen)
    count = len(grid.recipes())
    line = ProgressLine()
    taken = 0.0
    line.show("Recipe 1", 0.0, None)
    for number, result in enumerate(results(grid, steps=steps, seed=seed), start=1):
        taken += result.seconds
        line.clear()
        yield row(result)
        line.show(f"Recipe {number} of {count}", number / count, taken / number * (count - number))
    line.clear()


def _values(name: str, given: str) -> tuple[Any, ...]:
    """The values of one list.

    Raises:
        CommandError: one of them does not fit; says what the list takes.
    """
    kind, words = LISTS[name]
    try:
        values = tuple(kind(part.strip()) for part in given.split(","))
    except ValueError:
        values = ()
    if not values or not all(_fits(name, value) for value in values):
        raise CommandError(f"--{name.replace('_', '-')} {given}: expected {words}, separated by commas")
    return values


def _fits(name: str, value: Any) -> bool:
    if name == "initialisations":
        known, colon, scale = value.partition(":")
        return known in INITIALISATIONS and (not colon or _is_scale(known, scale))
    limits = {
        "learning_rates": (1e-9, 10.0),
        "warm_ups": (0, 100_000),
        "depths": (1, 24),
        "batches": (1, 4096),
    }
    low, high = limits[name]
    return bool(low <= value <= high)


def _is_scale(initialisation: str, given: str) -> bool:
    try:
        return initialisation != "own" and 1e-9 <= float(given) <= 1e3
    except ValueError:
        return False
