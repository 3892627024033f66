"""The preview of an import: what the files hold, which records are refused, and how they fit the project."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import gradio as gr

from app.data import offsets as data_offsets
from app.i18n import _, counted, pgettext
from app.i18n.terms import SPLIT_NAMES, format_name
from app.services.errors import AppError, sentence
from app.services.importing.documents import (
    AUTO,
    FilePreview,
    Unreadable,
    check_limits,
    gathered,
    label_counts,
    look_at,
    look_at_all,
    overlap_counts,
    pasted_file,
)
from app.services.session import Session
from app.ui.widgets.plain_table import plain_table
from core.store.document import documents
from core.store.project import nesting

COLUMN_NAMES = {
    "file": _("file"),
    "format": _("format"),
    "documents": _("documents"),
    "spans": _("spans"),
    "refused": pgettext("column", "rejected"),
    "split": _("split"),
    "label": _("label"),
    "line": _("line"),
    "reason": _("why"),
    "note": _("import notes"),
}


def table_of(**options: Any) -> gr.Dataframe:
    """A read-only table; its cells are plain text, never markup."""
    return plain_table(height=260, wrap=True, visible=False, **options)


def rows(headers: Sequence[str], body: Sequence[Sequence[Any]]) -> dict[str, Any]:
    """An update of a table that hides it when it is empty."""
    return gr.update(
        value={"headers": list(headers), "data": [list(row) for row in body]}, visible=bool(body)
    )


def look(session: Session, files: list[str] | None, paste: str, format_name: str) -> dict[str, Any]:
    """Read what was chosen, import nothing, and show what it is."""
    paths = [Path(name) for name in files or []]
    if not paths:
        paths = [pasted_file(paste)]
    return show_previews(session, *look_at_all(gathered(paths), format_name))


def show_previews(
    session: Session, previews: list[FilePreview], unreadable: list[Unreadable]
) -> dict[str, Any]:
    """Keep previews until they are imported, and show them.

    Raises:
        AppError: more than the demo takes.
    """
    check_limits(
        previews, documents.count(session.workspace, session.project_id)["all"], session.workbench.limits
    )
    session.memory["data"] = previews
    session.memory["data.unreadable"] = unreadable
    shown = show_preview(session, previews)
    return {
        "preview": gr.update(visible=True),
        **shown,
        "split": gr.update(value=AUTO),
        "result": "",
        "to_annotate": gr.update(visible=False),
        **data_offsets.nothing(session),
    }


def drop_preview(session: Session) -> dict[str, Any]:
    """Forget and hide the previews."""
    session.memory.pop("data", None)
    return {"preview": gr.update(visible=False)}


def look_again(session: Session, offsets: str) -> dict[str, Any]:
    """Read the files of the preview once more, their offsets by this convention where they have any."""
    previews = previews_of(session)
    again = [
        look_at(preview.path, preview.format, replace(preview.options, offsets=offsets))
        if data_offsets.has_offsets(preview)
        else preview
        for preview in previews
    ]
    session.memory["data"] = again
    return show_preview(session, again)


def previews_of(session: Session) -> list[FilePreview]:
    """The previewed files.

    Raises:
        AppError: nothing, or its files are gone.
    """
    previews = session.memory.get("data")
    if not isinstance(previews, list) or not all(preview.path.exists() for preview in previews):
        raise AppError("The files to import no longer exist. Choose and preview them again, then import.")
    return previews


def show_preview(session: Session, previews: list[FilePreview]) -> dict[str, Any]:
    """What shows the previews."""
    unreadable = cast("list[Unreadable]", session.memory.get("data.unreadable", []))
    refused = [preview for preview in previews if preview.refused_file is not None]
    return {
        "summary": summary_text(session, previews, len(unreadable)),
        "table": rows(
            columns(session, "file", "format", "documents", "spans", "refused", "split"),
            [
                [
                    p.name,
                    session._(format_name(p.format)),
                    p.documents,
                    p.spans,
                    p.refused,
                    session._(SPLIT_NAMES[p.split]),
                ]
                for p in previews
            ],
        ),
        "labels": rows(columns(session, "label", "spans"), label_counts(previews).most_common()),
        "refusals": rows(
            columns(session, "file", "line", "reason"),
            [[file.name, "", sentence(file.error, session.language)] for file in unreadable]
            + [[p.name, refusal.line, session._(refusal.message)] for p in refused for refusal in p.refusals],
        ),
        "refused_files": gr.update(
            value=[str(p.refused_file) for p in refused] or None, visible=bool(refused)
        ),
        "notes": rows(columns(session, "note"), [[note] for p in previews for note in p.notes]),
        "confirm": gr.update(interactive=any(p.documents for p in previews)),
    }


def columns(session: Session, *names: str) -> list[str]:
    """Headers of a table in the session's language."""
    return [session._(COLUMN_NAMES[name]) for name in names]


def summary_text(session: Session, previews: Sequence[FilePreview], unreadable: int = 0) -> str:
    """What the files hold, in a sentence or three."""
    parts = (
        []
        if any(p.documents for p in previews)
        else [
            session._(
                "**Nothing to import:** no record could be read. The reasons are listed below; fix the file"
                " or choose another format above."
            )
        ]
    )
    parts += [
        session.ngettext(
            "{documents} with {count} labelled span in {files}.",
            "{documents} with {count} labelled spans in {files}.",
            documents=counted.documents(sum(p.documents for p in previews)),
            count=sum(p.spans for p in previews),
            files=counted.files(len(previews)),
        )
    ]
    repaired, refused = sum(p.repaired for p in previews), sum(p.refused for p in previews)
    if repaired:
        parts.append(
            session.ngettext(
                "{count} malformed tag was repaired.", "{count} malformed tags were repaired.", count=repaired
            )
        )
    if refused:
        parts.append(
            session.ngettext(
                "{count} record cannot be read and will be left out. Download it below, correct it and "
                "import it again.",
                "{count} records cannot be read and will be left out. Download them below, correct them "
                "and import them again.",
                count=refused,
            )
        )
    if unreadable:
        parts.append(
            session.ngettext(
                "{count} file cannot be read and will not be imported; the reason is below.",
                "{count} files cannot be read and will not be imported; the reasons are below.",
                count=unreadable,
            )
        )
    labelled, overlapping = overlap_counts(previews)
    if labelled:
        parts.append(overlap_text(session, labelled, overlapping))
    return session.paragraph(*parts)


def overlap_text(session: Session, labelled: int, overlapping: int) -> str:
    """Whether the data is flat or nested, and how that fits the project."""
    nested = nesting.is_nested(session.workspace, session.project_id)
    if not overlapping:
        if nested:
            return session._("No spans overlap; this project is nested.")
        return session._("No spans overlap, and this project is flat.")
    data = session.ngettext(
        "Spans overlap in {overlapping} of {count} labelled document.",
        "Spans overlap in {overlapping} of {count} labelled documents.",
        overlapping=overlapping,
        count=labelled,
    )
    if nested:
        kept = session._("This project is nested, so overlapping spans are allowed.")
        return session.paragraph(data, kept)
    if nesting.would_become_nested(session.workspace, session.project_id, labelled, overlapping):
        becomes = session._("The project becomes nested; you can change this in Settings.")
        return session.paragraph(data, becomes)
    flat = session._(
        "This project is flat: the annotations are imported as they are, but taggers learn the longest of "
        "overlapping spans. You can change this in Settings."
    )
    return session.paragraph(data, flat)
