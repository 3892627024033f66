"""How to train: everything the loop may be told, with defaults that reach the published quality."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import Field, asdict, dataclass, field, fields
from typing import Any

from core.training.message import TrainingError


def _setting(default: Any, help: str, **metadata: Any) -> Any:
    return field(default=default, metadata={"help": help, **metadata})


@dataclass(frozen=True)
class TrainingSettings:
    """Frozen training settings; every field's ``metadata`` feeds the form and the range check.

    Raises:
        TrainingError: a value has the wrong type or is out of range; names field, value and what is allowed.
    """

    epochs: int = _setting(10, "Passes over the training documents.", minimum=1, maximum=1000, basic=True)
    learning_rate: float = _setting(
        1e-3, "Highest step size, reached after the warm-up.", minimum=1e-7, maximum=1.0, basic=True
    )
    batch_size: int = _setting(16, "Most documents in one step.", minimum=1, maximum=1024, basic=True)
    patience: int = _setting(
        0,
        "Stop after this many epochs without a better dev F1; 0 never stops early.",
        minimum=0,
        maximum=1000,
        basic=True,
    )
    seed: int = _setting(
        1, "Same seed, same machine: same result to the last bit.", minimum=0, maximum=2**31 - 1, basic=True
    )
    optimiser: str = _setting("adamw", "How the steps are made.", choices=("adamw", "sgd"))
    momentum: float = _setting(0.9, "Momentum of SGD; AdamW does not use it.", minimum=0.0, maximum=0.999)
    weight_decay: float = _setting(
        0.01, "Pulls the weights towards zero at every step.", minimum=0.0, maximum=1.0
    )
    warm_up: float = _setting(
        0.5, "Epochs over which the step size grows from zero.", minimum=0.0, maximum=1000.0
    )
    decay: str = _setting(
        "linear", "How the step size falls after the warm-up.", choices=("linear", "cosine", "constant")
    )
    clip_norm: float = _setting(
        5.0, "Longest gradient of one step; 0 does not clip.", minimum=0.0, maximum=1000.0
    )
    batch_area: int = _setting(
        640_000,
        "Bound on one step's memory: documents times the square of the longest one's positions.",
        minimum=1,
        maximum=10**9,
    )
    longest_text: int = _setting(
        500,
        "Longer training texts are cut at sentence ends into parts of this many characters.",
        minimum=16,
        maximum=100_000,
    )
    amp: str = _setting(
        "auto", "Half precision (bf16): auto uses it on CUDA only, off never.", choices=("auto", "off")
    )
    threads: int = _setting(0, "Processor threads; 0 takes all cores.", minimum=0, maximum=1024)

    def __post_init__(self) -> None:
        for item in fields(self):
            object.__setattr__(self, item.name, _checked(item, getattr(self, item.name)))

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> TrainingSettings:
        """Settings from numbers or from text, as a form, ``--set`` or ``request.json`` give them.

        Raises:
            TrainingError: a field is unknown or its value does not fit.
        """
        known = [item.name for item in fields(cls)]
        for name in values:
            if name not in known:
                raise TrainingError(
                    f"there is no training setting {name!r}; the settings are {', '.join(known)}"
                )
        return cls(**dict(values))

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values under the field names."""
        return asdict(self)


def _checked(item: Field[Any], value: Any) -> Any:
    """``value`` as the field's type, inside its range."""
    wanted = type(item.default)
    choices = item.metadata.get("choices")
    if choices:
        if value not in choices:
            raise _refusal(item, value, f"must be one of {', '.join(choices)}")
        return value
    try:
        if isinstance(value, bool):
            raise ValueError("a truth value is not a number")
        number = float(value)
        if not math.isfinite(number) or (wanted is int and number != int(number)):
            raise ValueError("not a number of the right kind")
    except (TypeError, ValueError):
        kind = "a whole number" if wanted is int else "a number"
        raise _refusal(item, value, f"must be {kind}") from None
    low, high = item.metadata["minimum"], item.metadata["maximum"]
    if not low <= number <= high:
        raise _refusal(item, value, f"must lie between {low:g} and {high:g}")
    return wanted(number)


def _refusal(item: Field[Any], value: Any, reason: str) -> TrainingError:
    return TrainingError(f"training setting {item.name}: {reason}, got {value!r}")
