"""Temporary folders for uploads and downloads, deleted after a day and when the app ends."""

from __future__ import annotations

import atexit
import shutil
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path

# As long as gradio keeps uploads.
KEPT_SECONDS = 86400.0

_root: Path | None = None
_lock = threading.Lock()


def scratch_folder(purpose: str) -> Path:
    """Create a folder that only this user can read.

    Args:
        purpose: part of the folder's name.
    """
    global _root
    with _lock:
        if _root is None:
            _root = Path(tempfile.mkdtemp(prefix="latticelens-files-"))
            atexit.register(shutil.rmtree, _root, ignore_errors=True)
        _sweep(_root)
    return Path(tempfile.mkdtemp(prefix=f"{purpose}-", dir=_root))


def _sweep(root: Path) -> None:
    """Delete old folders."""
    oldest = time.time() - KEPT_SECONDS
    for folder in root.iterdir():
        with suppress(FileNotFoundError):
            if folder.stat().st_mtime < oldest:
                shutil.rmtree(folder, ignore_errors=True)
