"""Taggers of one process, over one set of weights for each model folder, whoever loads it.

The visitors of a demo have copies of one workspace, whose runs name the same model folders.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary, WeakValueDictionary

if TYPE_CHECKING:
    from core.taggers.base.tagger import Tagger

# A folder, its files as (path, bytes, ns of the last change), and the device.
_Key = tuple[Path, tuple[tuple[str, int, int], ...], str | None]


def load(folder: Path, device: str | None) -> Tagger:
    """The tagger of a model folder, on a device if one is named.

    Raises:
        ModelFolderError: it cannot be loaded.
    """
    from core.taggers.base.model_folder import load_tagger

    tagger = load_tagger(folder)
    if device is not None:
        tagger.to(device)
    return tagger


class SharedTaggers:
    """Loads each model folder once while somebody uses it; thread-safe.

    Everybody gets a tagger of their own: words that one visitor adds to its lexicon and hooks that look
    inside reach nobody else, and nobody waits for another's use.

    Attributes:
        loads: how many were read from the disk so far.
    """

    def __init__(self) -> None:
        self._originals: WeakValueDictionary[_Key, _Original] = WeakValueDictionary()
        self._original_of: WeakKeyDictionary[Tagger, _Original] = WeakKeyDictionary()
        self._lock = threading.Lock()
        self.loads = 0

    def load(self, folder: Path, device: str | None) -> Tagger:
        """As `load` of this module; a folder whose files have changed is loaded again.

        Raises:
            ModelFolderError: it cannot be loaded.
        """
        from core.taggers.base.shared_weights import with_shared_weights

        key = _key(folder, device)
        with self._lock:
            original = self._originals.setdefault(key, _Original())
        with original.lock:  # others wait for the first to load it, and nobody for another folder
            if original.tagger is None:
                original.tagger = load(folder, device)
                self.loads += 1
            tagger = with_shared_weights(original.tagger)
        with self._lock:
            self._original_of[tagger] = original
        return tagger


class _Original:
    """Owns the weights that copies share: the copies keep it alive, and it never predicts itself."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.tagger: Tagger | None = None


def _key(folder: Path, device: str | None) -> _Key:
    """Raises nothing for a missing folder: loading it says what is wrong."""
    resolved = folder.resolve()
    files = []
    for path in sorted(resolved.rglob("*")):
        if path.is_file():
            state = path.stat()
            files.append((path.relative_to(resolved).as_posix(), state.st_size, state.st_mtime_ns))
    return resolved, tuple(files), device
