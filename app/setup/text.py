"""The text of a new project: where it comes from, how it is split, and what it will look like."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, get_args

from pydantic import Field

from app.i18n.terms import format_name
from app.services.errors import sentence
from app.services.importing.documents import (
    AUTO,
    FilePreview,
    Unreadable,
    check_limits,
    gathered,
    label_counts,
    look_at_all,
    overlap_counts,
    pasted_file,
)
from app.services.named_files import uploaded
from app.services.session import Session
from app.ui.payload import Payload, Text, TextOrEmpty
from app.ui.server_function import Reply
from app.ui.widgets.sentence import span_object
from core.formats import ReadOptions, available
from core.formats.framework.format import TextUnit
from core.store.project import nesting
from core.text import Document

LONGEST_PASTE = 5_000_000
LONGEST_PATH = 4_096
MOST_FILES = 500
EXAMPLES = 6  # documents shown
SHOWN_PROBLEMS = 50
SHOWN_CHARACTERS = 240
UNITS: tuple[TextUnit, ...] = get_args(TextUnit)
MEMORY = "setup"
_CHINESE = re.compile(r"[\u3400-\u9fff]")


class TextSource(Payload):
    """Pasted text and uploaded files.

    Args:
        files: their paths on this machine. read_as: ``auto``, a unit of plain text, or a format.
        column: of a CSV or TSV file, the column with the text; "" is the one that is detected.
    """

    files: Annotated[list[Annotated[str, Field(max_length=LONGEST_PATH)]], Field(max_length=MOST_FILES)]
    paste: Annotated[str, Field(max_length=LONGEST_PASTE)]
    read_as: Text = AUTO
    column: TextOrEmpty = ""

    @property
    def is_empty(self) -> bool:
        return not self.files and not self.paste.strip()

    @property
    def reading(self) -> tuple[str, ReadOptions]:
        """The name of the format, and how it is read."""
        for unit in UNITS:
            if self.read_as == unit:
                return "plain", ReadOptions(unit=unit)
        return self.read_as, ReadOptions(text_column=self.column or None)


@dataclass(frozen=True, slots=True)
class ReadText:
    """What the files of a source hold."""

    source: TextSource
    previews: list[FilePreview]
    unreadable: list[Unreadable]


def read_text(
    session: Session, source: TextSource, progress: Callable[[float], None] = lambda share: None
) -> ReadText:
    """Read every file of a source once; the result is kept until another source is read.

    Raises:
        FormatError, AppError: nothing can be read, a file is gone, or a demo's limits are exceeded.
    """
    kept = session.memory.get(MEMORY)
    if isinstance(kept, ReadText) and kept.source == source and _still_there(kept.previews):
        return kept
    paths = [uploaded(path) for path in source.files]
    if source.paste.strip():
        paths.append(pasted_file(source.paste))
    format_name, options = source.reading
    previews, unreadable = look_at_all(gathered(paths), format_name, options, progress)
    check_limits(previews, 0, session.workbench.limits)
    session.workbench.check_disk()
    read = ReadText(source, previews, unreadable)
    session.memory[MEMORY] = read
    return read


def preview_object(session: Session, read: ReadText) -> Reply:
    """What was read, for the dialog: counts, first documents, labels, columns and problems."""
    previews = read.previews
    labelled, overlapping = overlap_counts(previews)
    first = [document for preview in previews for document in preview.first]
    return {
        "documents": sum(preview.documents for preview in previews),
        "labelled": labelled,
        "spans": sum(preview.spans for preview in previews),
        "repaired": sum(preview.repaired for preview in previews),
        "refused": sum(preview.refused for preview in previews) + len(read.unreadable),
        "formats": list(dict.fromkeys(session._(format_name(preview.format)) for preview in previews)),
        "first": [_document_object(document) for document in first[: _shown(previews)]],
        "labels": [name for name, _count in label_counts(previews).most_common()],
        "nested": nesting.looks_nested(labelled, overlapping),
        "columns": _columns(previews),
        "problems": _problems(session, read),
        "chinese": any(_CHINESE.search(document.text) for document in first),
        "name": _name(read),
    }


def format_choices(session: Session) -> list[list[str]]:
    """Names and titles of the formats that are read; plain text is chosen by its unit."""
    return [[name, session._(format_name(name))] for name in available() if name != "plain"]


def _still_there(previews: Sequence[FilePreview]) -> bool:
    return all(preview.path.exists() for preview in previews)


def _shown(previews: Sequence[FilePreview]) -> int:
    return min(EXAMPLES, max((len(preview.first) for preview in previews), default=0))


def _document_object(document: Document) -> Reply:
    shown = document.text[:SHOWN_CHARACTERS]
    return {
        "text": shown,
        "more": len(document.text) - len(shown),
        "spans": [span_object(span) for span in document.spans if span.end <= len(shown)],
    }


def _columns(previews: Sequence[FilePreview]) -> list[str]:
    """The columns that every CSV or TSV file has."""
    tables = [preview.columns for preview in previews if preview.columns]
    if not tables:
        return []
    return [name for name in dict.fromkeys(tables[0]) if name and all(name in other for other in tables)]


def _problems(session: Session, read: ReadText) -> list[list[Any]]:
    """File, line (0: the whole file) and reason of what is left out."""
    whole = [[file.name, 0, sentence(file.error, session.language)] for file in read.unreadable]
    records = [
        [preview.name, refusal.line, session._(refusal.message)]
        for preview in read.previews
        for refusal in preview.refusals
    ]
    return [*whole, *records][:SHOWN_PROBLEMS]


def _name(read: ReadText) -> str:
    """A name for the project, from its first file."""
    return Path(read.source.files[0]).stem[:60] if read.source.files else ""
