"""The error of a training that cannot start or continue."""

from core.runtime.message import Told


class TrainingError(Told):
    """Training cannot start or continue. ``message`` says what was wrong, where, and what to do."""
