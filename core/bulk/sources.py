"""The files that a job tags."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from core.bulk.errors import BulkError
from core.bulk.places import WILD, Place, matching, place
from core.runtime.message import damage_of

Kind = Literal["text", "jsonl", "parquet", "arrow"]
KINDS: dict[str, Kind] = {
    ".txt": "text",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".arrow": "arrow",
}
COMPRESSED = {".gz": "gzip", ".zst": "zstd", ".bz2": "bz2"}
STATE = "state.json"  # of a Hugging Face dataset: names its data, beside which caches may lie


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file of documents.

    Args:
        address: where it is. name: what tells it from the others, for ids and reports.
        size: bytes, as stored. changed: modification time in nanoseconds, 0 where a store has none.
        compression: pyarrow's name of it; None for none.
    """

    address: str
    name: str
    kind: Kind
    size: int
    changed: int
    compression: str | None = None


def find_sources(addresses: Sequence[str]) -> list[SourceFile]:
    """The files at the addresses: files, folders, or names with wildcards.

    One that is named twice is read once. Of a folder, files of other kinds are left out.

    Raises:
        BulkError: there is none at an address, or a file is of no kind that can be cut into blocks.
    """
    found: dict[str, tuple[Place, Any]] = {}
    for address in addresses:
        at_address = _at(address)
        if not at_address:
            raise BulkError(
                "there is nothing to tag at {address}; give a file, a folder or names with * that end in "
                "{kinds}",
                address=address,
                kinds=list(KINDS),
            )
        found.update({item.address: (item, info) for item, info in at_address})
    root = posixpath.commonpath([posixpath.dirname(item.path) for item, _info in found.values()])
    sources = []
    for item, info in found.values():
        kind, compression = _kind(item.name)
        if kind is None:
            raise BulkError(
                "{file} is of no kind that can be tagged in bulk: {kinds}, the first three also as .gz, .zst "
                "or .bz2; convert it to .jsonl first",
                file=item.address,
                kinds=list(KINDS),
            )
        name = posixpath.relpath(item.path, root)
        sources.append(SourceFile(item.address, name, kind, info.size, info.mtime_ns or 0, compression))
    return sources


def _at(address: str) -> list[tuple[Place, Any]]:
    wild = any(char in address for char in WILD)
    here = place(address)
    try:
        info = here.info()
        if info.is_file:
            return [(here, info)]
        if wild:
            return matching(address)
        return _of_folder(here)
    except OSError as error:
        raise BulkError(
            "{address} cannot be read: {reason}", address=address, reason=damage_of(error)
        ) from error


def _of_folder(folder: Place) -> list[tuple[Place, Any]]:
    files = [(item, info) for item, info in folder.files() if _kind(item.name)[0] is not None]
    return [(item, info) for item, info in files if _is_data(item)]


def _is_data(item: Place) -> bool:
    """Whether a file is data of its Hugging Face dataset, if it lies in one: not a cache of a computation."""
    state = item.at(posixpath.join(posixpath.dirname(item.path), STATE))
    if _kind(item.name)[0] != "arrow" or not state.is_file:
        return True
    try:
        listed = json.loads(state.read())["_data_files"]
        return item.name in {entry["filename"] for entry in listed}
    except (ValueError, LookupError, TypeError) as error:
        raise BulkError("{file} is damaged: {reason}", file=state.address, reason=damage_of(error)) from error


def _kind(name: str) -> tuple[Kind | None, str | None]:
    stem, extension = posixpath.splitext(name.lower())
    compression = COMPRESSED.get(extension)
    kind = KINDS.get(posixpath.splitext(stem)[1] if compression else extension)
    return (None, None) if compression and kind in ("parquet", "arrow") else (kind, compression)
