"""Import of uploaded files: preview first, then import in chunks."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path

from app.services.errors import AppError
from app.services.limits.table import Limits
from app.services.storage.scratch import scratch_folder
from core.corpus.foreign_files import foreign_file
from core.formats import FormatError, Reading, ReadOptions, Refusal, write_refused
from core.formats.framework.archive import files_of, is_archive, unpack
from core.formats.framework.registry import opened
from core.formats.tabular import Tabular
from core.store.annotation.finished import finish_empty
from core.store.db.clock import now
from core.store.db.workspace import Workspace
from core.store.document import documents, trash
from core.store.project import nesting
from core.text import Document

# As many as one transaction of the store, so that saves are not blocked.
CHUNK = 200  # documents read between two reports
SHOWN_REFUSALS = 200
SHOWN_DOCUMENTS = 10
AUTO = "auto"
_SPLIT_NAMES = {
    "train": "train",
    "dev": "dev",
    "valid": "dev",
    "val": "dev",
    "validation": "dev",
    "test": "test",
}


@dataclass(frozen=True, slots=True)
class FilePreview:
    """Preview of one file.

    Args:
        path: of the upload. name: shown to the user. format: name of the format.
        split: derived from its name, or ``none``.
        documents, spans, repaired, longest: counts; ``longest`` in characters. labelled, overlapping: numbers
            of documents with spans, and with overlapping spans.
        labels: span counts by label. refused: number of unreadable records; refusals: the first ones.
        notes: decisions and repairs while reading. refused_file: the unreadable records, to be fixed.
        options: how it was read. first: its first documents. columns: of a CSV or TSV file, the cells of its
            first row.
    """

    path: Path
    name: str
    format: str
    split: str
    documents: int
    labelled: int
    overlapping: int
    spans: int
    repaired: int
    longest: int
    labels: dict[str, int]
    refusals: tuple[Refusal, ...]
    refused: int
    notes: tuple[str, ...]
    refused_file: Path | None
    options: ReadOptions = field(default_factory=ReadOptions)
    first: tuple[Document, ...] = ()
    columns: tuple[str, ...] = ()

    def reading(self) -> Reading:
        """Read the file again with the settings of the preview."""
        return Reading(self.path, self.format, self.options)


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file that cannot be read at all; the others are imported."""

    name: str
    error: FormatError | AppError


@dataclass(frozen=True, slots=True)
class Imported:
    """Progress of an import: documents done and total, when it began (`Filter.imported_at`), results, skipped
    files, and whether the data made the project nested."""

    done: int
    total: int
    at: int
    added: int = 0
    duplicates: int = 0
    restored: int = 0
    new_labels: tuple[str, ...] = field(default=())
    left_out: tuple[str, ...] = field(default=())
    became_nested: bool = False


def split_of_name(name: str) -> str:
    """The split in a file's name: train for ``train.char.bmes``, none for ``data.csv``."""
    words = re.split(r"[^a-z]+", Path(name).name.lower())
    return next((_SPLIT_NAMES[word] for word in words if word in _SPLIT_NAMES), "none")


def pasted_file(text: str) -> Path:
    """Pasted text as a file, to be handled like an upload.

    Raises:
        AppError: there is no text.
    """
    if not text.strip():
        raise AppError("Choose a file or paste text first, then preview it.")
    path = scratch_folder("paste") / "pasted.txt"
    path.write_text(text, encoding="utf-8", errors="replace", newline="")
    return path


def gathered(paths: Sequence[Path]) -> list[Path]:
    """Group uploads: pairs of files together, files of archives separately."""
    files: list[Path] = []
    together = [path for path in paths if path.suffix.lower() in (".ann", ".xmi")]
    stems = {path.stem for path in together if path.suffix.lower() == ".ann"}
    together += [
        path
        for path in paths
        if (path.suffix.lower() == ".txt" and path.stem in stems)
        or (path.name == "TypeSystem.xml" and any(other.suffix.lower() == ".xmi" for other in together))
    ]
    if len(together) > 1:
        folder = scratch_folder("together") / "documents"
        folder.mkdir()
        for path in together:
            # Uploads from several folders may share a name.
            place, number = folder / path.name, 1
            while place.exists():
                number += 1
                place = folder / str(number) / path.name
            place.parent.mkdir(exist_ok=True)
            shutil.copyfile(path, place)
        files.append(folder)
    else:
        together = []
    for path in paths:
        if path not in together:
            files += _parts(path) if is_archive(path) else [path]
    return files


def _parts(path: Path) -> list[Path]:
    """The archive itself if a format reads it or it must be refused, else its files."""
    try:
        opened(path)
    except FormatError:
        if foreign_file(path) is not None:
            return [path]  # an Office document: what it packs is no text of a person
        try:
            folder = unpack(path, scratch_folder("unpacked"))
        except FormatError:
            return [path]
        return list(files_of(folder)) or [path]
    return [path]


def look_at_all(
    paths: Sequence[Path],
    format_name: str = AUTO,
    options: ReadOptions | None = None,
    progress: Callable[[float], None] = lambda share: None,
) -> tuple[list[FilePreview], list[Unreadable]]:
    """Preview each file; an unreadable one does not affect the others.

    Args:
        progress: called now and then with the share of the files that was read; may raise to stop.

    Raises:
        FormatError, AppError: there is one file, and it cannot be read.
    """
    previews: list[FilePreview] = []
    unreadable: list[Unreadable] = []
    for number, path in enumerate(paths):
        share = number / len(paths)
        try:
            previews.append(look_at(path, format_name, options, partial(progress, share)))
        except (FormatError, AppError) as error:
            if len(paths) == 1:
                raise
            unreadable.append(Unreadable(path.name, error))
    return previews, unreadable


