"""Folders and ZIP archives of many files; archives are unpacked within limits and into one folder only."""

from __future__ import annotations

import lzma
import os
import stat
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from operator import attrgetter
from pathlib import Path, PurePosixPath
from urllib.parse import quote, unquote

from core.formats.framework.errors import FormatError
from core.runtime.message import Message, _, message_of

MAGIC = b"PK\x03\x04"
EMPTY_MAGIC = b"PK\x05\x06"
MOST_FILES = 200_000
MOST_BYTES = 4 << 30
MOST_RATIO = 200  # of unpacked to packed size: 3 to 20 for text, a thousand for a bomb
_FREE_BYTES = 64 << 20  # below this much no ratio is suspicious
_DEEPEST = 3  # archives in archives, as INCEpTION exports them
_BLOCK = 1 << 20
_JUNK = ("__MACOSX", ".DS_Store", "Thumbs.db")
_LONGEST_NAME = 180  # bytes of a file name, so that an ending and a number still fit in 255


def is_archive(path: Path) -> bool:
    """Whether a file is a ZIP archive."""
    try:
        with path.open("rb") as stream:
            return stream.read(4) in (MAGIC, EMPTY_MAGIC)
    except OSError:
        return False


def unpack(path: Path, folder: Path) -> Path:
    """Unpack an archive, and the archives in it, below ``folder``.

    Raises:
        FormatError: it is damaged, encrypted, empty or too large, or a member's path leaves the folder.
    """
    _Unpacking().unpack(path, folder, 1)
    return folder


def names_in(path: Path) -> list[str]:
    """Names of the files in an archive, from its directory.

    Raises:
        FormatError: as ``unpack``, as far as the directory shows.
    """
    with _opened(path) as archive:
        return [target.name for _, target in _Unpacking().admitted(archive, path, Path(), 1)]


def files_of(folder: Path) -> Iterator[Path]:
    """Every regular file below a folder, by name; links and system files are left out."""
    waiting = [str(folder)]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as listing:
                members = sorted(
                    (entry for entry in listing if not _is_junk(entry.name)), key=attrgetter("name")
                )
        except OSError:
            continue
        for member in members:
            if member.is_file(follow_symlinks=False):
                yield Path(member.path)
        waiting += [member.path for member in reversed(members) if member.is_dir(follow_symlinks=False)]


def file_name_of(identifier: str) -> str:
    """A portable file name for a document's id; inverse of ``id_of_file_name``.

    Long ids are cut, which counts as a loss.
    """
    name = "".join(_quoted(char) for char in identifier)
    if name[:1] in (".", " ", "~"):
        name = f"%{ord(name[0]):02X}{name[1:]}"
    if name[-1:] == " ":
        name = name[:-1] + "%20"
    while len(name.encode("utf-8")) > _LONGEST_NAME:
        name = name[:-1]
    return name.rstrip(" ") or "document"


def id_of_file_name(name: str) -> str:
    """The id of a file name without extension; the name itself if we have not written it."""
    identifier = unquote(name, errors="strict") if "%" in name and _decodes(name) else name
    return identifier if identifier and file_name_of(identifier) == name else name


