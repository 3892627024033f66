"""The whole app in a process of its own, as ``python launch.py`` starts it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

from core.store import Workspace
from core.store.document import trash
from core.store.project import projects
from tests import interrupts
from tests.browser.blocks_server import free_port

ROOT = Path(__file__).resolve().parents[2]
SHOTS = ROOT / "screenshots"
START_SECONDS = 120


class AppServer:
    """``launch.py`` on a workspace; stop it and start it again, the workspace stays."""

    def __init__(self, workspace: Path, *flags: str) -> None:
        self.workspace = workspace
        self.flags = flags
        self.port = free_port()
        self.log = workspace.parent / "app.log"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    @property
    def pid(self) -> int:
        assert self._process is not None, "the app was not started"
        return self._process.pid

    def __enter__(self) -> AppServer:
        try:
            self.start()
        except BaseException:
            self.stop(signal.SIGKILL)
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        command = [
            sys.executable, "launch.py", "--no-browser", "--workspace", str(self.workspace),
            "--port", str(self.port), "--device", "cpu", *self.flags,
        ]  # fmt: skip
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "GRADIO_ANALYTICS_ENABLED": "False"}
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                command, cwd=ROOT, stdout=log, stderr=log, env=environment, preexec_fn=interrupts.heard
            )
        until = time.monotonic() + START_SECONDS
        while not self._answers():
            assert self._process.poll() is None, f"the app ended: {self.log.read_text(encoding='utf-8')}"
            assert time.monotonic() < until, "the app did not answer"
            time.sleep(0.2)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(how)
            try:
                self._process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._process = None

    def put_away(self) -> None:
        """Move every project to the trash: who comes next sees only their own."""
        with Workspace.open(self.workspace) as workspace:
            for project in projects.all_projects(workspace):
                trash.trash_project(workspace, project.id)

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(self.url, timeout=5) as reply:
                return bool(reply.status == 200)
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            return False
