"""Parameters of which a few are tried every time and all in the exhaustive run."""

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def sweep(values: Iterable[Any], kept: Collection[Any]) -> list[Any]:
    """The ``values`` for `pytest.mark.parametrize`; those that are not ``kept`` are marked exhaustive."""
    return [
        value
        if value in kept
        else pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=pytest.mark.exhaustive)
        for value in values
    ]
