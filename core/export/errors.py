"""What is said when a tagger cannot leave, or cannot be read elsewhere."""

from __future__ import annotations

from core.runtime.message import ToldValueError


class ExportError(ToldValueError):
    """A tagger cannot be written for another program, or what was written cannot be read; says why."""
