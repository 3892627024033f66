"""A lexicon as files: ``words.tsv.gz`` (the dictionary) and ``lexicon.json`` (added and removed words)."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from core.lexicon.dictionary import Dictionary
from core.lexicon.entry import Entry, LexiconError

WORDS = "words.tsv.gz"
HEADER = "lexicon.json"
# jieba's dictionary takes 5 MB; more than this is a decompression bomb or a mistake.
LARGEST_TABLE = 100_000_000


def write(folder: Path, base: Dictionary, added: Iterable[Entry], removed: Iterable[str]) -> None:
    """Write both files, deterministically."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / WORDS).write_bytes(gzip.compress(base.table().encode(), 6, mtime=0))
    header = {
        "format": 1,
        "words": len(base),
        "sha256": base.fingerprint,
        "added": [[entry.word, entry.frequency, entry.type] for entry in added],
        "removed": list(removed),
    }
    (folder / HEADER).write_text(json.dumps(header, ensure_ascii=False, indent=1), encoding="utf-8")


def read(folder: Path, cache: Path | None) -> tuple[Dictionary, list[Entry], list[str]]:
    """The dictionary, the added entries and the removed words.

    Raises:
        LexiconError: naming the file that is missing, damaged or inconsistent with the header.
    """
    header = _read_header(folder / HEADER)
    path = folder / WORDS
    try:
        # A saved list has no duplicates; in a forged one the last line of a word counts.
        base = Dictionary.of_table(_unpack(path), cache=cache, distinct=True)
    except LexiconError as error:
        raise LexiconError("{path}: {reason}", path=path, reason=error) from None
    if len(base) != header["words"] or base.fingerprint != header["sha256"]:
        raise LexiconError(
            "{path} does not hold the words that {header} names; take both from one model",
            path=path,
            header=HEADER,
        )
    added = [_entry(folder / HEADER, row) for row in header["added"]]
    return base, added, [word for word in header["removed"] if word in base]


def _read_header(path: Path) -> dict[str, Any]:
    try:
        header = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise LexiconError("{path} cannot be read: {reason}", path=path, reason=error) from None
    except (ValueError, RecursionError):
        raise LexiconError("{path} is not JSON; take the lexicon from the model again", path=path) from None
    shape = {"format": int, "words": int, "sha256": str, "added": list, "removed": list}
    if not isinstance(header, dict) or any(not isinstance(header.get(k), kind) for k, kind in shape.items()):
        raise LexiconError(
            "{path} does not describe a lexicon: it needs {fields}", path=path, fields=list(shape)
        )
    if header["format"] != 1:
        raise LexiconError(
            "{path} has format {format}, this version reads 1: update LatticeLens",
            path=path,
            format=header["format"],
        )
    if not all(isinstance(word, str) for word in header["removed"]):
        raise LexiconError("{path}: removed words must be strings", path=path)
    return header


def _unpack(path: Path) -> str:
    try:
        with gzip.open(path) as file:
            raw = file.read(LARGEST_TABLE + 1)
    except FileNotFoundError:
        raise LexiconError("is missing") from None
    except (OSError, EOFError, zlib.error):
        raise LexiconError("is damaged or cut off; take the lexicon from the model again") from None
    if len(raw) > LARGEST_TABLE:
        raise LexiconError("unpacks to more than {largest} bytes", largest=LARGEST_TABLE)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise LexiconError("is not UTF-8 text") from None


def _entry(path: Path, row: object) -> Entry:
    match row:
        case [str(word), int(frequency), str(kind)]:
            try:
                return Entry(word, frequency, kind)
            except LexiconError as error:
                raise LexiconError("{path}: {reason}", path=path, reason=error) from None
        case _:
            raise LexiconError(
                "{path}: an added word is [word, frequency, type], got {row}", path=path, row=str(row)[:60]
            )
