"""Optional packages of formats."""

from __future__ import annotations

from types import ModuleType

from core.formats.framework.errors import FormatError
from core.runtime.message import Message
from core.runtime.optional_packages import MissingPackage, load


def required(module: str, package: str, what: Message) -> ModuleType:
    """A module of an optional package; the arguments are those of `load`.

    Raises:
        FormatError: it is not installed, or cannot be imported; says what to install.
    """
    try:
        return load(module, package, what)
    except MissingPackage as error:
        raise FormatError(error.message) from None
