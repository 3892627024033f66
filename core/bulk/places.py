"""Files by address: paths, ``file://``, ``s3://``, ``gs://`` and whatever else fsspec knows."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from core.bulk.errors import BulkError, cluster_library
from core.corpus.atomic import write_bytes
from core.runtime.message import Message, _, message_of

WILD = "*?["
# What pyarrow has itself, and how it is opened; fsspec gives the others.
NATIVE = {
    "s3": "allow_delayed_open=true",  # an object of up to 5 MB takes one request instead of three
    "gs": "retry_limit_seconds=20",  # pyarrow's quarter of an hour would be spent on missing keys, too
}
PUBLIC = "anonymous@"  # before a bucket of Google's: it is read without keys
_NOT_READ = _("{address} cannot be read: {reason}")
_NO_KEYS = _(
    "the store refuses it: the keys are missing, wrong, or not allowed to do this; give the right ones as "
    "the environment or the configuration of that store"
)
# By what the clients of S3 and Google say; the first that fits.
_ANSWERS = {
    "NO_SUCH_BUCKET": _("there is no such bucket"),
    "ACCESS_DENIED": _NO_KEYS,
    "INVALID_ACCESS_KEY_ID": _NO_KEYS,
    "SIGNATURE_DOES_NOT_MATCH": _NO_KEYS,
    "HTTP status 403": _NO_KEYS,
    "PERMISSION_DENIED": _NO_KEYS,
    "UNAUTHENTICATED": _NO_KEYS,
    "OAuth2 access token": _NO_KEYS,
    "NETWORK_CONNECTION": _("the store does not answer"),
    "UNAVAILABLE": _("the store does not answer"),
}


@dataclass(frozen=True, slots=True)
class Place:
    """A file or a folder of a file system.

    What a store refuses, or does not answer, is a `BulkError` of every method; a local file raises OSError.

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
        with self._answered():
            return self.filesystem.get_file_info(self.path)

    @property
    def is_file(self) -> bool:
        """Whether there is a file."""
        return bool(self.info().is_file)

    def files(self) -> Iterator[tuple[Place, Any]]:
        """The files below this folder, hidden ones left out, by path, each with its ``FileInfo``."""
        selector = cluster_library("pyarrow.fs").FileSelector(self.path, recursive=True, allow_not_found=True)
        with self._answered():
            found = self.filesystem.get_file_info(selector)
        for info in sorted((info for info in found if info.is_file), key=lambda info: info.path):
            below = info.path[len(self.path.rstrip("/")) + 1 :].split("/")
            if not any(part.startswith((".", "_")) for part in below):
                yield self.at(info.path), info

    def opened(self) -> Any:
        """The file, to be read from any byte on."""
        with self._answered():
            return self.filesystem.open_input_file(self.path)

    def streamed(self, compression: str | None = None) -> Any:
        """The file from its beginning, decompressed."""
        with self._answered():
            return self.filesystem.open_input_stream(self.path, compression=compression)

    def read(self) -> bytes:
        """The content of a small file."""
        with self._answered(), self.streamed() as stream:
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
        with self._answered(_("{address} cannot be written: {reason}")):
            if self.prefix.partition("://")[0] not in NATIVE:  # those have no folders
                self.filesystem.create_dir(self.path.rpartition("/")[0], recursive=True)
            with self.filesystem.open_output_stream(self.path, compression=None) as stream:
                stream.write(content)

    @contextmanager
    def _answered(self, refused: Message = _NOT_READ) -> Iterator[None]:
        try:
            yield
        except (OSError, cluster_library("pyarrow").ArrowException) as error:
            if not self.prefix:
                raise
            raise BulkError(refused, address=self.address, reason=_answer(error)) from error


def _answer(error: BaseException) -> Message:
    """What a store answers, in words for people where it is a common thing."""
    said = str(error)
    return next((answer for mark, answer in _ANSWERS.items() if mark in said), message_of(error))


def place(address: str) -> Place:
    """The place at an address; nothing need be there.

    Raises:
        BulkError: no such file system, keys in the address, no bucket, or its library is missing.
    """
    scheme, mark, rest = address.partition("://")
    if not mark:
        local = cluster_library("pyarrow.fs").LocalFileSystem()
        return Place(local, Path(address).expanduser().absolute().as_posix())
    if scheme == "file":
        return Place(cluster_library("pyarrow.fs").LocalFileSystem(), os.path.abspath(rest))
    public = PUBLIC if scheme == "gs" and rest.startswith(PUBLIC) else ""
    if "@" in urlsplit(address).netloc.removeprefix(public):
        raise BulkError(
            "an address holds a name or a key before {host}; leave it out and give the keys as the "
            "environment or the configuration of that store",
            host=urlsplit(address).hostname or "@",
        )
    try:
        if scheme not in NATIVE:
            return _of_fsspec(address, scheme)
        path = rest.removeprefix(public)
        bucket = path.partition("/")[0]
        if not bucket or any(char in WILD for char in bucket):
            raise BulkError(
                "{address} names no bucket; give {example}",
                address=address,
                example=f"{scheme}://bucket/folder",
            )
        return Place(_store(scheme, public + bucket), path.rstrip("/"), f"{scheme}://{public}")
    except (ValueError, ImportError, OSError, NotImplementedError) as error:
        raise BulkError("{scheme}:// cannot be opened: {reason}", scheme=scheme, reason=error) from error


@lru_cache(maxsize=64)
def _store(scheme: str, bucket: str) -> Any:
    """The file system of a bucket, opened once: it keeps its connections.

    The address of the bucket alone is given to pyarrow: in one it takes ``?`` and ``%`` for its own.
    """
    fs = cluster_library("pyarrow.fs")
    return fs.FileSystem.from_uri(f"{scheme}://{bucket}?{NATIVE[scheme]}")[0]


def _of_fsspec(address: str, scheme: str) -> Place:
    """A place of a store that fsspec knows.

    Raises:
        BulkError: its addresses name a machine, which its paths do not, so that no worker would find them.
    """
    filesystem, path = cluster_library("fsspec.core").url_to_fs(address)
    if path.strip("/") != address.partition("://")[2].strip("/"):
        raise BulkError(
            "{scheme}:// cannot be tagged in bulk: its addresses name more than a path; copy the files to a "
            "disk that all machines share, or to s3:// or gs://",
            scheme=scheme,
        )
    fs = cluster_library("pyarrow.fs")
    return Place(fs.PyFileSystem(fs.FSSpecHandler(filesystem)), path, f"{scheme}://")


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
