"""Packages that only some work needs: imported on use, with an error that says what to install."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from core.runtime.message import Message, ToldValueError


class MissingPackage(ToldValueError):
    """A package is not installed, or is broken; the message says what needs it and how to install it."""


def is_installed(module: str) -> bool:
    """Whether a module can be found; it is not imported."""
    return find_spec(module) is not None


def check_installed(module: str, package: str, what: Message) -> None:
    """Refuse work that will need a package, before it begins.

    Args:
        module: its name in Python. package: what pip calls it. what: the work that needs it.

    Raises:
        MissingPackage: it is not installed.
    """
    if not is_installed(module):
        raise MissingPackage(
            "{what} needs the package {package}. Install it with “pip install {package}” and start again.",
            what=what,
            package=package,
        )


def load(module: str, package: str, what: Message) -> ModuleType:
    """Import a module of an optional package.

    Args:
        module: its name in Python, or that of a module in it. package: what pip calls it.
        what: the work that needs it.

    Raises:
        MissingPackage: it is not installed, or cannot be imported.
    """
    check_installed(module.partition(".")[0], package, what)
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingPackage(
            "{what} needs the package {package}, which cannot be imported ({reason}). Install it again with "
            "“pip install --force-reinstall {package}”.",
            what=what,
            package=package,
            reason=str(error),
        ) from None
