"""The lock that keeps a workspace for one app: who has it, where it answers, and that it still lives.

Two apps on one workspace would both drive its trainings. The lock file names host, process and address, and
its holder touches it every few seconds. On the same machine the process is asked; of another machine, or of
another container on the same disk, whose processes cannot be seen, the heartbeat decides.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
import threading
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from core.corpus.atomic import write_text
from core.jobs.process import is_alive, process_identity

FILE_NAME = "app.lock"
BEAT_SECONDS = 10.0
TURN_SECONDS = 0.02  # a takeover takes less
WAIT_SECONDS = 1.0  # between two looks at the lock of another machine
STALE_SECONDS = 60.0  # without a beat; a stalled network disk or a suspended machine needs some patience


class WorkspaceInUse(Exception):
    """Another app has this workspace open."""


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds a lock.

    Args:
        host: name of the machine or container. processes: names the space in which ``pid`` means something.
        identity: of the process, as pids are reused. address: where its app answers; empty before it does.
        key: random, one for each taking.
    """

    host: str
    processes: str
    pid: int
    identity: str
    address: str = ""
    key: str = ""


class WorkspaceLock:
    """A lock file with the process that has the workspace open.

    Args:
        folder: of the workspace.
        beat, stale: seconds between two heartbeats, and without one until the holder counts as gone.
    """

    def __init__(self, folder: Path, beat: float = BEAT_SECONDS, stale: float = STALE_SECONDS) -> None:
        self._file = folder / FILE_NAME
        self._beat_seconds, self._stale_seconds = beat, stale
        self._mine = Holder(
            socket.gethostname(), _processes(), os.getpid(), process_identity(os.getpid()) or "", "",
            secrets.token_hex(8),
        )  # fmt: skip
        self._ended = threading.Event()
        self._lock = threading.Lock()  # a beat, or a new address, and the release

    def take(self, patience: float = 0.0) -> None:
        """Acquire the lock and keep it alive; takes over that of an app that has gone.

        Args:
            patience: seconds to wait for one of another machine, which may have been killed: as long as it
                takes until nobody has heard of it.

        Raises:
            WorkspaceInUse: another app holds it; one sentence says which, and where it answers.
        """
        self._file.parent.mkdir(parents=True, exist_ok=True)
        until = time.monotonic() + patience
        while not self._create():
            seen, holder = self._read()
            if seen is None:
                continue  # released just now
            if holder is not None and self._is_held(holder):
                if holder.processes != self._mine.processes and time.monotonic() < until:
                    time.sleep(WAIT_SECONDS)
                    continue
                raise WorkspaceInUse(self._told(holder))
            self._remove_stale(seen)
        threading.Thread(target=self._keep_alive, name="workspace-lock", daemon=True).start()

    def answers_at(self, address: str) -> None:
        """Write the address of this app into the lock, for whoever is refused."""
        with self._lock:
            if self._is_mine():
                self._mine = Holder(**{**asdict(self._mine), "address": address})
                write_text(self._file, [self._content()], durable=False)

    def release(self) -> None:
        """Release the lock, if it is ours."""
        with self._lock:
            self._ended.set()
            if self._is_mine():
                self._file.unlink(missing_ok=True)

    def _create(self) -> bool:
        """Whether the lock is ours now: it appears with its whole content, or not at all."""
        beside = self._file.with_name(f"{FILE_NAME}.{self._mine.key}")
        beside.write_text(self._content(), encoding="utf-8")
        try:
            os.link(beside, self._file)
            return True
        except FileExistsError:
            return False
        except OSError:  # a file system without hard links
            return self._create_exclusively()
        finally:
            beside.unlink(missing_ok=True)

    def _create_exclusively(self) -> bool:
        try:
            with self._file.open("x", encoding="utf-8") as file:
                file.write(self._content())
            return True
        except FileExistsError:
            return False

    def _content(self) -> str:
        return json.dumps(asdict(self._mine))

    def _read(self) -> tuple[str | None, Holder | None]:
        """The content of the file, None if it is gone, and the holder, None if it names none."""
        try:
            content = self._file.read_text(encoding="utf-8", errors="replace")
        except FileNotFoundError:
            return None, None
        return content, _holder(content)

    def _is_held(self, holder: Holder) -> bool:
        if holder.processes == self._mine.processes:
            if holder.pid == os.getpid():
                return False  # of an earlier life of this process, such as a container's process 1
            if holder.identity:
                return is_alive(holder.pid, holder.identity)
            return process_identity(holder.pid) is not None
        age = self._age()
        return age is not None and age < self._stale_seconds

    def _age(self) -> float | None:
        """Seconds since the last beat by the clock of the disk, which another machine may share; None if the
        file is gone."""
        probe = self._file.with_name(f"{FILE_NAME}.{self._mine.key}")
        try:
            probe.write_text("", encoding="utf-8")
            return probe.stat().st_mtime - self._file.stat().st_mtime
        except FileNotFoundError:
            return None
        finally:
            probe.unlink(missing_ok=True)

    def _remove_stale(self, seen: str) -> None:
        """Remove the lock that was judged, and not one that somebody has taken since.

        Of several that take over at once one has the turn; the others look again.
        """
        turn = self._file.with_name(f"{FILE_NAME}.takeover")
        try:
            turn.open("x").close()
        except FileExistsError:
            with suppress(FileNotFoundError):
                if time.time() - turn.stat().st_mtime > self._stale_seconds:
                    turn.unlink()  # of an app that was killed during its turn
            time.sleep(TURN_SECONDS)
            return
        try:
            if self._read()[0] == seen:
                self._file.unlink(missing_ok=True)
        finally:
            turn.unlink(missing_ok=True)

    def _is_mine(self) -> bool:
        holder = self._read()[1]
        return holder is not None and holder.key == self._mine.key

    def _keep_alive(self) -> None:
        while not self._ended.wait(self._beat_seconds):
            with self._lock, suppress(OSError):
                if not self._ended.is_set() and self._is_mine():
                    os.utime(self._file)

    def _told(self, holder: Holder) -> str:
        where = f" on {holder.host}" if holder.host and holder.processes != self._mine.processes else ""
        at = f", at {holder.address}" if holder.address else ""
        return (
            f"the workspace {self._file.parent} is open in another LatticeLens (process {holder.pid}"
            f"{where}{at}); use that one, close it, or choose another folder with --workspace"
        )


def _holder(content: str) -> Holder | None:
    """The holder a lock names; versions before wrote pid and identity alone, always of this machine."""
    try:
        return Holder(**json.loads(content))
    except (ValueError, TypeError):
        pass
    pid, _, identity = content.strip().partition(" ")
    return Holder("", _processes(), int(pid), identity) if pid.isdecimal() else None


def _processes() -> str:
    """The space of process numbers: machine, its boot, and the namespace of a container."""
    parts = [socket.gethostname()]
    with suppress(OSError):
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip())
    with suppress(OSError):
        parts.append(os.readlink("/proc/self/ns/pid"))
    return " ".join(parts)
