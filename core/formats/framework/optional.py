"""Optional libraries, imported on use, with an error that says what to install."""

from __future__ import annotations

import importlib
from types import ModuleType

from core.formats.framework.errors import FormatError


def required(module: str, package: str, what: str) -> ModuleType:
    """A module of an optional library.

    Raises:
        FormatError: it is not installed; says what to install.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise FormatError(
            "{what} needs {package}, which is not installed: run pip install {package} (or pip "
            "install 'latticelens[formats]') and try again ({reason})",
            what=what,
            package=package,
            reason=error,
        ) from None
