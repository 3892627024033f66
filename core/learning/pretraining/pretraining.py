"""The kinds of pretraining on raw text, and the options of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from core.encoders.elmo.options import ElmoError
from core.encoders.transformer_files import EncoderError
from core.learning.bilm.config import BilmConfig, BilmSettings, SoftmaxConfig
from core.learning.mlm.config import MlmConfig, TinyBertConfig
from core.learning.vectors.config import WORK as VECTORS
from core.learning.vectors.config import VectorsConfig
from core.runtime.optional_packages import check_installed
from core.taggers.base.config_fields import ConfigError, config_fields, config_from_json, option

Config = TypeVar("Config")
REFUSALS = (ConfigError, EncoderError, ElmoError)  # an invalid config


@dataclass(frozen=True)
class StartConfig:
    """The initial weights of a biLM."""

    start: str = option(
        "", "biLM to fine-tune, which keeps its own structure; empty begins a new one", basic=True
    )


# By method; no two configs of a method share a field, so that a form and a request hold them flat.
CONFIGS: dict[str, tuple[type[Any], ...]] = {
    "vectors": (VectorsConfig,),
    "mlm": (MlmConfig, TinyBertConfig),
    "bilm": (StartConfig, BilmConfig, SoftmaxConfig, BilmSettings),
}
# Defaults for the texts of a project on one CPU; the papers used a billion words and many GPUs.
MODEST: dict[str, dict[str, Any]] = {
    "vectors": {},
    "mlm": {},
    "bilm": {
        "cells": 256,
        "projection": 64,
        "filters": "1x32 2x32 3x64 4x128",
        "highways": 1,
        "epochs": 5,
        "batch_size": 16,
    },
}
# Fields whose values decide which others have an effect.
DECIDERS = {
    "vectors": ("model", "words"),
    "mlm": ("encoder", "masking", "replaced_detection"),
    "bilm": ("start", "softmax"),
}


def idle_fields(method: str, values: Mapping[str, Any], *, trained_here: bool = False) -> frozenset[str]:
    """Fields without effect for these values, which a form can hide.

    Args:
        values: of the fields in ``DECIDERS``; missing ones have their defaults.
        trained_here: whether the model to fine-tune is known to be the result of such a pretraining, which
            includes the head or the softmax.
    """
    defaults = {field.name: field.default for config in CONFIGS[method] for field in config_fields(config)}
    given = {**defaults, **values}
    idle: set[str] = set()
    if method == "vectors":
        idle |= {"shortest_part", "longest_part", "buckets"} if given["model"] != "fasttext" else set()
        idle |= set() if given["words"] else {"cut"}
    elif method == "mlm":
        tiny = {field.name for field in config_fields(TinyBertConfig)}
        idle |= tiny if given["encoder"] else {"head_steps"}
        idle |= {"head_steps"} if trained_here else set()
        idle |= {"span_rate", "longest_span"} if given["masking"] != "spans" else set()
        idle |= set() if given["replaced_detection"] else {"detection_weight"}
    else:
        idle |= {field.name for field in config_fields(BilmConfig)} if given["start"] else set()
        idle |= {field.name for field in config_fields(SoftmaxConfig)} if trained_here else set()
        idle |= {"correction"} if given["softmax"] != "cnn" else set()
    return frozenset(idle)


def check_values(method: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Check ``values``; returns those that differ from the defaults.

    Raises:
        ConfigError: a field is unknown, or a value is invalid; names it.
        MissingPackage: this kind needs a package that is not installed.
    """
    if method == "vectors":
        check_installed("gensim", "gensim", VECTORS)
    fields = {field.name: field for config in CONFIGS[method] for field in config_fields(config)}
    for name in values:
        if name not in fields:
            raise ConfigError(
                "there is no field {name}; there are: {fields}",
                name=repr(str(name)[:60]),
                fields=list(fields),
            )
    for config in CONFIGS[method]:
        config_of(config, values)
    return {name: value for name, value in values.items() if value != fields[name].default}


def config_of(config: type[Config], values: Mapping[str, Any]) -> Config:
    """One config, from those of ``values`` that are fields of it.

    Raises:
        ConfigError: a value is invalid; names it.
    """
    names = {field.name for field in config_fields(config)}
    return config_from_json(config, {name: value for name, value in values.items() if name in names})
