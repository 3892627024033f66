"""What makes confidence a probability: a temperature and a shift of the log-odds of spans (Platt, 1999)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

import torch
from torch import Tensor
from torch.nn import functional

from core.layers.wide import wide
from core.text import Span

FEWEST = 20  # spans to fit two numbers to
FEWEST_OF_LABEL = 50  # spans of a label, from which it is fitted on its own
LEAST, MOST = 0.1, 10.0  # of the temperature
LARGEST = 20.0  # of the shift: a probability of 1 - 2e-9
PRIOR = 10.0  # precision with which a label's numbers are expected at those of all labels
# What is closer to a probability of 1 is a rounding error of float32, which log-odds would enlarge.
CLOSEST = 1e-5
STEPS = 50  # of Newton's method at most
Odds = TypeVar("Odds", float, Tensor)


class Scaling(NamedTuple):
    """Calibrated log-odds are the raw ones divided by ``temperature``, plus ``shift``."""

    temperature: float = 1.0
    shift: float = 0.0

    def scaled(self, log_odds: Odds) -> Odds:
        """Calibrated log-odds of raw ones, of any shape."""
        return log_odds / self.temperature + self.shift


UNCHANGED = Scaling()


class Judged(NamedTuple):
    """N spans that were found, and which of them are right.

    Args:
        log_odds: as the tagger gives them, ``[N]``. labels: index of the label of each, ``[N]`` int64.
        right: whether it is a gold span, ``[N]`` bool.
    """

    log_odds: Tensor
    labels: Tensor
    right: Tensor


@dataclass(frozen=True, slots=True)
class Calibration:
    """The scaling of the log-odds of a tagger's spans; by default none.

    It rises with the raw probability, so that within a label more confident spans stay more confident.

    Args:
        common: of labels without their own. own: of labels with enough dev spans.
        spans: number of dev spans it was fitted to.
        threshold: the probability over which predicted spans had the best F1; 0 if none was chosen.
    """

    common: Scaling = UNCHANGED
    own: Mapping[str, Scaling] = field(default_factory=dict)
    spans: int = 0
    threshold: float = 0.0

    def of(self, label: str) -> Scaling:
        """The scaling of a label."""
        return self.own.get(label, self.common)

    def scaled(self, spans: Iterable[Span]) -> list[Span]:
        """The same spans, their scores calibrated; one without a score stays as it is."""
        return [
            span
            if span.score is None
            else Span(span.start, span.end, span.label, self._probability(span.score, span.label))
            for span in spans
        ]

    def probabilities(self, raw: Tensor, labels: Sequence[str]) -> Tensor:
        """Calibrated probabilities of raw ones, ``[B, S]``, where column s is of a span of ``labels[s]``."""
        if not labels:
            return raw
        columns = [
            self.log_probability(column.log(), label).exp()
            for column, label in zip(wide(raw).unbind(1), labels, strict=True)
        ]
        return torch.stack(columns, dim=1).to(raw.dtype)

    def log_probability(self, raw: Tensor, label: str) -> Tensor:
        """Calibrated log-probabilities of raw ones of spans of this label, of any shape, differentiable."""
        scaling = self.of(label)
        if scaling == UNCHANGED:
            return raw
        raw = raw.clamp(max=math.log1p(-CLOSEST))
        odds = raw - torch.log(-torch.expm1(raw))
        return functional.logsigmoid(scaling.scaled(odds))

    def tensors(self, labels: Sequence[str], like: Tensor) -> tuple[Tensor, Tensor]:
        """Temperatures and shifts of these labels, each ``[K]``, of the type and device of ``like``."""
        scalings = [self.of(label) for label in labels]
        rows = like.new_tensor(scalings).reshape(-1, 2)  # also without labels
        return rows[:, 0], rows[:, 1]

    def to_json(self) -> dict[str, Any]:
        """As plain JSON, for the model folder."""
        return {
            "common": list(self.common),
            "own": {label: list(scaling) for label, scaling in self.own.items()},
            "spans": self.spans,
            **({"threshold": self.threshold} if self.threshold else {}),
        }

    @classmethod
    def from_json(cls, value: Any, labels: Sequence[str]) -> Calibration:
        """What ``to_json`` wrote.

        Raises:
            ValueError: it is malformed, of an unknown label, or a number is out of range.
        """
        match value:
            case {"common": common, "own": dict(own), "spans": int(spans), **rest} if spans >= 0 and set(
                rest
            ) <= {"threshold"}:
                threshold = rest.get("threshold", 0.0)
                if not isinstance(threshold, float) or not 0 <= threshold < 1:
                    raise ValueError(f"threshold is {threshold!r}, not a number from 0 to below 1")
                unknown = sorted(set(own) - set(labels))
                if unknown:
                    raise ValueError(f"there is no label {unknown[0]!r}")
                scalings = {label: _scaling(pair) for label, pair in own.items()}
                return cls(_scaling(common), scalings, spans, threshold)
        raise ValueError("it needs 'common', 'own' and 'spans', and may have 'threshold'")

    def _probability(self, raw: float, label: str) -> float:
        scaling = self.of(label)
        if scaling == UNCHANGED:
            return raw
        return sigmoid(scaling.scaled(log_odds(raw)))


def fit(found: Iterable[Judged], labels: Sequence[str]) -> Calibration:
    """The calibration with the highest likelihood of which spans of held-out documents are right.

    One scaling is fitted to the spans of all labels, then one to each label with ``FEWEST_OF_LABEL`` of them,
    with a prior centred on the common one. Infinite or NaN log-odds (of a diverged training) are left out.

    Args:
        found: batches of spans. labels: those that ``Judged.labels`` are places in.
    """
    batches = list(found)
    if not batches:
        return Calibration()
    joined = [torch.cat([part.cpu() for part in parts]) for parts in zip(*batches, strict=True)]
    odds, kinds, right = (part[joined[0].isfinite()] for part in joined)
    common = fit_scaling(odds, right)
    if common == UNCHANGED:  # too few or nothing wrong, by which no label is fitted either
        return Calibration(spans=len(odds))
    own = {}
    for number, label in enumerate(labels):
        chosen = kinds == number
        if int(chosen.sum()) >= FEWEST_OF_LABEL:
            own[label] = fit_scaling(odds[chosen], right[chosen], common)
    return Calibration(common, own, len(odds))


def fit_scaling(odds: Tensor, right: Tensor, expected: Scaling | None = None) -> Scaling:
    """The scaling, within bounds, that makes ``right`` most likely.

    A temperature alone is not enough: a tagger can be overconfident in its spans and still have low recall.

    Without ``expected``, `UNCHANGED` for fewer than ``FEWEST`` spans, or if the sign of every log-odds is
    right: without errors the right confidence cannot be estimated.

    Args:
        odds: raw log-odds, ``[N]``. right: ``[N]`` bool.
        expected: where the scaling is expected: the mean of a normal distribution of precision ``PRIOR``
            over slope (one by temperature) and shift.
    """
    if expected is None and (len(odds) < FEWEST or bool(((odds > 0) == right).all())):
        return UNCHANGED
    positive = float(right.sum())
    # Platt's targets: they keep the fit finite where a bound parts the right spans from the others.
    target = torch.where(right, (positive + 1) / (positive + 2), 1 / (len(right) - positive + 2)).double()
    inputs = torch.stack([odds.double(), torch.ones_like(odds, dtype=torch.float64)])  # shape: (2, N)
    start = expected or UNCHANGED
    loss = _Loss(inputs, target, torch.tensor([1 / start.temperature, start.shift]).double(), expected)
    weights = loss.least(loss.mean, torch.eye(2, dtype=torch.float64))
    slope = min(max(float(weights[0]), 1 / MOST), 1 / LEAST)
    if slope != float(weights[0]):  # the loss is convex: with the slope at its bound, the best shift
        weights[0] = slope
        weights = loss.least(weights, torch.tensor([[0.0, 0.0], [0.0, 1.0]]).double())
    return Scaling(1 / slope, min(max(float(weights[1]), -LARGEST), LARGEST))


class _Loss:
    """The negative log-likelihood of slope and shift, ``[2]``, with the prior if there is one."""

    def __init__(self, inputs: Tensor, target: Tensor, mean: Tensor, expected: Scaling | None) -> None:
        self.inputs, self.target, self.mean = inputs, target, mean
        self.precision = 0.0 if expected is None else PRIOR

    def __call__(self, weights: Tensor) -> float:
        fitted = functional.binary_cross_entropy_with_logits(
            weights @ self.inputs, self.target, reduction="sum"
        )
        return float(fitted + 0.5 * self.precision * (weights - self.mean).square().sum())

    def least(self, weights: Tensor, free: Tensor) -> Tensor:
        """The weights of least loss by Newton's method; ``free`` projects on those that may change."""
        eye = torch.eye(2, dtype=torch.float64)
        for _ in range(STEPS):
            odds = weights @ self.inputs
            slope = self.inputs @ (odds.sigmoid() - self.target) + self.precision * (weights - self.mean)
            curve = (self.inputs * (odds.sigmoid() * (-odds).sigmoid())) @ self.inputs.T
            curve = curve + (self.precision + 1e-9 * len(self.target)) * eye
            step = torch.linalg.solve(free @ curve @ free + (eye - free), free @ slope)
            # Halved until it helps: far from the best one a whole step may overshoot.
            while step.abs().max() > 1e-9 and self(weights - step) > self(weights):
                step = step / 2
            weights = weights - step
            if step.abs().max() < 1e-9:
                break
        return weights


def log_odds(probability: float) -> float:
    """The log-odds of a probability, of one near 1 those of ``1 - CLOSEST``; minus infinity for 0."""
    bounded = min(probability, 1 - CLOSEST)
    return math.log(bounded / (1 - bounded)) if bounded > 0 else -math.inf


def sigmoid(value: float) -> float:
    """The probability of these log-odds, without overflow."""
    return 1 / (1 + math.exp(-value)) if value >= 0 else math.exp(value) / (1 + math.exp(value))


def _scaling(value: Any) -> Scaling:
    match value:
        case [int() | float() as temperature, int() | float() as shift]:
            # A NaN is in no range.
            if LEAST <= temperature <= MOST and -LARGEST <= shift <= LARGEST:
                return Scaling(float(temperature), float(shift))
    raise ValueError(f"{value!r:.60} is no temperature from {LEAST} to {MOST} with a shift")
