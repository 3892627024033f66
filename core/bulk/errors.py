"""The errors of bulk tagging, and the libraries that it needs."""

from __future__ import annotations

from typing import Any

from core.cluster.errors import ClusterError, ray_library
from core.runtime.message import _
from core.runtime.optional_packages import load

WORK = _("Tagging in bulk")


class BulkError(ClusterError):
    """Bulk tagging cannot begin or go on; the message says what was wrong, where, and the way out."""


class Cancelled(Exception):
    """The job was asked to stop; what is finished stays."""


def cluster_library(module: str) -> Any:
    """A module of the extra ``cluster``: of Ray, pyarrow or fsspec.

    Raises:
        MissingPackage: it is not installed; says how to install it.
    """
    package = module.partition(".")[0]
    return ray_library(module, WORK) if package == "ray" else load(module, package, WORK)
