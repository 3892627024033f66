"""Why a training cannot start or go on."""

from __future__ import annotations

from core.text.message import Told


class TrainingError(Told):
    """Training cannot start or go on. ``message`` says what was wrong, where, and what to do."""