class _Unpacking:
    """Counts files and bytes over an archive and the archives in it."""

    def __init__(self) -> None:
        self.files = 0
        self.bytes = 0
        self._folders: set[Path] = set()  # already created; asking the disk takes as long as writing a file

    def unpack(self, path: Path, folder: Path, depth: int) -> None:
        with _opened(path) as archive:
            for item, target in self.admitted(archive, path, folder, depth):
                self._write(archive, item, target)
        inner = [file for file in files_of(folder) if file.suffix.lower() == ".zip" and is_archive(file)]
        for file in inner:
            if depth >= _DEEPEST:
                raise FormatError(
                    "{name} holds archives in archives, more than {most} deep", name=path.name, most=_DEEPEST
                )
            self.unpack(file, file.with_suffix(""), depth + 1)
            file.unlink()

    def admitted(
        self, archive: zipfile.ZipFile, path: Path, folder: Path, depth: int
    ) -> list[tuple[zipfile.ZipInfo, Path]]:
        """The members to unpack and their targets, after checking all limits.

        Sizes come from the archive's directory, and no more than these are read.
        """
        members = [
            (item, target)
            for item in archive.infolist()
            if (target := _target(item, folder, path)) is not None
        ]
        self.files += len(members)
        if self.files > MOST_FILES:
            raise FormatError(
                "{name} holds more than {most} files; take a part of them", name=path.name, most=MOST_FILES
            )
        if depth == 1 and members and not _has_content(members):
            raise FormatError("{name} contains only empty files: there is nothing to import", name=path.name)
        for item, _target_path in members:
            self.bytes += item.file_size
            if item.file_size > max(_FREE_BYTES, MOST_RATIO * item.compress_size):
                raise FormatError(
                    "{name} holds {filename}, which unpacks without end",
                    name=path.name,
                    filename=f"{item.filename!r:.80}",
                )
        if self.bytes > MOST_BYTES:
            raise FormatError(
                "{name} unpacks to more than {most} GiB; take a part of it",
                name=path.name,
                most=MOST_BYTES >> 30,
            )
        return members

    def _write(self, archive: zipfile.ZipFile, item: zipfile.ZipInfo, target: Path) -> None:
        if target.parent not in self._folders:
            target.parent.mkdir(parents=True, exist_ok=True)
            self._folders.add(target.parent)
        with archive.open(item) as source, target.open("wb") as goal:
            while block := source.read(_BLOCK):
                goal.write(block)


@contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open the archive; its errors become `FormatError`."""
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except FormatError:
        raise
    except (
        zipfile.BadZipFile,
        NotImplementedError,
        RuntimeError,
        EOFError,
        OSError,
        ValueError,
        zlib.error,
        lzma.LZMAError,
    ) as error:
        raise FormatError(
            "{name} cannot be unpacked: {reason}", name=path.name, reason=_fault(error)
        ) from error


def _fault(error: Exception) -> Message:
    if isinstance(error, NotImplementedError):
        return _("its compression is not known; pack it as ZIP again")
    if isinstance(error, RuntimeError) and "password" in str(error):
        return _("it is encrypted; unpack it first")
    if isinstance(error, OSError) and error.errno is not None:
        return message_of(error)
    return _("it is damaged or cut off; copy it again")


def _has_content(members: list[tuple[zipfile.ZipInfo, Path]]) -> bool:
    """Whether a file is not empty, or two of them, text and annotations, form one document."""
    together = {target.with_suffix("") for _, target in members}
    return len(together) < len(members) or any(item.file_size for item, _ in members)


def _target(item: zipfile.ZipInfo, folder: Path, path: Path) -> Path | None:
    """Target path of a member; None for folders, links and system files.

    Raises:
        FormatError: its path leaves the folder.
        zipfile.BadZipFile: it has no name.
    """
    name = item.filename.replace("\\", "/")
    parts = PurePosixPath(name).parts
    if not parts and not name.endswith("/"):
        raise zipfile.BadZipFile
    if item.is_dir() or any(_is_junk(part) for part in parts) or stat.S_ISLNK(item.external_attr >> 16):
        return None
    if name.startswith("/") or ".." in parts or ":" in name.split("/")[0] or "\0" in name:
        raise FormatError(
            "{name} names {filename}, a place outside of it; it was not unpacked",
            name=path.name,
            filename=f"{item.filename!r:.80}",
        )
    return folder.joinpath(*parts)


def _is_junk(name: str) -> bool:
    return name in _JUNK or name.startswith("._")


def _quoted(char: str) -> str:
    """Keep letters and digits of any script; quote characters special to file systems."""
    return char if char.isalnum() or char in " !'(),-_" else quote(char, safe="")


def _decodes(name: str) -> bool:
    try:
        unquote(name, errors="strict")
    except UnicodeDecodeError:
        return False
    return True
