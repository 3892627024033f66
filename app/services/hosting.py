"""What a public demo allows, and a private copy of the demo workspace for every visitor."""

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
    """What one visitor of the demo may use; the page shows these numbers.

    Args:
        documents: in all projects of the visitor. characters: of one text.
        training_seconds: after this a run is cancelled. trainings: at once, over all visitors.
        idle_seconds: a copy nobody looked at for so long is deleted. visitors: copies at once.
        upload: the largest file taken, as gradio writes sizes.
    """

    documents: int = 2000
    characters: int = 5000
    training_seconds: float = 300.0
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


class VisitorFolders:
    """One temporary copy of a prepared workspace per visitor, deleted when the visitor is gone.

    Args:
        template: a closed workspace folder to copy.
        limits: how many copies there may be at once.
    """

    def __init__(self, template: Path, limits: Limits) -> None:
        self._template = template
        self._limits = limits
        self._root = Path(tempfile.mkdtemp(prefix="latticelens-demo-"))
        self._folders: dict[str, Path] = {}
        self._lock = threading.Lock()

    @property
    def root(self) -> Path:
        """The folder that holds every copy."""
        return self._root

    def copy_for(self, token: str) -> Path:
        """A fresh copy for the visitor with this session token.

        Raises:
            AppError: there are as many visitors as the demo can hold.
        """
        with self._lock:
            if len(self._folders) >= self._limits.visitors:
                raise AppError("The demo has as many visitors as it can hold. Try again in a few minutes.")
            folder = Path(tempfile.mkdtemp(dir=self._root)) / "workspace"
            self._folders[token] = folder
        try:
            shutil.copytree(self._template, folder)
        except BaseException:
            self.delete(token)  # a place nobody took would be lost until the app ends
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
