"""Export of a project's documents, with the losses of a format counted beforehand."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from app.i18n import ngettext
from app.services.session import Session
from app.services.storage.scratch import scratch_folder
from core.formats import Losses, by_name, write_file
from core.store.annotation import regions
from core.store.db import audit
from core.store.db.workspace import Workspace
from core.store.document import comment_meta, documents
from core.store.queue import queue
from core.store.queue.filter import Filter
from core.text import Document

LOSS_NAMES = {
    "documents": ngettext(
        "{count} document left out because it is empty", "{count} documents left out because they are empty"
    ),
    "sentences": ngettext(
        "{count} document that comes back as one for each of its sentences",
        "{count} documents that come back as one for each of their sentences",
    ),
    "spans": ngettext(
        "{count} span (the format holds text only)", "{count} spans (the format holds text only)"
    ),
    "nested_spans": ngettext("{count} span inside another span", "{count} spans inside another span"),
    "crossing_spans": ngettext("{count} span that crosses another", "{count} spans that cross another"),
    "joined_spans": ngettext(
        "{count} span right beside another of its label, joined to it",
        "{count} spans right beside another of their label, joined to it",
    ),
    "discontinuous": ngettext("{count} discontinuous span", "{count} discontinuous spans"),
    "relations": ngettext("{count} relation", "{count} relations"),
    "chains": ngettext("{count} chain of coreference", "{count} chains of coreference"),
    "comments": ngettext("{count} comment", "{count} comments"),
    "authors": ngettext(
        "who annotated {count} document and when", "who annotated {count} documents and when"
    ),
    "labels": ngettext(
        "{count} span whose label is written differently", "{count} spans whose label is written differently"
    ),
    "scores": ngettext("{count} confidence", "{count} confidences"),
    "links": ngettext("{count} link, or its name and source", "{count} links, or their names and sources"),
    "ids": ngettext("{count} document id", "{count} document ids"),
    "meta": ngettext("further fields of {count} document", "further fields of {count} documents"),
    "texts": ngettext(
        "line breaks, blanks or control characters of {count} document exactly",
        "line breaks, blanks or control characters of {count} documents exactly",
    ),
}

EVERY = 500


@dataclass(frozen=True, slots=True)
class Choice:
    """The documents to export: a split or all (None), labelled ones only or all.

    ``shown``: the filter on the screen, used instead of ``split``, with the errors and confidences of ``run``
    (None: the active run). ``ignored``: ignored documents too; a filter that asks for them gets them anyhow.
    """

    split: str | None = None
    labelled: bool = False
    shown: Filter | None = None
    run: str | None = None
    ignored: bool = False

    @property
    def filter(self) -> Filter:
        """The documents as a filter; ``labelled`` is none."""
        return replace(self.shown or Filter(split=self.split), ignored=self.ignored)


def chosen(workspace: Workspace, project_id: int, choice: Choice) -> Iterator[Document]:
    """The chosen documents, in order, with comments and annotated regions."""
    with_comments = comment_meta.with_comments(workspace, project_id, _found(workspace, project_id, choice))
    return regions.with_updated(workspace, project_id, with_comments)


def how_many(workspace: Workspace, project_id: int, choice: Choice) -> int:
    """Number of chosen documents."""
    if choice.labelled:
        return sum(1 for _ in _found(workspace, project_id, choice))
    return len(queue.matching(workspace, project_id, choice.filter, run=choice.run))


def _found(workspace: Workspace, project_id: int, choice: Choice) -> Iterator[Document]:
    numbers = queue.matching(workspace, project_id, choice.filter, run=choice.run)
    return documents.several(workspace, numbers, labelled=choice.labelled)


def losses(source: Iterable[Document], format_name: str, tick: Callable[[int], None] | None = None) -> Losses:
    """Count what this format cannot represent, by name; writes nothing."""
    return by_name(format_name).losses(_counted(source, tick))


def export(
    source: Iterable[Document], format_name: str, name: str, tick: Callable[[int], None] | None = None
) -> tuple[Path, Losses]:
    """Write the documents into a file of a fresh temporary folder; also what the format could not hold.

    Args:
        name: of the file, without extension.
        tick: called with the number of documents written.

    Raises:
        FormatError: the file cannot be written.
    """
    chosen_format = by_name(format_name)
    folder = scratch_folder("export")
    suffix = f".{chosen_format.name}"
    ending = suffix if suffix in chosen_format.extensions else chosen_format.extensions[0]
    path = folder / f"{file_stem(name)}{ending}"
    return path, write_file(_counted(source, tick), path, format_name)


def export_chosen(
    session: Session, choice: Choice, format_name: str, name: str, tick: Callable[[int], None] | None = None
) -> tuple[Path, Losses]:
    """``export`` the chosen documents of the session's project, which the audit log notes.

    Raises:
        FormatError: the file cannot be written.
    """
    written = 0

    def counted() -> Iterator[Document]:
        nonlocal written
        source = chosen(session.workspace, session.project_id, choice)
        for document in source:
            written += 1
            yield document

    exported = export(counted(), format_name, name, tick)
    audit.note(
        session.workspace, "documents.exported", session.project_id, user=session.user,
        documents=written, format=format_name,
    )  # fmt: skip
    return exported


def losses_text(session: Session, count: int, lost: Losses) -> str:
    """Describe the losses of a format."""
    if not any(lost.values()):
        return session.ngettext(
            "{count} document. This format holds everything in it.",
            "{count} documents. This format holds everything in them.",
            count=count,
        )
    parts = [session._(LOSS_NAMES[name], count=number) for name, number in lost.items() if number]
    return session.ngettext(
        "{count} document. This format cannot hold: {losses}.",
        "{count} documents. This format cannot hold: {losses}.",
        count=count,
        losses="; ".join(parts),
    )


def file_stem(name: str) -> str:
    """A portable file name: letters of any script, digits, ``-`` and ``_``."""
    return re.sub(r"[^\w-]+", "-", name).strip("-")[:60] or "documents"


def _counted(source: Iterable[Document], tick: Callable[[int], None] | None) -> Iterator[Document]:
    for number, document in enumerate(source, start=1):
        if tick is not None and number % EVERY == 0:
            tick(number)
        yield document
