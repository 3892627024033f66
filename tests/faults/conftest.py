"""A disk that can be filled up and made read-only."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

DISK_BYTES = 12 << 20


class SmallDisk:
    """A file system of its own in memory."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._ballast = folder / "ballast"

    def free(self) -> int:
        """Bytes that are left."""
        status = os.statvfs(self.folder)
        return status.f_bavail * status.f_frsize

    @contextmanager
    def filled(self, left: int) -> Iterator[None]:
        """No more than ``left`` bytes are free."""
        with self._ballast.open("wb") as file:
            while (room := self.free() - left) > 0:
                file.write(b"\0" * min(room, 1 << 16))
                file.flush()
        try:
            yield
        finally:
            self._ballast.unlink()

    @contextmanager
    def read_only(self) -> Iterator[None]:
        """Nothing on it can be written; files that are open for writing stand in the way."""
        _mount("-o", "remount,ro", self.folder)
        try:
            yield
        finally:
            _mount("-o", "remount,rw", self.folder)


def _mount(*arguments: object) -> None:
    subprocess.run(["mount", *map(str, arguments)], check=True, capture_output=True)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[SmallDisk]:
    folder = tmp_path / "disk"
    folder.mkdir()
    try:
        _mount("-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", folder)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"a disk of its own cannot be mounted here, which takes root: {error}")
    yield SmallDisk(folder)
    subprocess.run(["umount", "--lazy", str(folder)], check=True)
