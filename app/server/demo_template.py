"""The workspace that every visitor of a demo gets a copy of."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import sys
import tempfile
from multiprocessing.process import BaseProcess
from pathlib import Path

from app.server.first_run import prepare
from app.server.logs import configure
from core.store.db.workspace import Workspace


class DemoTemplate:
    """A temporary folder that holds this workspace."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="latticelens-template-"))
        self._process: BaseProcess | None = None

    def begin(self, log_format: str) -> None:
        """Make it in a process beside, on Linux, while this one loads what the pages need.

        The process is a fork of this one, which has loaded the store already: there may be no threads yet.

        Args:
            log_format: of what the process says.

        Raises:
            OSError: there can be no more processes; it is made later, in this one.
        """
        if sys.platform == "linux":  # elsewhere a fork may hang in libraries of the system
            forked = (self._folder, log_format, os.getpid())
            process = multiprocessing.get_context("fork").Process(target=_beside, args=forked)
            process.start()
            self._process = process

    def made(self) -> Path:
        """The folder of the workspace, which is closed; made here unless the process has made it."""
        workspace = self._folder / "workspace"
        process, self._process = self._process, None
        if process is not None:
            process.join()
        if process is None or process.exitcode:
            shutil.rmtree(workspace, ignore_errors=True)
            _make(workspace)
        return workspace

    def delete(self) -> None:
        """Delete it, made or not."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
        shutil.rmtree(self._folder, ignore_errors=True)


def _make(workspace: Path) -> None:
    with Workspace.open(workspace) as opened:
        prepare(opened)


def _beside(folder: Path, log_format: str, parent: int) -> None:
    configure(log_format)
    status = 1
    try:
        _make(folder / "workspace")
        status = 0
    except BaseException:  # noqa: S110 - the other process makes it, and meets the same
        pass
    if os.getppid() != parent:  # it was killed, and deletes nothing
        shutil.rmtree(folder, ignore_errors=True)
    os._exit(status)
