"""Folders for files on their way to or from a browser; gone when the app ends."""

from __future__ import annotations

import atexit
import shutil
import tempfile
import threading
from pathlib import Path

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
    return Path(tempfile.mkdtemp(prefix=f"{purpose}-", dir=_root))
