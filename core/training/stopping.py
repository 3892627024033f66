"""The exception of a run that was asked to stop."""

from __future__ import annotations


class Stopped(Exception):
    """The run was asked to stop and did; it can be resumed."""
