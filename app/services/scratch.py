"""Folders for files on their way to or from a browser; gone a day later, and when the app ends."""

from __future__ import annotations

import atexit
import shutil
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path

# As long as gradio keeps an upload: an app that is up for weeks must not gather every export and backup.
KEPT_SECONDS = 86400.0

_root: Path | None = None
_lock = threading.Lock()


def scratch_folder(purpose: str) -> Path:
    """A fresh, empty folder that only this user of the machine can read.

    Args:
        purpose: a word for the folder's name.
    """
    global _root
    with _lock:
        if _root is None:
            _root = Path(tempfile.mkdtemp(prefix="latticelens-files-"))
            atexit.register(shutil.rmtree, _root, ignore_errors=True)
        _sweep(_root)
    return Path(tempfile.mkdtemp(prefix=f"{purpose}-", dir=_root))


def _sweep(root: Path) -> None:
    """Delete what has lain there for longer than anybody waits."""
    oldest = time.time() - KEPT_SECONDS
    for folder in root.iterdir():
        with suppress(FileNotFoundError):
            if folder.stat().st_mtime < oldest:
                shutil.rmtree(folder, ignore_errors=True)
