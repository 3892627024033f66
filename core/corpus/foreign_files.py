"""Recognises files that are not text (PDF, Word, …), and says how to get text out of each."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from pathlib import Path

from core.runtime.message import Message, _

_TEXT = _("save it as plain text (.txt)")
_CSV = _("save the sheet as CSV (UTF-8)")
_UNPACK = _("unpack it")
_HEAD = 64  # bytes that identify a type
_LONGEST_MIME = 100


@dataclass(frozen=True, slots=True)
class ForeignFile:
    """The kind of a file, and how to get its text, both phrased for use in a sentence."""

    kind: Message
    advice: Message


_WORD = ForeignFile(_("a Word document"), _TEXT)
_EXCEL = ForeignFile(_("an Excel workbook"), _CSV)
_SLIDES = ForeignFile(_("a presentation"), _TEXT)
_IMAGE = ForeignFile(_("an image"), _("have its text recognised (OCR) first"))

_BEGINNINGS: tuple[tuple[bytes, ForeignFile], ...] = (
    (b"%PDF", ForeignFile(_("a PDF"), _("copy its text out, or convert it to plain text (.txt)"))),
    (b"{\\rtf", ForeignFile(_("an RTF document"), _TEXT)),
    (
        b"\xd0\xcf\x11\xe0",
        ForeignFile(_("an old Office document"), _("save it as plain text (.txt), a sheet as CSV (UTF-8)")),
    ),
    (b"\x1f\x8b", ForeignFile(_("a gzip archive"), _UNPACK)),
    (b"BZh", ForeignFile(_("a bzip2 archive"), _UNPACK)),
    (b"\xfd7zXZ\0", ForeignFile(_("an xz archive"), _UNPACK)),
    (b"7z\xbc\xaf\x27\x1c", ForeignFile(_("a 7-Zip archive"), _UNPACK)),
    (b"Rar!\x1a\x07", ForeignFile(_("a RAR archive"), _UNPACK)),
    (b"\x89PNG", _IMAGE),
    (b"\xff\xd8\xff", _IMAGE),
    (b"GIF8", _IMAGE),
    (b"SQLite format 3\0", ForeignFile(_("an SQLite database"), _("export the table as CSV (UTF-8)"))),
)
_ZIP = ForeignFile(_("a zip archive"), _UNPACK)
# The main folder in Office files, and the type at the start of OpenDocument and EPUB files.
_PARTS: tuple[tuple[str, ForeignFile], ...] = (("word/", _WORD), ("xl/", _EXCEL), ("ppt/", _SLIDES))
_MIME_TYPES: tuple[tuple[str, ForeignFile], ...] = (
    ("application/vnd.oasis.opendocument.text", ForeignFile(_("an OpenDocument text"), _TEXT)),
    ("application/vnd.oasis.opendocument.spreadsheet", ForeignFile(_("an OpenDocument sheet"), _CSV)),
    ("application/vnd.oasis.opendocument.presentation", _SLIDES),
    ("application/epub+zip", ForeignFile(_("an e-book (EPUB)"), _("convert it to plain text (.txt)"))),
)


def foreign_file(path: Path, *, archives: bool = True) -> ForeignFile | None:
    """The kind of ``path`` if its content shows that it is not text; None otherwise, and for folders.

    Args:
        archives: whether ZIP archives of texts are accepted.

    Raises:
        OSError: it cannot be read.
    """
    if path.is_dir():
        return None
    with path.open("rb") as stream:
        start = stream.read(_HEAD)
    if start.startswith(b"PK\x03\x04"):
        return _of_archive(path) or (None if archives else _ZIP)
    return next((kind for beginning, kind in _BEGINNINGS if start.startswith(beginning)), None)


def _of_archive(path: Path) -> ForeignFile | None:
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            if names[:1] == ["mimetype"]:
                with archive.open("mimetype") as stream:
                    mime = stream.read(_LONGEST_MIME).decode("ascii", "replace")
                return next((kind for mime_type, kind in _MIME_TYPES if mime.startswith(mime_type)), None)
    except (zipfile.BadZipFile, OSError, RuntimeError, NotImplementedError, ValueError, EOFError):
        return None  # a damaged archive is refused as one
    if "[Content_Types].xml" not in names:
        return None
    return next((kind for part, kind in _PARTS if any(name.startswith(part) for name in names)), None)
