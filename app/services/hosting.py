"""What people may do where others can open the app: a demo's limits, and the files that may be named.

Every visitor of a demo gets a private copy of its workspace.
"""

from __future__ import annotations

import shutil
import tempfile
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from app.i18n import counted
from app.services.errors import AppError


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits for visitors of the demo, shown on the page.

    Args:
        documents: of all projects of a visitor. characters: of one text.
        training_seconds: maximum time of a run. trainings: at once, for all visitors.
        idle_seconds: until an unused copy is deleted. visitors: copies at once.
        upload: maximum file size, in gradio's notation.
    """

    documents: int = 6000
    characters: int = 5000
    training_seconds: float = 600.0
    trainings: int = 1
    idle_seconds: float = 1800.0
    visitors: int = 60
    upload: str = "5mb"

    def check_texts(self, texts: Iterable[str]) -> None:
        """Refuse a text that is too long.

        Raises:
            AppError: says the limit and the length.
        """
        longest = max((len(text) for text in texts), default=0)
        if longest > self.characters:
            raise AppError(
                "The demo takes texts of at most {limit}; this one has {count}. Shorten it, or "
                "run LatticeLens on your own machine.",
                limit=counted.characters(self.characters),
                count=longest,
            )

    def check_documents(self, count: int) -> None:
        """Refuse a workspace of ``count`` documents if that is too many.

        Raises:
            AppError: says the limit and the number.
        """
        if count > self.documents:
            raise AppError(
                "The demo holds at most {limit} and there would be {count}. Leave some out, or "
                "run LatticeLens on your own machine.",
                limit=counted.documents(self.documents),
                count=count,
            )


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
