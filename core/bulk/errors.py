"""The error of bulk tagging, and the libraries that it needs."""

from __future__ import annotations

import importlib
from typing import Any

from core.text.message import Told


class BulkError(Told):
    """Bulk tagging cannot begin or go on; the message says what was wrong, where, and the way out."""


class Cancelled(Exception):
    """The job was asked to stop; what is finished stays."""


def cluster_library(module: str) -> Any:
    """A module of the extra ``cluster`` (Ray, pyarrow, fsspec).

    Raises:
        BulkError: it is not installed; says how to install it.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise BulkError(
            "tagging in bulk needs {package}, which is not installed: run pip install "
            "'latticelens[cluster]' (or pip install 'ray[data]') and try again ({reason})",
            package=module.partition(".")[0],
            reason=error,
        ) from None
