"""Atomic replacement of files and folders.

A new version is written to a temporary file, synced and renamed; then the folder is synced. Names of
unfinished files end in ``.new``, so that leftovers of a killed process can be deleted.
"""

from __future__ import annotations

import errno
import json
import os
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from core.corpus.errors import DiskFullError

FULL = (errno.ENOSPC, errno.EDQUOT)
LONGEST_NAME = 40  # characters of the name kept in a temporary one: a file system allows 255 bytes


@contextmanager
def full_disk_as_error(path: Path) -> Iterator[None]:
    """Turn "no space left" into DiskFullError, also from libraries whose errors carry only text."""
    try:
        yield
    except DiskFullError:
        raise
    except Exception as error:
        if getattr(error, "errno", None) in FULL or "No space left" in str(error):
            raise DiskFullError(path) from error
        raise


@contextmanager
def replacing(*paths: Path, durable: bool = True) -> Iterator[list[Path]]:
    """For writers that need a path: yields temporary paths that replace ``paths`` once all are written.

    Args:
        paths: files; their folders exist.
        durable: False skips the sync: atomic, but possibly lost in a power cut.

    Raises:
        DiskFullError: the old files are unchanged.
    """
    beside = [_beside(path) for path in paths]
    try:
        with full_disk_as_error(paths[0]):
            yield beside
        for path, new in zip(paths, beside, strict=True):
            with full_disk_as_error(path):
                if durable:
                    sync_file(new)
        for path, new in zip(paths, beside, strict=True):
            with full_disk_as_error(path):
                os.replace(new, path)
        if durable:
            for folder in {path.parent for path in paths}:
                sync_names(folder)
    finally:
        for new in beside:
            with suppress(OSError):
                new.unlink(missing_ok=True)


@contextmanager
def writing(
    path: Path, *, binary: bool = False, errors: str = "strict", durable: bool = True
) -> Iterator[Any]:
    """A stream whose content replaces ``path`` once the block ends without an error.

    Text is UTF-8 and line ends are written as given; ``errors`` as in ``open``.

    Raises:
        DiskFullError: an existing file is unchanged.
    """
    with replacing(path, durable=durable) as (new,):
        if binary:
            with new.open("xb") as file:
                yield file
        else:
            with new.open("x", encoding="utf-8", errors=errors, newline="") as file:
                yield file


def write_text(path: Path, pieces: Iterable[str], *, durable: bool = True) -> None:
    """Replace ``path`` by ``pieces`` joined, which may be produced lazily; see ``writing``."""
    with writing(path, durable=durable) as file:
        file.writelines(pieces)


def write_bytes(path: Path, pieces: Iterable[bytes], *, durable: bool = True) -> None:
    """Replace ``path`` by ``pieces`` joined; see ``writing``."""
    with writing(path, binary=True, durable=durable) as file:
        file.writelines(pieces)


def write_json(path: Path, value: Any, *, durable: bool = True) -> None:
    """Replace ``path`` by ``value`` as indented JSON; see ``writing``."""
    write_text(path, [json.dumps(value, ensure_ascii=False, indent=1), "\n"], durable=durable)


def sync_file(path: Path) -> None:
    """Wait until a file is on the disk: otherwise a rename may survive a power cut without the content."""
    with path.open("r+b") as file:  # Windows syncs only files open for writing
        os.fsync(file.fileno())


def sync_names(folder: Path) -> None:
    """Wait until the names in ``folder`` are on the disk, if the system supports it."""
    with suppress(OSError, AttributeError):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def replace_folder(folder: Path, fill: Callable[[Path], None]) -> None:
    """Replace ``folder`` by one that ``fill`` writes.

    Raises:
        DiskFullError: the old folder is unchanged.
    """
    beside = folder.with_name(f".{folder.name}.new")
    shutil.rmtree(beside, ignore_errors=True)
    recover_folder(folder)
    try:
        with full_disk_as_error(folder):
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
        recover_folder(folder)


def recover_folder(folder: Path) -> None:
    """Restore ``folder`` if ``replace_folder`` was interrupted between its two renames.

    Call it before concluding that the folder is missing.
    """
    before = _before(folder)
    if before.is_dir() and not folder.exists():
        before.rename(folder)
    else:
        shutil.rmtree(before, ignore_errors=True)


def _before(folder: Path) -> Path:
    return folder.with_name(f".{folder.name}.old")


def _beside(path: Path) -> Path:
    """A name that no other process or thread uses."""
    return path.with_name(f".{path.name[:LONGEST_NAME]}.{secrets.token_hex(6)}.new")