def look_at(
    path: Path,
    format_name: str = AUTO,
    options: ReadOptions | None = None,
    tick: Callable[[], None] = lambda: None,
) -> FilePreview:
    """Preview a file: read it once, count, and collect unreadable records.

    Args:
        tick: called now and then; may raise to stop.

    Raises:
        FormatError: it cannot be read at all, or holds nothing; says why and what to do.
    """
    options = options or ReadOptions()
    reading = Reading(path, None if format_name == AUTO else format_name, options)
    refusals: list[Refusal] = []
    first: list[Document] = []
    longest = 0
    for number, item in enumerate(reading):
        if number % CHUNK == 0:
            tick()
        if isinstance(item, Document):
            longest = max(longest, len(item.text))
            if len(first) < SHOWN_DOCUMENTS:
                first.append(item)
        else:
            refusals.append(item)
    if not reading.documents and not refusals:
        raise AppError(
            "{name} contains no documents: there is nothing to import. Choose another file.", name=path.name
        )
    refused_file = None
    if refusals:
        refused_file = scratch_folder("refused") / f"refused-{path.name}"
        write_refused(refused_file, refusals, reading.format.refused_header(reading.source))
    counts = reading.counts()
    return FilePreview(
        path=path,
        name=path.name,
        format=reading.format.name,
        split=split_of_name(path.name),
        documents=counts["documents"],
        labelled=counts["labelled"],
        overlapping=counts["overlapping"],
        spans=counts["spans"],
        repaired=counts["repaired"],
        longest=longest,
        labels=counts["labels"],
        refusals=tuple(refusals[:SHOWN_REFUSALS]),
        refused=len(refusals),
        notes=reading.notes,
        refused_file=refused_file,
        options=options,
        first=tuple(first),
        columns=column_names(reading),
    )


def column_names(reading: Reading) -> tuple[str, ...]:
    """The cells of the first row of a CSV or TSV file; () of other formats."""
    return reading.format.header_names(reading.source) if isinstance(reading.format, Tabular) else ()


def label_counts(previews: Sequence[FilePreview]) -> Counter[str]:
    """How often each label comes in all files."""
    total: Counter[str] = Counter()
    for preview in previews:
        total.update(preview.labels)
    return total


def overlap_counts(previews: Sequence[FilePreview]) -> tuple[int, int]:
    """Numbers of documents with spans, and with overlapping spans, in all files."""
    return sum(preview.labelled for preview in previews), sum(preview.overlapping for preview in previews)


def check_limits(previews: Sequence[FilePreview], present: int, limits: Limits) -> None:
    """Check the limits of a demo.

    Raises:
        OverLimit: too many documents, or one that is too long.
    """
    if not limits.demo:  # elsewhere long documents are welcome, as they are not tagged at once
        return
    limits.check_documents(present + sum(preview.documents for preview in previews))
    limits.check_length(max((preview.longest for preview in previews), default=0))


def import_files(
    workspace: Workspace,
    project_id: int,
    previews: Sequence[FilePreview],
    split: str,
    *,
    user: str,
    whole: bool = False,
) -> Generator[Imported, None, None]:
    """Import the files, yielding the progress after every chunk; closing the iterator keeps finished chunks.

    Args:
        split: of all documents; ``auto``: a document's own split, else that of its file's name.
        whole: all or nothing per file: files with unreadable records are skipped, and an interrupted file is
            removed again.
    """
    left_out = tuple(preview.name for preview in previews if whole and preview.refused)
    wanted = [preview for preview in previews if not (whole and preview.refused)]
    state = Imported(0, sum(preview.documents for preview in wanted), now(), left_out=left_out)
    yield state
    for preview in wanted:
        fresh: list[int] = []
        try:
            for step in _import_one(workspace, project_id, preview, split, user, state, fresh):
                state = step
                yield step
        except BaseException:
            if whole:
                trash.discard_import(workspace, project_id, fresh, user=user)
            raise
    if nesting.guess(workspace, project_id, *overlap_counts(wanted)):
        yield replace(state, became_nested=True)


def _import_one(
    workspace: Workspace,
    project_id: int,
    preview: FilePreview,
    split: str,
    user: str,
    state: Imported,
    fresh: list[int],
) -> Iterator[Imported]:
    """Import one file in chunks; ``fresh`` collects the ids of new documents."""
    source = (item for item in preview.reading() if isinstance(item, Document))
    while chunk := list(islice(source, documents.IMPORTED)):
        added = documents.add(
            workspace,
            project_id,
            _with_split(chunk, preview, split),
            split=_forced(split),
            user=user,
            at=state.at,
        )
        fresh += added.new_ids
        if preview.spans:
            finish_empty(workspace, chunk, added.ids, user=user)
        state = replace(
            state,
            done=state.done + len(chunk),
            added=state.added + added.added,
            duplicates=state.duplicates + added.duplicates,
            restored=state.restored + added.restored,
            new_labels=state.new_labels + added.new_labels,
        )
        yield state


def _forced(split: str) -> str | None:
    return None if split == AUTO else split


def _with_split(chunk: list[Document], preview: FilePreview, split: str) -> list[Document]:
    """Add the file's split to documents of an ``auto`` import without one."""
    if split != AUTO or preview.split == "none":
        return chunk
    return [
        item
        if item.meta.get("split") in _SPLIT_NAMES
        else Document(item.id, item.text, item.spans, {**item.meta, "split": preview.split})
        for item in chunk
    ]
