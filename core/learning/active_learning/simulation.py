"""Simulated annotation: a labelled corpus is revealed in the order of an acquisition function."""

from __future__ import annotations

import math
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import torch

from core.learning.active_learning.acquisition import Pool, ordered
from core.learning.active_learning.catalogue import ORDERS
from core.taggers.base.registry import by_name
from core.taggers.base.tagger import Resources, Tagger
from core.text import Document
from core.training.evaluation import evaluate
from core.training.loop import Report, train
from core.training.preparation import prepare
from core.training.run.run_folder import RunFolder
from core.training.settings import TrainingSettings, config_from_values
from core.training.stopping import Stopped

FULL = "full"  # in place of a name: the tagger trained on everything


@dataclass(frozen=True, slots=True)
class Plan:
    """Settings of a simulation.

    Args:
        tagger: registered name. config, settings: of the tagger and of the training, as in ``--set``.
        steps: minimum steps of a training, for small corpora.
        sizes: documents labelled at each point, ascending; the first is the seed set.
        until: share of the full F1 at which to stop; 1: go on to the last size.
    """

    tagger: str
    sizes: tuple[int, ...]
    config: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    steps: int = 300
    until: float = 0.95

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values under the field names."""
        return {**asdict(self), "sizes": list(self.sizes)}

    def training(self, documents: int, seed: int) -> TrainingSettings:
        """Training settings for this number of documents."""
        settings = TrainingSettings.from_values(self.settings)
        an_epoch = math.ceil(documents / (settings.batch_size * settings.accumulate))
        epochs = min(max(settings.epochs, math.ceil(self.steps / an_epoch)), 1000)
        return TrainingSettings.from_values({**self.settings, "epochs": epochs, "seed": seed})


@dataclass(frozen=True, slots=True)
class Point:
    """One training of a simulation.

    Args:
        strategy: its name, or ``full``. seed: of the seed set and the tagger.
        documents, characters, spans: labelled so far. f1: on the test documents.
        seconds: of the training; asking: of the strategy's choice.
        chosen: indices of the documents labelled since the previous point; empty for ``full``.
    """

    strategy: str
    seed: int
    documents: int
    characters: int
    spans: int
    f1: float
    seconds: float
    asking: float
    chosen: tuple[int, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values under the field names."""
        return {**asdict(self), "chosen": list(self.chosen)}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Point:
        """Parse the output of ``to_json``.

        Raises:
            KeyError, TypeError, ValueError: invalid value.
        """
        return cls(
            str(value["strategy"]), int(value["seed"]), int(value["documents"]), int(value["characters"]),
            int(value["spans"]), float(value["f1"]), float(value["seconds"]), float(value["asking"]),
            tuple(int(index) for index in value["chosen"]),
        )  # fmt: skip


