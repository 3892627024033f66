"""A file to read: encoding, numbered lines, and notes."""

from __future__ import annotations

import codecs
import tempfile
from collections import Counter
from collections.abc import Iterator
from copy import copy
from pathlib import Path
from typing import TextIO

from core.corpus.encodings import reads_as_chinese
from core.corpus.foreign_files import foreign_file
from core.formats.framework import archive
from core.formats.framework.errors import FormatError, RecordError
from core.runtime.message import Message, _

_BLOCK = 1 << 20
_HEAD_CHARACTERS = 1 << 16
_BOMS: tuple[tuple[bytes, str], ...] = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, because its mark begins with that of UTF-16
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class Notes:
    """Notes on how a file was read; at most ``keep`` of one kind are stored."""

    def __init__(self, keep: int = 50) -> None:
        self._keep = keep
        self._counts: Counter[str] = Counter()
        self._texts: dict[str, list[str]] = {}

    def add(self, kind: str, text: str) -> None:
        """Add a note; notes of one ``kind`` are counted together."""
        self._counts[kind] += 1
        if self._counts[kind] <= self._keep:
            self._texts.setdefault(kind, []).append(text)

    def count(self, kind: str) -> int:
        """Number of notes of this kind."""
        return self._counts[kind]

    def texts(self) -> tuple[str, ...]:
        """The notes, grouped by kind in order of first appearance."""
        lines: list[str] = []
        for kind, texts in self._texts.items():
            lines += texts
            if self._counts[kind] > len(texts):
                lines.append(f"and {self._counts[kind] - len(texts)} more like this ({kind})")
        return tuple(lines)


class Source:
    """A text file that can be read more than once.

    Args:
        path: the file. encoding: None detects UTF-8, UTF-16 and UTF-32 (with a byte order mark) and GB18030.

    Raises:
        FormatError: missing, empty, binary, or of unknown encoding.
    """

    def __init__(self, path: Path | str, encoding: str | None = None) -> None:
        self.path = Path(path)
        self.notes = Notes()
        self._errors = "strict"
        self.encoding = encoding or self._detect()
        if encoding is not None:
            self._check_given(encoding)

    def with_new_notes(self) -> Source:
        """The same source with empty notes."""
        copied = copy(self)
        copied.notes = Notes()
        return copied

    @property
    def name(self) -> str:
        """The file's name without its extension: the prefix of generated ids."""
        return self.path.stem or "document"

    def open(self, newline: str | None = None) -> TextIO:
        """The decoded file; invalid UTF-8 becomes lone surrogates, which ``legal_text`` refuses."""
        return self.path.open(encoding=self.encoding, errors=self._errors, newline=newline)

    def lines(self) -> Iterator[tuple[int, str]]:
        """Every line with its number from 1, without its line break (LF, CRLF or CR)."""
        with self.open() as stream:
            for number, line in enumerate(stream, 1):
                yield number, line.rstrip("\n")

    def head(self) -> str:
        """Whole lines from the beginning, about 64 K characters and at least one line that is not blank."""
        kept: list[str] = []
        size = 0
        with self.open() as stream:
            for line in stream:
                kept.append(line)
                size += len(line.strip())
                if size >= _HEAD_CHARACTERS:
                    break
        return "".join(kept)

    def _detect(self) -> str:
        start = self._first_bytes()
        for mark, encoding in _BOMS:
            if start.startswith(mark):
                self._check_given(encoding)
                return encoding
        refuse_foreign(self.path)
        if b"\0" in start:
            raise FormatError("{name} is a binary file (it holds zero bytes), not text", name=self.path.name)
        failure = self._failure("utf-8")
        if failure is None:
            return "utf-8"
        if self._is_chinese("gb18030"):
            self.notes.add(
                "encoding", "the file is not UTF-8; it was read as GB18030 (which holds GBK and GB2312)"
            )
            return "gb18030"
        return self._mostly_utf8(failure)

    def _first_bytes(self) -> bytes:
        try:
            with self.path.open("rb") as stream:
                start = stream.read(_HEAD_CHARACTERS)
        except OSError as error:
            raise FormatError("cannot read {path}: {reason}", path=self.path, reason=error) from error
        if not start.strip():
            raise FormatError("{name} is empty: there is nothing to import", name=self.path.name)
        return start

    def _check_given(self, encoding: str) -> None:
        try:
            failure = self._failure(encoding)
        except LookupError:
            raise FormatError(
                "{encoding} is not the name of an encoding; try utf-8 or gb18030", encoding=repr(encoding)
            ) from None
        if failure is not None:
            raise FormatError(
                "{name} is not {encoding}: {failure}", name=self.path.name, encoding=encoding, failure=failure
            )

    def _failure(self, encoding: str) -> Message | None:
        """Why the file cannot be decoded, or None."""
        decoder = codecs.getincrementaldecoder(encoding)()
        done = 0
        try:
            with self.path.open("rb") as stream:
                while block := stream.read(_BLOCK):
                    decoder.decode(block)
                    done += len(block)
                decoder.decode(b"", final=True)
        except UnicodeError as error:
            return _("it cannot be decoded at byte {place}", place=done + getattr(error, "start", 0) + 1)
        return None

    def _is_chinese(self, encoding: str) -> bool:
        """Whether the file decodes and most non-ASCII characters are Han or Chinese punctuation."""
        if self._failure(encoding) is not None:
            return False
        with self.path.open(encoding=encoding) as stream:
            return reads_as_chinese(stream.read(_BLOCK))

    def _mostly_utf8(self, failure: Message) -> str:
        """UTF-8 if few lines are broken, which are then refused one by one; else an error."""
        good = bad = 0
        with self.path.open("rb") as stream:
            for line in stream:
                try:
                    line.decode("utf-8")
                    good += 1
                except UnicodeDecodeError:
                    bad += 1
        if bad * 10 > good:
            raise FormatError(
                "{name} is neither UTF-8 nor GB18030 ({failure}): save it as UTF-8 and try again",
                name=self.path.name,
                failure=failure,
            )
        self._errors = "surrogateescape"
        self.notes.add("encoding", f"{bad} of {good + bad} lines hold bytes that are not UTF-8")
        return "utf-8"


