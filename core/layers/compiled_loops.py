"""Loops that numba compiles, each in a module ``compiled_….py`` of its own: loaded where that pays off.

Loading takes 0.6 s (more the first time, when they are compiled and cached): a single text in the UI is
tagged faster without them, and everything is also written without numba, which lags behind new Pythons.
"""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from types import ModuleType

# Positions in a call from which loading pays off.
WORTH_COMPILING = 1000


def compiled_loops(name: str, positions: int) -> ModuleType | None:
    """The module ``name`` of compiled loops; None where its callers should do without.

    Args:
        positions: characters or words of the call. Once loaded, the loops serve small calls too.
    """
    return _load(name) if positions >= WORTH_COMPILING or name in sys.modules else None


@cache
def _load(name: str) -> ModuleType | None:
    try:
        # The loops declare their types: they are compiled here, where a full disk or a missing cache
        # folder is handled.
        return import_module(name)
    except (ImportError, OSError, RuntimeError):
        return None
