"""Why a file, or one of its records, cannot be read."""

from core.runtime.message import ToldValueError


class FormatError(ToldValueError):
    """A file cannot be read; the message says which, why and what to do."""


class RecordError(ToldValueError):
    """One record cannot be read; the message is the reason a person gets to see."""
