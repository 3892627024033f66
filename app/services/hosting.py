"""Where others can open the app: which files may be named, and a demo's copies of its workspace.

Every visitor of a demo gets a private copy of its workspace.
"""

from __future__ import annotations

import shutil
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path

from app.services.errors import AppError
from app.services.limits.table import Limits


@dataclass(frozen=True, slots=True)
class FilePolicy:
    """What people may name.

    Args:
        anywhere: any file that the app can read. folders: real paths that are allowed with all they hold.
        hub: models that are downloaded.
    """

    anywhere: bool = True
    folders: tuple[Path, ...] = ()
    hub: bool = True


VISITOR = FilePolicy(anywhere=False, hub=False)


class VisitorFolders:
    """A temporary copy of a prepared workspace per visitor, deleted when the visitor has left.

    Args:
        template: a closed workspace folder to copy.
        limits: maximum number of copies.
    """

    def __init__(self, template: Path, limits: Limits) -> None:
        self._template = template
        self._limits = limits
        self._root = Path(tempfile.mkdtemp(prefix="latticelens-demo-"))
        self._folders: dict[str, Path] = {}
        self._lock = threading.Lock()

    @property
    def root(self) -> Path:
        """The folder of all copies."""
        return self._root

    def copy_for(self, token: str) -> Path:
        """A fresh copy for the visitor with this session token.

        Raises:
            AppError: the demo is full.
        """
        with self._lock:
            if len(self._folders) >= self._limits.visitors:
                raise AppError("The demo has as many visitors as it can hold. Try again in a few minutes.")
            folder = Path(tempfile.mkdtemp(dir=self._root)) / "workspace"
            self._folders[token] = folder
        try:
            shutil.copytree(self._template, folder)
        except BaseException:
            self.delete(token)  # else the place would be lost until the app ends
            raise
        return folder

    def delete(self, token: str) -> None:
        """Delete the visitor's copy; a token without one is fine."""
        with self._lock:
            folder = self._folders.pop(token, None)
        if folder is not None:
            shutil.rmtree(folder.parent, ignore_errors=True)

    def delete_all(self) -> None:
        """Delete every copy, when the app ends."""
        with self._lock:
            self._folders.clear()
        shutil.rmtree(self._root, ignore_errors=True)