class RawSource(Source):
    """A binary file or a folder.

    Args:
        path: the file or folder. name: prefix of generated ids; None: the path's name.
    """

    def __init__(self, path: Path | str, name: str | None = None) -> None:
        self.path = Path(path)
        self.notes = Notes()
        self.encoding = ""
        self._prefix = name

    @property
    def name(self) -> str:
        """The prefix of generated ids."""
        return self._prefix or super().name

    def lines(self) -> Iterator[tuple[int, str]]:
        """Binary files have no lines."""
        raise FormatError("{name} is not a text file", name=self.path.name)

    def start(self, size: int = 64) -> bytes:
        """The first bytes of a file; empty for a folder.

        Raises:
            FormatError: it cannot be read.
        """
        try:
            if self.path.is_dir():
                return b""
            with self.path.open("rb") as stream:
                return stream.read(size)
        except OSError as error:
            raise FormatError("cannot read {path}: {reason}", path=self.path, reason=error) from error


class FolderSource(RawSource):
    """The files of a folder or an archive, or a single file with the files that belong to it.

    An archive is unpacked into a temporary folder that lives as long as its sources.

    Raises:
        FormatError: an archive that is damaged or too large.
    """

    def __init__(self, path: Path | str, name: str | None = None) -> None:
        super().__init__(path, name)
        self._unpacked: tempfile.TemporaryDirectory[str] | None = None
        self._listed: list[Path] | None = None
        if not self.path.is_dir() and archive.is_archive(self.path):
            self._unpacked = tempfile.TemporaryDirectory(prefix="latticelens-")
            archive.unpack(self.path, Path(self._unpacked.name))

    @property
    def folder(self) -> Path:
        """The folder with the files."""
        if self._unpacked is not None:
            return Path(self._unpacked.name)
        return self.path if self.path.is_dir() else self.path.parent

    @property
    def is_single(self) -> bool:
        """Whether it is one file, neither a folder nor an archive."""
        return self._unpacked is None and self.path.is_file()

    def files(self, *endings: str) -> list[Path]:
        """Files with one of these extensions; for a single file only those with its name beside it."""
        if self.is_single:
            siblings = (path for path in sorted(self.path.parent.glob("*")) if path.stem == self.path.stem)
            return [path for path in siblings if path.suffix.lower() in endings and path.is_file()]
        return [path for path in self.listed() if path.suffix.lower() in endings]

    def listed(self) -> list[Path]:
        """All files, listed once, because every format asks for its own."""
        if self._listed is None:
            self._listed = list(archive.files_of(self.folder))
        return self._listed

    def identify(self, path: Path) -> tuple[str, str]:
        """The document id of a file, and its annotator if the folder names one (INCEpTION)."""
        above = path.relative_to(self.folder).parts[:-1]
        for place, part in enumerate(above[:-1]):
            if part.startswith(("annotation", "curation")):
                return archive.id_of_file_name(above[place + 1]), path.stem
        return archive.id_of_file_name(path.stem), ""


def refuse_foreign(path: Path) -> None:
    """Refuse office documents, unsupported archives and images.

    Raises:
        FormatError: says what it is and how to extract its text.
    """
    foreign = foreign_file(path)
    if foreign is not None:
        raise FormatError(
            "{name} is {kind}, not text: {advice} and try again",
            name=path.name,
            kind=foreign.kind,
            advice=foreign.advice,
        )


def read_text(path: Path) -> str:
    """The text of a file with its line breaks, without a byte order mark.

    Raises:
        FormatError: unknown encoding.
    """
    content = path.read_bytes()
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        with Source(path).open(newline="") as stream:
            return stream.read()
    return text[1:] if text.startswith("\ufeff") else text


def legal_text(text: str) -> str:
    """The text itself.

    Raises:
        RecordError: it holds half a surrogate pair: broken bytes, or a broken ``\\ud…`` escape.
    """
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        code = ord(text[error.start])
        what = (
            _("byte {byte} is not UTF-8", byte=f"0x{code - 0xDC00:02X}")
            if 0xDC80 <= code <= 0xDCFF
            else _("half a surrogate pair")
        )
        raise RecordError(
            "the text cannot be read at character {position}: {what}", position=error.start, what=what
        ) from None
    return text
