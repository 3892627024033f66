"""The options that choose the sequence tagger with whose encoder another tagger reads text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.runtime.message import Message
from core.taggers.base.config_fields import ConfigError, config_fields, config_from_json, in_error, option
from core.taggers.base.registry import available, by_name
from core.taggers.base.tagger import TaggerConfig
from core.taggers.sequence.tagger import SequenceConfig, SequenceTagger

AUTO = "auto"


@dataclass(frozen=True)
class EncoderChoice:
    """An encoder class with its config.

    Args:
        tagger: the class. config: its options. settings: the options that were given, by name.
    """

    tagger: type[SequenceTagger]
    config: SequenceConfig
    settings: Mapping[str, Any]


def sequence_taggers() -> tuple[str, ...]:
    """The names of all sequence taggers."""
    return tuple(name for name in available() if issubclass(by_name(name), SequenceTagger))


def encoder_names() -> tuple[str, ...]:
    """The values of ``over``."""
    return (AUTO, *sequence_taggers())


@dataclass(frozen=True)
class OverConfig(TaggerConfig):
    """Options of a tagger that reads text with the encoder of another one."""

    over: str = option(
        AUTO,
        "the tagger whose encoder reads the text; auto: pu takes the paper's, a character CNN and a BiLSTM, "
        "span takes bert with a BiLSTM on top if a transformer is named, else bilstm_crf",
        choices=encoder_names,
        basic=True,
    )
    over_options: str = option(
        "",
        "options of that tagger, such as hidden=300, layers=2, or a JSON object; those left out have its own "
        "defaults",
    )


def encoder_options(kind: type[SequenceTagger]) -> set[str]:
    """Names of a tagger's options that concern its encoder."""
    return {field.name for field in config_fields(kind.Config)} - kind.head_options


def check_over(over: object) -> None:
    """Raise unless ``over`` names an encoder, or `AUTO`.

    Raises:
        ConfigError: says which there are.
    """
    next(field for field in config_fields(OverConfig) if field.name == "over").check(over)


def chosen_encoder(over: str, passed_on: Mapping[str, Any], text: str) -> EncoderChoice:
    """The encoder of the tagger ``over`` with these options and those of ``over_options``, which win.

    Raises:
        ConfigError: ``text`` cannot be parsed, or that tagger lacks an option, or refuses it.
    """
    kind = by_name(over)
    assert issubclass(kind, SequenceTagger)
    values = {**passed_on, **_read_options(over, kind, text)}
    config = config_from_json(kind.Config, values)
    assert isinstance(config, SequenceConfig)
    return EncoderChoice(kind, config, values)


def _read_options(over: str, kind: type[SequenceTagger], text: str) -> dict[str, Any]:
    """``layers=2, heads=4`` or a JSON object as typed values of the config of ``over``.

    Raises:
        ConfigError: it or a value cannot be parsed, or there is no such option of the encoder.
    """
    typed = {field.name: field for field in config_fields(kind.Config)}
    known = encoder_options(kind)
    options: dict[str, Any] = {}
    for name, value in read_pairs(text).items():
        if name in kind.head_options:
            raise ConfigError(
                "{field}: {name} belongs to the tag layer of {over}, which is replaced; leave it out",
                field=_field("over_options"),
                name=name,
                over=over,
            )
        if name not in known:
            raise ConfigError(
                "{field}: {over} has no option {name}; it has: {fields}",
                field=_field("over_options"),
                over=over,
                name=repr(name[:60]),
                fields=[field for field in typed if field in known],
            )
        try:
            options[name] = typed[name].parse(value) if isinstance(value, str) else typed[name].check(value)
        except ConfigError as error:
            raise ConfigError("{field}: {reason}", field=_field("over_options"), reason=error) from None
    return options


def read_pairs(text: str) -> dict[str, Any]:
    """The names and values of ``over_options``, untyped unless it is JSON.

    Raises:
        ConfigError: it cannot be parsed.
    """
    text = text.strip()
    try:
        if text.startswith("{"):
            return {str(name): value for name, value in json.loads(text).items()}
        parts = [part.partition("=") for part in text.split(",")] if text else []
        if not all(name.strip() and equals for name, equals, _ in parts):
            raise ValueError(text)
    except (ValueError, RecursionError):
        raise ConfigError(
            "{field}: {text} does not read as OPTION=VALUE with commas between, nor as JSON",
            field=_field("over_options"),
            text=repr(text[:60]),
        ) from None
    return {name.strip(): value.strip() for name, _, value in parts}


def _field(name: str) -> Message:
    return in_error(OverConfig, name)
