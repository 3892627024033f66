"""Taggers by name. A module of `core/taggers` that registers a class is a tagger; nothing else lists it."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from typing import TypeVar

from core.runtime.message import ToldValueError
from core.taggers.base.tagger import Tagger

TaggerClass = TypeVar("TaggerClass", bound=type[Tagger])

_registered: dict[str, type[Tagger]] = {}


class UnknownTaggerError(ToldValueError):
    """No tagger has this name; the message lists those there are."""


def register(name: str) -> Callable[[TaggerClass], TaggerClass]:
    """Class decorator: make a tagger known as ``name`` and set its ``name``.

    Raises:
        ValueError: another class has the name.
    """

    def keep(tagger: TaggerClass) -> TaggerClass:
        other = _registered.get(name)
        if other is not None and (other.__module__, other.__qualname__) != (
            tagger.__module__,
            tagger.__qualname__,
        ):
            raise ValueError(f"the tagger name {name!r} is taken by {other.__module__}.{other.__qualname__}")
        tagger.name = name
        _registered[name] = tagger
        return tagger

    return keep


def available() -> tuple[str, ...]:
    """Names of all taggers that are built from documents, sorted; imports the modules of `core/taggers`."""
    package = importlib.import_module(__name__.removesuffix(".base.registry"))
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)
    return tuple(sorted(name for name, tagger in _registered.items() if tagger.built_from_documents))


def by_name(name: str) -> type[Tagger]:
    """The tagger class of this name.

    Raises:
        UnknownTaggerError: listing the names there are.
    """
    if name not in _registered:
        names = available()
        if name not in _registered:
            raise UnknownTaggerError(
                "there is no tagger {name}; there are: {names}", name=repr(name), names=names
            )
    return _registered[name]
