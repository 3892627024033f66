"""The training settings and their defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from typing_extensions import Self

from core.runtime.message import Message, pgettext
from core.taggers.base.config_fields import (
    ConfigError,
    Value,
    config_fields,
    config_from_given,
    in_error,
    option,
)
from core.training.run.errors import TrainingError
from core.training.schedule import DECAYS
from core.training.strategies.settings import StrategySettings

Config = TypeVar("Config")


class CheckedSettings:
    """Base of frozen settings: checks fields, and reads them from numbers or text.

    Attributes:
        WHAT: the name of a field in error messages.
    """

    WHAT: ClassVar[Message] = pgettext("option", "setting")

    def __post_init__(self) -> None:
        for item in config_fields(type(self)):
            try:
                # An integer is accepted for a float: 1 for 1.0.
                object.__setattr__(self, item.name, item.check(getattr(self, item.name)))
            except ConfigError as error:
                raise TrainingError("{what} {reason}", what=self.WHAT, reason=error) from None

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Self:
        """Settings from numbers or text, as in a form, ``--set`` or ``request.json``.

        Raises:
            TrainingError: a field is unknown or its value does not fit.
        """
        try:
            return config_from_values(cls, values)
        except ConfigError as error:
            raise TrainingError("{what} {reason}", what=cls.WHAT, reason=error) from None

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values under the field names."""
        return {item.name: getattr(self, item.name) for item in config_fields(type(self))}

    def changed(self) -> dict[str, Any]:
        """The fields that differ from their defaults."""
        defaults = {item.name: item.default for item in config_fields(type(self))}
        return {name: value for name, value in self.to_json().items() if value != defaults[name]}


@dataclass(frozen=True)
class LoopSettings:
    """Settings of the loop itself."""

    epochs: int = option(10, "Passes over the training documents.", bounds=(1, 1000), basic=True)
    learning_rate: float = option(
        1e-3, "Highest step size, reached after the warm-up.", bounds=(1e-7, 1.0), basic=True
    )
    batch_size: int = option(16, "Most documents in one batch.", bounds=(1, 1024), basic=True)
    accumulate: int = option(
        1, "Gradient accumulation: batches per optimiser step, in the memory of one batch.", bounds=(1, 1024)
    )
    patience: int = option(
        0,
        "Stop after this many epochs without a better dev F1; 0 never stops early.",
        bounds=(0, 1000),
        basic=True,
    )
    seed: int = option(
        1,
        "Same seed, same machine: same result, to the last bit on a CPU; a GPU may add in another order.",
        bounds=(0, 2**31 - 1),
        basic=True,
    )
    optimiser: str = option("adamw", "How the steps are made.", choices=("adamw", "sgd"))
    momentum: float = option(0.9, "Momentum of SGD; AdamW does not use it.", bounds=(0.0, 0.999))
    weight_decay: float = option(0.01, "Pulls the weights towards zero at every step.", bounds=(0.0, 1.0))
    warm_up: float = option(0.5, "Epochs over which the step size grows from zero.", bounds=(0.0, 1000.0))
    decay: str = option("linear", "How the step size falls after the warm-up.", choices=DECAYS)
    clip_norm: float = option(5.0, "Longest gradient of one step; 0 does not clip.", bounds=(0.0, 1000.0))
    batch_area: int = option(
        640_000,
        "Bound on one batch's memory: documents times the square of the longest one's positions.",
        bounds=(1, 10**9),
    )
    longest_text: int = option(
        500,
        "Longer training texts are cut at sentence ends into parts of this many characters.",
        bounds=(16, 100_000),
    )
    amp: str = option(
        "auto",
        "Half precision: auto uses bf16 on CUDA only, off never; bf16 and fp16 use that on any device.",
        choices=("auto", "off", "bf16", "fp16"),
    )
    threads: int = option(0, "Processor threads; 0 takes all cores.", bounds=(0, 1024))


@dataclass(frozen=True)
class TrainingSettings(StrategySettings, LoopSettings, CheckedSettings):
    """Frozen training settings; every field's ``metadata`` feeds the form and the range check.

    Raises:
        TrainingError: a value has the wrong type or is out of range, or no SWA cycle fits into the epochs;
            names the field, its value and what is allowed.
    """

    WHAT: ClassVar[Message] = pgettext("option", "training setting")

    def __post_init__(self) -> None:
        super().__post_init__()
        last = self.epochs - self.swa_cycle + 1
        if self.swa_start > last:
            raise TrainingError(
                "{what} {field}: a cycle of {swa_cycle} epochs that begins with "
                "epoch {swa_start} does not end within {epochs} epochs; begin at {latest} or "
                "train longer",
                what=self.WHAT,
                field=in_error(type(self), "swa_start"),
                swa_cycle=self.swa_cycle,
                swa_start=self.swa_start,
                epochs=self.epochs,
                latest=max(last, 0),
            )


def config_from_values(config: type[Config], values: Mapping[str, Any]) -> Config:
    """A config from numbers or text; other fields keep their defaults.

    Raises:
        ConfigError: names the unknown field, or the invalid value and what the field takes.
    """
    return config_from_given(config, typed_values(config, values))


def typed_values(config: type[Any], values: Mapping[str, Any]) -> dict[str, Value | Any]:
    """``values`` with text parsed as its field's type; unknown names are left for the config to refuse."""
    options = {item.name: item for item in config_fields(config)}
    return {
        name: options[name].parse(value) if isinstance(value, str) and name in options else value
        for name, value in values.items()
    }
