"""Imports that threads must not share.

transformers puts another module in its place while it is imported: of two threads that import it for the
first time at once, as two visitors after a start do, one gets a module without its classes.
"""

from __future__ import annotations

import importlib
import threading

_lock = threading.Lock()
_complete: set[str] = set()


def import_alone(name: str) -> None:
    """Import a library, one thread at a time; once it is there this costs nothing."""
    if name not in _complete:
        with _lock:
            importlib.import_module(name)
            _complete.add(name)
