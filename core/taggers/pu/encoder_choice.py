"""The choice of a PU tagger's encoder: the paper's (``auto``), or that of any registered sequence tagger."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from core.taggers.base.config_fields import ConfigError, config_fields, in_error
from core.taggers.base.registry import by_name
from core.taggers.pu.encoder import PuEncoder, PuEncoderConfig, PuEncoderOptions
from core.taggers.sequence.encoder_choice import (
    AUTO,
    EncoderChoice,
    OverConfig,
    check_over,
    chosen_encoder,
    encoder_names,
    encoder_options,
    read_pairs,
)
from core.taggers.sequence.tagger import SequenceTagger


def choose_encoder(over: str, over_options: str, pu_options: PuEncoderOptions) -> EncoderChoice:
    """The encoder of a PU tagger with these options.

    An option that PU and ``over`` share is passed on if it differs from PU's default. ``over_options`` takes
    precedence. Options given at PU's default are already in it, see ``options_for_over``.

    Raises:
        ConfigError: there is no such encoder, or it lacks an option, or a value does not fit.
    """
    check_over(over)
    if over == AUTO:
        if over_options.strip():
            raise ConfigError(
                "{options}: they are of a tagger; name it by {over}, or leave them empty",
                options=in_error(OverConfig, "over_options"),
                over=in_error(OverConfig, "over"),
            )
        values = {field.name: getattr(pu_options, field.name) for field in fields(PuEncoderOptions)}
        return EncoderChoice(PuEncoder, PuEncoderConfig(**values), values)
    kind = by_name(over)
    assert issubclass(kind, SequenceTagger)
    return chosen_encoder(over, _shared(over, kind, pu_options), over_options)


def options_for_over(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Given ``values`` of a PU tagger, with those at PU's defaults copied into ``over_options``.

    A config does not record which values were given. Without this, ``hidden=200`` would look like PU's
    default, and ``over`` would keep its own.

    Raises:
        ConfigError: ``over`` has no such option, or ``over_options`` cannot be parsed.
    """
    over, text = values.get("over", AUTO), values.get("over_options", "")
    if over == AUTO or over not in encoder_names() or not isinstance(text, str):
        return values  # nothing to pass on, or for the config to refuse
    kind = by_name(over)
    assert issubclass(kind, SequenceTagger)
    accepted = encoder_options(kind)
    given = {
        field.name: field.default
        for field in config_fields(PuEncoderOptions)
        if field.name in values and values[field.name] == field.default
    }
    for name in given:
        if name not in accepted:
            raise _no_such_option(name, over)
    if not given:
        return values
    return {**values, "over_options": json.dumps({**given, **read_pairs(text)}, ensure_ascii=False)}


def _no_such_option(name: str, over: str) -> ConfigError:
    return ConfigError(
        "{name}: {over} has no such option; leave it as it is, or choose another {field}",
        name=in_error(PuEncoderOptions, name),
        over=over,
        field=in_error(OverConfig, "over"),
    )


def _shared(over: str, kind: type[SequenceTagger], pu_options: PuEncoderOptions) -> dict[str, Any]:
    """The values of PU's own options that ``over`` shares."""
    accepted = encoder_options(kind)
    shared = {}
    for field in config_fields(PuEncoderOptions):
        value = getattr(pu_options, field.name)
        changed = value != field.default
        if changed and field.name not in accepted:
            raise _no_such_option(field.name, over)
        if changed:
            shared[field.name] = value
    return shared
