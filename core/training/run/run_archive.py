"""Run folders as sealed archives, for storage on which a run cannot work: a bucket.

An archive is named ``RUN@STAMP.zip``: one when the run is queued, which can begin again from it, and one when
it has ended. Of several with a seal that fits the newest is unpacked.
"""

from __future__ import annotations

import logging
import re
import shutil
import zipfile
from contextlib import suppress
from pathlib import Path

from core.corpus import sealed
from core.training.run.run_folder import RunFolder
from core.training.run.run_state import RunState

_NAME = re.compile(r"(?P<run>[^@/\\]+)@(?P<stamp>\d{1,16})\.zip")

log = logging.getLogger("latticelens")


def stamp_of(state: RunState) -> int:
    """Grows with what is worth keeping of a run: when it was queued, then when it ended; UTC ms."""
    at = state.queued_at if state.active else state.updated_at
    return int((at or 0.0) * 1000)


def keep(folder: RunFolder, state: RunState, archives: Path, scratch: Path) -> None:
    """Put an archive of a run into ``archives`` unless it is there; then remove earlier ones of the run.

    Args:
        scratch: a folder on the local disk.

    Raises:
        OSError, DiskFullError: it cannot be written; earlier ones stay.
    """
    target = archives / f"{state.run}@{stamp_of(state)}.zip"
    if sealed.is_sealed(target):
        return
    packed = scratch / f"{state.run}.zip.part"
    try:
        _pack(folder.path, packed)
        archives.mkdir(parents=True, exist_ok=True)
        sealed.remove(target)  # left by a killed process
        sealed.put(packed, target)
    finally:
        packed.unlink(missing_ok=True)
    for path in archives.iterdir():
        if run_of(path) == state.run and path != target:
            sealed.remove(path)


def run_of(path: Path) -> str | None:
    """The run whose archive this is; None if it is none."""
    matched = _NAME.fullmatch(path.name)
    return matched["run"] if matched else None


def unpack_all(archives: Path, runs_folder: Path) -> list[str]:
    """Unpack the newest whole archive of every run; returns their names. One that is torn is left out."""
    if not archives.is_dir():
        return []
    found = sorted((path for path in archives.iterdir() if run_of(path)), key=_stamp, reverse=True)
    brought: list[str] = []
    fetched = runs_folder / "archive.part"
    for path in found:
        run = run_of(path)
        if run is None or run in brought:
            continue
        try:
            if sealed.fetch(path, fetched):
                with zipfile.ZipFile(fetched) as archive:
                    archive.extractall(runs_folder / run)
                brought.append(run)
            else:
                log.warning("the archive %s is not whole and was left out", path.name)
        except (OSError, zipfile.BadZipFile) as error:
            log.warning("the archive %s cannot be unpacked: %s", path.name, error)
            shutil.rmtree(runs_folder / run, ignore_errors=True)
        finally:
            fetched.unlink(missing_ok=True)
    return brought


def _pack(folder: Path, target: Path) -> None:
    """Weights do not compress, so they are stored as they are."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED, strict_timestamps=False) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and not path.name.endswith(".new"):
                with suppress(FileNotFoundError):  # a run goes on meanwhile
                    archive.write(path, path.relative_to(folder))


def _stamp(path: Path) -> int:
    matched = _NAME.fullmatch(path.name)
    return int(matched["stamp"]) if matched else 0
