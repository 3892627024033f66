"""Files that are either the old version or the new one, whatever happens in between."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from core.training.run.message import TrainingError

FULL = (errno.ENOSPC, errno.EDQUOT)


class DiskFullError(TrainingError):
    """There was no room for a file; the version written before is untouched."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"the disk is full: {path.name} could not be written to {path.parent}; what was saved before is "
            "unchanged. Free some space, then resume the run",
            f"磁盘已满：无法把 {path.name} 写入 {path.parent}；之前保存的内容未受影响。"
            "请清理空间后继续该任务",
        )
        self.path = path


@contextmanager
def naming_full_disk(path: Path) -> Iterator[None]:
    """Turn "no space left" into DiskFullError, also from safetensors, whose errors carry only text."""
    try:
        yield
    except DiskFullError:
        raise
    except Exception as error:
        if getattr(error, "errno", None) in FULL or "No space left" in str(error):
            raise DiskFullError(path) from error
        raise


def write_text(path: Path, pieces: Iterable[str], *, durable: bool = True) -> None:
    """Replace ``path`` by ``pieces`` joined: written beside, synced, renamed.

    Args:
        path: the file; its folder exists.
        pieces: UTF-8 text in order; may be produced lazily.
        durable: False skips the sync, for progress that may be lost in a power cut but never torn.

    Raises:
        DiskFullError: the file that stood before still stands.
    """
    beside = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        with naming_full_disk(path):
            with beside.open("w", encoding="utf-8", newline="\n") as file:
                file.writelines(pieces)
                file.flush()
                if durable:
                    os.fsync(file.fileno())
            os.replace(beside, path)
            if durable:
                sync_names(path.parent)
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)


def write_json(path: Path, value: Any, *, durable: bool = True) -> None:
    """Replace ``path`` by ``value`` as indented JSON; see ``write_text``."""
    write_text(path, [json.dumps(value, ensure_ascii=False, indent=1), "\n"], durable=durable)


def sync_file(path: Path) -> None:
    """Wait until a whole file is on the disk: a rename may survive a power cut that its contents do not."""
    with path.open("r+b") as file:  # Windows syncs only what is open for writing
        os.fsync(file.fileno())


def sync_names(folder: Path) -> None:
    """Wait until the names in ``folder`` are on the disk, where the system can do that."""
    with suppress(OSError, AttributeError):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def replace_folder(folder: Path, fill: Callable[[Path], None]) -> None:
    """Let ``fill`` write a folder beside ``folder`` and put it in its place once it is complete.

    Raises:
        DiskFullError: the folder that stood before still stands.
    """
    beside = folder.with_name(f".{folder.name}.new")
    shutil.rmtree(beside, ignore_errors=True)
    put_back(folder)
    try:
        with naming_full_disk(folder):
            beside.mkdir(parents=True)
            fill(beside)
            for path in beside.rglob("*"):
                if path.is_file():
                    sync_file(path)
        if folder.exists():
            folder.rename(_before(folder))
        beside.rename(folder)
        sync_names(folder.parent)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
        put_back(folder)


def put_back(folder: Path) -> None:
    """Give ``folder`` its name again where a kill, or an error, came between the two renames of
    ``replace_folder``; ask before concluding that there is none."""
    before = _before(folder)
    if before.is_dir() and not folder.exists():
        before.rename(folder)
    else:
        shutil.rmtree(before, ignore_errors=True)


def _before(folder: Path) -> Path:
    return folder.with_name(f".{folder.name}.old")
