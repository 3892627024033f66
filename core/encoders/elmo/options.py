"""The structure of an ELMo, as in the ``options.json`` of published weights."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.encoders.elmo.tokens import CHARACTERS, UNITS
from core.layers.char_cnn import ACTIVATIONS
from core.runtime.message import ToldValueError

PUBLISHED_FILTERS = ((1, 32), (2, 32), (3, 64), (4, 128), (5, 256), (6, 512), (7, 1024))
# The largest published models have 4096; a file must not request arbitrary amounts of memory.
_MOST = 1 << 14


class ElmoError(ToldValueError):
    """An ELMo cannot be used; the message names the file, what is wrong and what to do."""


@dataclass(frozen=True, slots=True)
class ElmoOptions:
    """Sizes of an ELMo; the defaults are those of Peters et al. 2018.

    Args:
        char_width: width of a character's vector. filters: (width, number) of each group of filters.
        highways: number of highway layers. activation: ``"relu"`` or ``"tanh"``, of the filters.
        longest_token: maximum bytes of a token, boundary markers included.
        cells, projection, layers: of the biLSTM; a token has ``2 * projection`` numbers per layer.
        skip: use residual connections between its layers.
        cell_clip, projection_clip: bounds of its cells and outputs; 0 for none.
        unit: its tokens, ``"word"`` or ``"character"``.

    Raises:
        ElmoError: a size is out of range.
    """

    char_width: int = 16
    filters: tuple[tuple[int, int], ...] = PUBLISHED_FILTERS
    highways: int = 2
    activation: str = "relu"
    longest_token: int = 50
    cells: int = 4096
    projection: int = 512
    layers: int = 2
    skip: bool = True
    cell_clip: float = 3.0
    projection_clip: float = 3.0
    unit: str = "word"

    def __post_init__(self) -> None:
        bounds = {
            "char_width": (1, 1024), "highways": (0, 16), "longest_token": (3, 1000), "cells": (1, _MOST),
            "projection": (1, _MOST), "layers": (1, 16),
        }  # fmt: skip
        for name, (least, most) in bounds.items():
            value = getattr(self, name)
            if type(value) is not int or not least <= value <= most:
                raise ElmoError(
                    "{name} must be a whole number from {least} to {most}, got {value}",
                    name=name,
                    least=least,
                    most=most,
                    value=repr(value),
                )
        if not 1 <= len(self.filters) <= 64:
            raise ElmoError(
                "filters must be 1 to 64 pairs of width and number, got {pairs}", pairs=len(self.filters)
            )
        for width, number in self.filters:
            if not (type(width) is type(number) is int and 1 <= width <= self.longest_token):
                raise ElmoError(
                    "a filter must be 1 to {longest} characters wide, got {width}",
                    longest=self.longest_token,
                    width=repr(width),
                )
            if not 1 <= number <= _MOST:
                raise ElmoError(
                    "there may be 1 to {most} filters of a width, got {number}",
                    most=_MOST,
                    number=repr(number),
                )
        if sum(number for _, number in self.filters) > _MOST:
            raise ElmoError("there may be {most} filters in all", most=_MOST)
        for name in ("cell_clip", "projection_clip"):
            clip = getattr(self, name)
            if not (isinstance(clip, (int, float)) and math.isfinite(clip) and clip >= 0):
                raise ElmoError(
                    "{name} must be a number of at least 0, got {clip}", name=name, clip=repr(clip)
                )
        for name, choices in (("activation", tuple(ACTIVATIONS)), ("unit", UNITS)):
            if getattr(self, name) not in choices:
                raise ElmoError(
                    "{name} must be one of {choices}, got {value}",
                    name=name,
                    choices=choices,
                    value=repr(getattr(self, name)),
                )

    @property
    def width(self) -> int:
        """Width of a token's states in every layer, both directions together."""
        return 2 * self.projection

    @property
    def widest(self) -> int:
        """Width of the widest filter."""
        return max(width for width, _ in self.filters)

    def to_json(self) -> dict[str, Any]:
        """The published layout with ``unit`` added."""
        return {
            "lstm": {
                "use_skip_connections": self.skip,
                "projection_dim": self.projection,
                "cell_clip": self.cell_clip,
                "proj_clip": self.projection_clip,
                "dim": self.cells,
                "n_layers": self.layers,
            },
            "char_cnn": {
                "activation": self.activation,
                "filters": [list(pair) for pair in self.filters],
                "n_highway": self.highways,
                "embedding": {"dim": self.char_width},
                "n_characters": CHARACTERS,
                "max_characters_per_token": self.longest_token,
            },
            "unit": self.unit,
        }

    @classmethod
    def from_json(cls, value: Any) -> ElmoOptions:
        """Read the published layout; without ``unit`` the tokens are words.

        Raises:
            ElmoError: a part is missing or out of range, or the model reads no characters.
        """
        if not isinstance(value, Mapping):
            raise ElmoError("there must be an object")
        if "char_cnn" not in value and "lstm" in value:
            raise ElmoError("this biLM reads words from a table, not characters; choose one with a char_cnn")
        try:
            lstm, cnn = value["lstm"], value["char_cnn"]
            if cnn["n_characters"] not in (CHARACTERS, CHARACTERS + 1):
                # 262 counts the row of masked positions, which has no weights in the file.
                raise ElmoError(
                    "n_characters must be {characters} or {other}",
                    characters=CHARACTERS,
                    other=CHARACTERS + 1,
                )
            return cls(
                char_width=cnn["embedding"]["dim"],
                filters=tuple((width, number) for width, number in cnn["filters"]),
                highways=cnn.get("n_highway", 0),
                activation=cnn["activation"],
                longest_token=cnn["max_characters_per_token"],
                cells=lstm["dim"],
                projection=lstm["projection_dim"],
                layers=lstm["n_layers"],
                skip=bool(lstm.get("use_skip_connections", False)),
                cell_clip=lstm.get("cell_clip") or 0.0,
                projection_clip=lstm.get("proj_clip") or 0.0,
                unit=value.get("unit", "word"),
            )
        except KeyError as error:
            raise ElmoError("{name} is missing", name=error.args[0]) from None
        except (TypeError, AttributeError, ValueError) as error:
            raise (
                error
                if isinstance(error, ElmoError)
                else ElmoError("it is malformed: {reason}", reason=error)
            ) from None


def read_options(path: Path) -> ElmoOptions:
    """The options in a file.

    Raises:
        ElmoError: it cannot be read or does not describe an ELMo.
    """
    try:
        return ElmoOptions.from_json(json.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise ElmoError(
            "{path} cannot be read: {reason}; check the folder", path=path, reason=error
        ) from None
    except ElmoError as error:
        raise ElmoError("{path}: {reason}", path=path, reason=error) from None
    except (ValueError, RecursionError):
        raise ElmoError("{path} is not JSON, perhaps cut off; copy it again", path=path) from None
