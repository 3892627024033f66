"""The choice of a sequence tagger whose encoder another tagger reads text with, and its options as text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.taggers.base.config_fields import ConfigError, config_fields
from core.taggers.base.registry import available, by_name
from core.taggers.base.sequence_tagger import SequenceConfig, SequenceTagger


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


def encoder_options(kind: type[SequenceTagger]) -> set[str]:
    """Names of a tagger's options that concern its encoder."""
    return {field.name for field in config_fields(kind.Config)} - kind.head_options


def read_options(over: str, kind: type[SequenceTagger], text: str) -> dict[str, Any]:
    """``layers=2, heads=4`` or a JSON object as typed values of the config of ``over``.

    Raises:
        ConfigError: it or a value cannot be parsed, or it is an option of the head, which is replaced.
    """
    typed = {field.name: field for field in config_fields(kind.Config)}
    options: dict[str, Any] = {}
    for name, value in read_pairs(text).items():
        if name in kind.head_options:
            raise ConfigError(
                "over_options: {name} belongs to the tag layer of {over}, which is replaced; leave it out",
                name=name,
                over=over,
            )
        needs_parsing = isinstance(value, str) and name in typed
        options[name] = typed[name].parse(value) if needs_parsing else value
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
            "over_options: {text} does not read as OPTION=VALUE with commas between, nor as JSON",
            text=repr(text[:60]),
        ) from None
    return {name.strip(): value.strip() for name, _, value in parts}