class Simulation:
    """The trainings of a simulation, on the CPU.

    Args:
        train: the pool, whose spans are the simulated annotation. test: the test documents. report: called
            with the loop's ``step`` events. should_stop: polled before each step.
    """

    def __init__(
        self,
        plan: Plan,
        train: Sequence[Document],
        test: Sequence[Document],
        report: Report,
        should_stop: Callable[[], bool],
    ) -> None:
        self.plan, self.pool, self.test = plan, train, test
        self._report, self._should_stop = report, should_stop

    def full(self, seed: int) -> Point:
        """The tagger trained on the whole pool.

        Raises:
            Stopped: on request. TrainingError: there is nothing to learn.
        """
        _, f1, seconds = self._train(self.pool, seed)
        return self._point(FULL, seed, range(len(self.pool)), (), f1, seconds, 0.0)

    def points(self, strategy: str, seed: int, target: float, done: Sequence[Point]) -> Iterator[Point]:
        """Yield the remaining points, until the F1 reaches ``target`` or the sizes are exhausted.

        An interrupted simulation repeats its last training, since the next choice needs the tagger.

        Args:
            done: the points of this acquisition function and seed so far.

        Raises:
            Stopped: on request. TrainingError: a training failed.
        """
        if done and done[-1].f1 >= target:
            return
        labelled = [index for point in done for index in point.chosen]
        tagger = self._train(self._of(labelled), seed)[0] if done and len(done) < self._count() else None
        for size in self._sizes()[len(done) :]:
            begun = time.monotonic()
            chosen = self._choose(strategy, seed, labelled, tagger, size - len(labelled))
            asking = time.monotonic() - begun
            labelled = [*labelled, *chosen]
            tagger, f1, seconds = self._train(self._of(labelled), seed)
            point = self._point(strategy, seed, labelled, chosen, f1, seconds, asking)
            yield point
            if f1 >= target:
                return

    def _sizes(self) -> list[int]:
        return [size for size in self.plan.sizes if size <= len(self.pool)]

    def _count(self) -> int:
        return len(self._sizes())

    def _of(self, indices: Sequence[int]) -> list[Document]:
        return [self.pool[index] for index in indices]

    def _choose(
        self, strategy: str, seed: int, labelled: Sequence[int], tagger: Tagger | None, count: int
    ) -> list[int]:
        """The next ``count`` documents; the shared seed set is random."""
        if not labelled:
            # One seed, one seed set: seeding by text is defined by hashing.
            chance = random.Random(f"replay {seed}")  # noqa: S311 - a sample, not a secret
            return self._with_a_span(chance.sample(range(len(self.pool)), len(self.pool)), count)
        taken = set(labelled)
        left = [index for index in range(len(self.pool)) if index not in taken]
        order = ORDERS[strategy]
        # A different seed for every batch, so that draws are independent.
        pool = Pool(
            [self.pool[index].with_spans(()) for index in left],
            self._of(labelled),
            tagger,
            seed=seed * 1_000_003 + len(labelled),
        )
        scores = order.make().score(pool, self._check_stop)
        return [left[place] for place in ordered(scores, highest_first=order.highest_first)[:count]]

    def _with_a_span(self, order: Sequence[int], count: int) -> list[int]:
        """The first ``count``, including one with a span, so that training is possible."""
        first = next((place for place, index in enumerate(order) if self.pool[index].spans), 0)
        return [*order[:count]] if first < count else [*order[: count - 1], order[first]]

    def _check_stop(self, share: float) -> None:
        if self._should_stop():
            raise Stopped

    def _train(self, documents: Sequence[Document], seed: int) -> tuple[Tagger, float, float]:
        """A tagger trained on these documents, its test F1, and the training time in seconds."""
        kind = by_name(self.plan.tagger)
        settings = self.plan.training(len(documents), seed)
        # No document is held out: of 25, two or three would choose the epoch by chance.
        ready = prepare(
            documents, documents[:1], nested=kind.supports_nested, longest=settings.longest_text, seed=seed
        )
        torch.manual_seed(seed)
        config = config_from_values(kind.Config, self.plan.config)
        tagger = kind.build(config, ready.labels, Resources(documents=ready.train))
        begun = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="replay-") as folder:
            result = train(
                tagger, ready.train, (), settings, folder=RunFolder(folder), report=self._report,
                should_stop=self._should_stop, device=torch.device("cpu"),
            )  # fmt: skip
        if result.stopped:
            raise Stopped
        seconds = time.monotonic() - begun
        return tagger, evaluate(tagger, self.test).micro.f1, seconds

    def _point(
        self,
        strategy: str,
        seed: int,
        labelled: Sequence[int],
        chosen: Sequence[int],
        f1: float,
        seconds: float,
        asking: float,
    ) -> Point:
        documents = self._of(labelled)
        return Point(
            strategy,
            seed,
            len(documents),
            sum(len(document.text) for document in documents),
            sum(len(document.spans) for document in documents),
            f1,
            seconds,
            asking,
            tuple(chosen),
        )
