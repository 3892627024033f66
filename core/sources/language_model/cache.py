"""Answers of a language model on disk, so that the same question is paid for once."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from core.corpus.atomic import write_json


class AnswerCache:
    """A file for each question, named by its SHA-256. A damaged one counts as missing.

    Args:
        folder: made with the first answer; None keeps nothing.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def get(self, question: Any) -> dict[str, Any] | None:
        """The answer to a question, or None."""
        path = self._path(question)
        if path is None:
            return None
        try:
            value = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return value if isinstance(value, dict) else None

    def put(self, question: Any, answer: dict[str, Any]) -> None:
        """Keep an answer.

        Raises:
            DiskFullError: there is no room.
        """
        path = self._path(question)
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_json(path, answer, durable=False)

    def _path(self, question: Any) -> Path | None:
        if self._folder is None:
            return None
        name = hashlib.sha256(json.dumps(question, sort_keys=True).encode()).hexdigest()
        return self._folder / name[:2] / f"{name}.json"
