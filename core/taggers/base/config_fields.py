"""Reads a frozen config dataclass as form fields, and makes one from text or JSON. Needs no torch."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, get_type_hints

from core.runtime.message import Message, ToldValueError, _, message_of, pgettext

Value = bool | int | float | str
Config = TypeVar("Config")
_TYPES: dict[type, Message] = {
    bool: _("yes or no"),
    int: _("a whole number"),
    float: _("a number"),
    str: pgettext("option", "text"),
}
# How titles spell what a name cannot.
_SPELLINGS = {
    "crf": "CRF", "dim": "dimension", "elmo": "ELMo", "fgm": "FGM", "pgd": "PGD", "swa": "SWA", "upu": "uPU",
    "vat": "VAT",
}  # fmt: skip
_TITLES = {
    "accumulate": "Gradient accumulation",
    "amp": "Half precision",
    "auxiliary": "Auxiliary loss",
    "char_dim": "Character dimension",
    "char_unknown": "Unknown characters",
    "char_vectors": "Character vectors",
    "char_view": "Character view",
    "char_view_dim": "Character view dimension",
    "ema": "EMA",
    "ffn": "Feed-forward width",
    "ffn_dropout": "Feed-forward dropout",
    "fine_tune": "Fine-tune",
    "keep_negatives": "Share of negatives",
    "layer_mix": "Layer mixing",
    "self_training_confidence": "Self-training confidence",
    "self_training_rounds": "Self-training rounds",
    "mix_dropout": "Layers left out",
    "mix_penalty": "Mixing penalty",
    "over": "Encoder of",
    "over_options": "Options of that tagger",
    "patience": "Early stopping",
    "r_drop": "R-Drop",
    "rare_unknown": "Unknown rare words",
    "warm_up": "Warm-up",
    "word_unknown": "Unknown words",
}
_TRUE, _FALSE = ("true", "yes", "on", "1"), ("false", "no", "off", "0")


class ConfigError(ToldValueError):
    """A config cannot be made; the message names the field, the value and what is allowed."""


@dataclass(frozen=True, slots=True)
class ConfigField:
    """One field of a config, as a form shows it.

    Args:
        name, type (bool, int, float or str), default: of the dataclass field.
        help: one line. choices: allowed values, empty where all are. minimum, maximum: bounds, inclusive.
        basic: shown at once; other fields are under "more".
    """

    name: str
    type: type
    default: Value
    help: str = ""
    choices: tuple[Value, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    basic: bool = False

    @property
    def title(self) -> Message:
        """The name shown to people; the help disambiguates it for translation."""
        words = " ".join(_SPELLINGS.get(word, word) for word in self.name.split("_"))
        return pgettext(self.help, _TITLES.get(self.name) or words[:1].upper() + words[1:])

    @property
    def allowed(self) -> Message:
        """What the field takes, in words."""
        if self.choices:
            return _("one of {choices}", choices=[str(choice) or "''" for choice in self.choices])
        match self.minimum, self.maximum:
            case None, None:
                return _TYPES[self.type]
            case None, maximum:
                return _("{kind} of at most {most}", kind=_TYPES[self.type], most=maximum)
            case minimum, None:
                return _("{kind} of at least {least}", kind=_TYPES[self.type], least=minimum)
            case minimum, maximum:
                return _("{kind} from {least} to {most}", kind=_TYPES[self.type], least=minimum, most=maximum)

    def parse(self, text: str) -> Value:
        """The value that ``text`` represents.

        Raises:
            ConfigError: it represents none, or one out of range.
        """
        text = text.strip()
        try:
            if self.type is bool:
                return (*_FALSE, *_TRUE).index(text.lower()) >= len(_FALSE)
            return self.check(self.type(text))
        except ValueError:
            raise self._refusal(text) from None

    def check(self, value: object) -> Value:
        """``value`` if its type and range fit; an int is accepted for a float.

        Raises:
            ConfigError: it does not fit.
        """
        if self.type is float and type(value) is int and abs(value) < 2**53:
            value = float(value)
        # isinstance(True, int) holds, but True is not a valid number of layers.
        if type(value) is not self.type:
            raise self._refusal(value)
        if self.choices and value not in self.choices:
            raise self._refusal(value)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            low = -math.inf if self.minimum is None else self.minimum
            high = math.inf if self.maximum is None else self.maximum
            if not (low <= value <= high and math.isfinite(value)):
                raise self._refusal(value)
        assert isinstance(value, (bool, int, float, str))
        return value

    @property
    def in_error(self) -> Message:
        """What an error calls the field: its title on a page, its name on the command line."""
        return dataclasses.replace(self.title, option=self.name)

    def _refusal(self, value: object) -> ConfigError:
        if value is None or value == "":
            return ConfigError(
                "{name}: it is empty, it takes {allowed}", name=self.in_error, allowed=self.allowed
            )
        shown = value if isinstance(value, str) else repr(value)
        return ConfigError(
            "{name}: {shown} does not fit, it takes {allowed}",
            name=self.in_error,
            shown=repr(shown[:60]),
            allowed=self.allowed,
        )


def config_fields(config: type[Any]) -> list[ConfigField]:
    """The fields of a config class, in order."""
    hints = get_type_hints(config)
    fields = []
    for field in dataclasses.fields(config):
        metadata = field.metadata
        if hints[field.name] not in _TYPES or field.default is dataclasses.MISSING:
            raise TypeError(f"{config.__name__}.{field.name} must be bool, int, float or str, with a default")
        choices = metadata.get("choices", ())
        fields.append(
            ConfigField(
                name=field.name,
                type=hints[field.name],
                default=field.default,
                help=str(metadata.get("help", "")),
                choices=tuple(choices() if callable(choices) else choices),
                minimum=metadata.get("minimum"),
                maximum=metadata.get("maximum"),
                basic=bool(metadata.get("basic", False)),
            )
        )
    return fields


def config_from_settings(config: type[Config], settings: Mapping[str, str]) -> Config:
    """A config from ``--set field=value`` texts; fields not named keep their defaults.

    Raises:
        ConfigError: naming the unknown field, or the value and what the field takes.
    """
    fields = _fields_by_name(config, settings)
    return config_from_given(config, {name: fields[name].parse(text) for name, text in settings.items()})


def config_from_given(config: type[Config], values: Mapping[str, Any]) -> Config:
    """A config from the JSON values that a person gave; fields not named keep their defaults.

    A config class that treats an explicitly given default differently has a ``read_given``, which checks or
    rewrites the values before ``config_from_json`` gets them.

    Raises:
        ConfigError: naming the unknown field, or the value and what the field takes.
    """
    read_given = getattr(config, "read_given", None)
    return config_from_json(config, values if read_given is None else read_given(values))


def config_from_json(config: type[Config], values: Mapping[str, Any]) -> Config:
    """A config from the JSON values of a model folder; fields not named keep their defaults.

    Raises:
        ConfigError: naming the unknown field, or the value and what the field takes.
    """
    fields = _fields_by_name(config, values)
    return _make(config, {name: fields[name].check(value) for name, value in values.items()})


def _fields_by_name(config: type[Any], names: Mapping[str, Any]) -> dict[str, ConfigField]:
    fields = {field.name: field for field in config_fields(config)}
    for name in names:
        if name not in fields:
            raise ConfigError(
                "there is no field {name}; there are: {fields}",
                name=repr(str(name)[:60]),
                fields=list(fields),
            )
    return fields


def in_error(config: type[Any], name: str) -> Message:
    """What an error calls this field of a config; see `ConfigField.in_error`."""
    return next(field.in_error for field in config_fields(config) if field.name == name)


def _make(config: type[Config], values: Mapping[str, Value]) -> Config:
    try:
        return config(**values)
    except ConfigError:
        raise
    except ValueError as error:
        raise ConfigError(message_of(error)) from None


def option(
    default: Any, help: str, bounds: tuple[float | None, float | None] = (None, None), **metadata: Any
) -> Any:
    """A dataclass field with metadata for forms: ``help``, its bounds, ``choices``, ``basic``.

    ``config_fields`` reads it; ``choices`` may be a function, which is called then.
    """
    limits = dict(zip(("minimum", "maximum"), bounds, strict=True))
    return dataclasses.field(default=default, metadata={"help": help, **limits, **metadata})
