"""Secrets of sources: a file for each beside the workspace's database, which no backup holds.

The folder is readable by its owner only (mode 700, the files 600). A key is read when a request is made, and
never shown or logged.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from core.sources.contract import SourceError
from core.sources.settings import SourceSettings

FOLDER = "keys"
LONGEST_KEY = 4_000


def key_reader(settings: SourceSettings, workspace: Path, source: int) -> Callable[[], str | None]:
    """Reads the secret of a source when it is needed.

    The function raises SourceError where the settings name one that is not there.
    """

    def read() -> str | None:
        if not settings.key:
            return None
        if settings.key == "file":
            path = _file(workspace, source)
            try:
                return path.read_text(encoding="utf-8").strip()
            except OSError as error:
                raise SourceError(
                    "The key of {name} is not on this machine: a backup holds no keys. Enter it again.",
                    name=settings.name,
                ) from error
        value = os.environ.get(settings.key, "").strip()
        if not value:
            raise SourceError(
                "The environment variable {variable} is not set. Set it, then start LatticeLens again.",
                variable=settings.key,
            )
        return value

    return read


def write_key(workspace: Path, source: int, key: str) -> None:
    """Keep the secret of a source.

    Raises:
        SourceError: it is empty, or no single line.
    """
    key = key.strip()
    if not key or len(key) > LONGEST_KEY or not key.isascii() or not key.isprintable() or " " in key:
        raise SourceError("A key is one line of letters, digits and signs, without blanks.")
    path = _file(workspace, source)
    path.parent.mkdir(mode=0o700, exist_ok=True)
    path.unlink(missing_ok=True)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(key + "\n")


def delete_key(workspace: Path, source: int) -> None:
    """Forget the secret of a source, if there is one."""
    _file(workspace, source).unlink(missing_ok=True)


def _file(workspace: Path, source: int) -> Path:
    return workspace / FOLDER / f"source-{int(source)}.key"
