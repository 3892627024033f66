"""Files by address: paths, ``file://``, ``s3://``, ``gs://`` and whatever else fsspec knows."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from core.bulk.errors import BulkError, cluster_library
from core.corpus.atomic import write_bytes

WILD = "*?["
NATIVE = ("s3", "gs", "gcs", "hdfs", "abfs", "abfss")  # pyarrow has these itself; fsspec gives the others


@dataclass(frozen=True, slots=True)
class Place:
    """A file or a folder of a file system.

    Args:
        filesystem: a ``pyarrow.fs.FileSystem``. path: within it.
        prefix: what makes an address of a path, such as ``s3://``; empty for local ones.
    """

    filesystem: Any
    path: str
    prefix: str = ""

    @property
    def address(self) -> str:
        """What `place` makes this place of."""
        return f"{self.prefix}{self.path}"

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rstrip("/").rpartition("/")[2]

    def __truediv__(self, name: str) -> Place:
        return self.at(f"{self.path.rstrip('/')}/{name}")

    def at(self, path: str) -> Place:
        """Another path of the same file system."""
        return Place(self.filesystem, path, self.prefix)

    def info(self) -> Any:
        """pyarrow's ``FileInfo``: ``type``, ``size`` in bytes, ``mtime_ns``."""
        return self.filesystem.get_file_info(self.path)

    @property
    def is_file(self) -> bool:
        """Whether there is a file."""
        return bool(self.info().is_file)

    def files(self) -> Iterator[tuple[Place, Any]]:
        """The files below this folder, hidden ones left out, by path, each with its ``FileInfo``."""
        fs = cluster_library("pyarrow.fs")
        found = self.filesystem.get_file_info(
            fs.FileSelector(self.path, recursive=True, allow_not_found=True)
        )
        for info in sorted((info for info in found if info.is_file), key=lambda info: info.path):
            below = info.path[len(self.path.rstrip("/")) + 1 :].split("/")
            if not any(part.startswith((".", "_")) for part in below):
                yield self.at(info.path), info

    def read(self) -> bytes:
        """The content of a small file."""
        with self.filesystem.open_input_stream(self.path, compression=None) as stream:
            return bytes(stream.read())

    def write(self, content: bytes) -> None:
        """Replace the file: whole or not at all.

        Local files are renamed into place; an object store shows an object only once it is uploaded.

        Raises:
            DiskFullError: there is no room; the file that was there is unchanged.
        """
        if not self.prefix:
            Path(self.path).parent.mkdir(parents=True, exist_ok=True)
            write_bytes(Path(self.path), [content])
            return
        self.filesystem.create_dir(self.path.rpartition("/")[0], recursive=True)
        with self.filesystem.open_output_stream(self.path, compression=None) as stream:
            stream.write(content)


def place(address: str) -> Place:
    """The place at an address; nothing need be there.

    Raises:
        BulkError: no such file system, keys in the address, or its library is missing.
    """
    fs = cluster_library("pyarrow.fs")
    scheme, mark, rest = address.partition("://")
    if not mark:
        return Place(fs.LocalFileSystem(), Path(address).expanduser().absolute().as_posix())
    if "@" in urlsplit(address).netloc:
        raise BulkError(
            "an address holds a name or a key before {host}; leave it out and give the keys as the "
            "environment or the configuration of that store",
            host=urlsplit(address).hostname or "@",
        )
    if scheme == "file":
        return Place(fs.LocalFileSystem(), os.path.abspath(rest))
    try:
        if scheme in NATIVE:
            filesystem, path = fs.FileSystem.from_uri(address)
        else:
            found, path = cluster_library("fsspec.core").url_to_fs(address)
            filesystem = fs.PyFileSystem(fs.FSSpecHandler(found))
    except (ValueError, ImportError, OSError, NotImplementedError) as error:
        raise BulkError("{scheme}:// cannot be opened: {reason}", scheme=scheme, reason=error) from error
    return Place(filesystem, path, f"{scheme}://")


def matching(address: str) -> list[tuple[Place, Any]]:
    """The files that an address with wildcards names: ``*`` and ``?`` within a name, ``**`` over folders."""
    first = min(address.index(char) for char in WILD if char in address)
    folder = place(address[: address.rindex("/", 0, first) + 1] if "/" in address[:first] else ".")
    pattern = address[address.rindex("/", 0, first) + 1 :] if "/" in address[:first] else address
    above = len(folder.path.rstrip("/")) + 1
    return [
        (found, info)
        for found, info in folder.files()
        if _fits(found.path[above:].split("/"), pattern.split("/"))
    ]


def _fits(names: list[str], patterns: list[str]) -> bool:
    if not patterns:
        return not names
    if patterns[0] == "**":
        return _fits(names, patterns[1:]) or (bool(names) and _fits(names[1:], patterns))
    return bool(names) and fnmatchcase(names[0], patterns[0]) and _fits(names[1:], patterns[1:])
