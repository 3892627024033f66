"""Temporary folders for uploads and downloads, deleted once they are old and when the app ends."""

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
    return Path(tempfile.mkdtemp(prefix=f"{purpose}-", dir=_root))


def sweep(seconds: float = KEPT_SECONDS) -> None:
    """Delete the folders that were not changed for as long."""
    oldest = time.time() - seconds
    for folder in list(_root.iterdir()) if _root is not None else ():
        with suppress(FileNotFoundError):
            if folder.stat().st_mtime < oldest:
                shutil.rmtree(folder, ignore_errors=True)
