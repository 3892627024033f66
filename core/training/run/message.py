"""A sentence for a person, in both languages of the product."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Message:
    """One plain sentence in English and Chinese. ``str()`` gives the English one (command line, logs)."""

    en: str
    zh: str

    def __str__(self) -> str:
        return self.en

    def to_json(self) -> dict[str, str]:
        """``{"en": …, "zh": …}``, as events and states hold it."""
        return {"en": self.en, "zh": self.zh}

    @classmethod
    def from_json(cls, value: Mapping[str, Any] | str | None) -> Message | None:
        """What ``to_json`` wrote; a bare string serves both languages, nothing gives None."""
        if not value:
            return None
        if isinstance(value, str):
            return cls(value, value)
        en = str(value.get("en") or value.get("zh") or "")
        return cls(en, str(value.get("zh") or en)) if en else None


class TrainingError(Exception):
    """Training cannot start or go on. ``message`` says what was wrong, where, and what to do."""

    def __init__(self, en: str, zh: str | None = None) -> None:
        super().__init__(en)
        self.message = Message(en, zh or en)
