"""How a run says that it stopped because it was asked to."""

from __future__ import annotations


class Stopped(Exception):
    """The run was asked to stop and did; it can be resumed."""
