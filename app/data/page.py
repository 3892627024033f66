"""The Data page: import in two steps, the table of documents, export."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import gradio as gr

from app.data import documents as data_documents
from app.data import export as data_export
from app.data import offsets as data_offsets
from app.i18n import _, counted, pgettext
from app.i18n.terms import SPLIT_NAMES, format_name
from app.services.errors import AppError, sentence
from app.services.importing.documents import (
    AUTO,
    FilePreview,
    Imported,
    Unreadable,
    check_limits,
    gathered,
    import_files,
    label_counts,
    look_at,
    look_at_all,
    overlap_counts,
    pasted_file,
)
from app.services.rights import needs
from app.services.session import Session
from app.ui.code_span import code_spans
from app.ui.frame import Frame
from app.ui.headings import section_heading
from app.ui.theme import ASSETS
from app.ui.work import Report, WorkView, on_work, work_view
from core.corpus.document_json import read_documents
from core.formats import ReadOptions, available
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


SPLITS = ("train", "dev", "test", "none")


@dataclass
class DataComponents:
    """The import half of the page; the other two halves bring their own."""

    files: gr.File
    paste: gr.Textbox
    format: gr.Dropdown
    look: gr.Button
    samples: gr.Button
    preview: gr.Column
    summary: gr.Markdown
    table: gr.Dataframe
    labels: gr.Dataframe
    refusals: gr.Dataframe
    notes: gr.Dataframe
    refused_files: gr.File
    offsets: data_offsets.OffsetsComponents
    split: gr.Radio
    whole: gr.Checkbox
    confirm: gr.Button
    dismiss: gr.Button
    work: WorkView
    result: gr.Markdown
    documents: data_documents.DocumentsComponents
    export: data_export.ExportComponents


def layout(frame: Frame) -> DataComponents:
    """Build the page inside its tab."""
    texts = frame.texts
    texts.bind(
        gr.Markdown(elem_classes="ll-purpose"),
        value=_("Import labelled or raw text, and export documents."),
    )
    section_heading(frame.texts, _("Import"))
    with gr.Row():
        files = texts.bind(
            gr.File(file_count="multiple", type="filepath", elem_id="data-files", height=150),
            label=_("Files"),
        )
        paste = texts.bind(
            gr.Textbox(lines=5, max_lines=5, elem_id="data-paste", elem_classes="ll-text"),
            label=_("Or paste text"),
            placeholder=_("One document a line, or the rows of a column file"),
        )
    with gr.Row(elem_classes="ll-buttons", equal_height=False):
        format_choice = texts.bind(
            gr.Dropdown(elem_id="data-format", container=False),
            chosen=AUTO,
            choices=[
                (_("Detect format"), AUTO),
                *((format_name(name), name) for name in available()),
            ],
            label=_("Format"),
        )
        look = texts.bind(gr.Button(variant="primary", elem_id="data-look"), value=_("Preview"))
        samples = texts.bind(gr.Button(elem_id="data-samples"), value=_("Add sample documents"))
    with gr.Column(visible=False, elem_id="data-preview") as preview:
        summary = gr.Markdown()
        with gr.Row():
            table = table_of(
                elem_id="data-preview-files", column_widths=["22%", "28%", "16%", "11%", "12%", "11%"]
            )
            labels = table_of(elem_id="data-preview-labels")
        refusals = table_of(elem_id="data-preview-refusals")
        refused_files = texts.bind(
            gr.File(file_count="multiple", interactive=False, visible=False), label=_("Refused records")
        )
        notes = table_of(elem_id="data-preview-notes")
        offsets = data_offsets.layout(frame, table_of)
        split = texts.bind(
            gr.Radio(elem_id="data-split"),
            label=_("Split"),
            chosen=AUTO,
            choices=[(_("as file or record says"), AUTO), *((SPLIT_NAMES[name], name) for name in SPLITS)],
        )
        whole = texts.bind(
            gr.Checkbox(False, elem_id="data-whole"),
            label=_("Import only files that can be read completely; a cancelled file is not imported"),
        )
        with gr.Row(elem_classes="ll-buttons"):
            confirm = texts.bind(
                gr.Button(variant="primary", elem_id="data-confirm"), value=_("Import these documents")
            )
            dismiss = texts.bind(gr.Button(elem_id="data-dismiss"), value=_("Choose other files"))
    work = work_view(frame, "data-work")
    result = gr.Markdown(elem_id="data-result")
    table_part = data_documents.layout(frame)
    export_part = data_export.layout(frame)
    return DataComponents(
        files, paste, format_choice, look, samples, preview, summary, table, labels, refusals, notes,
        refused_files, offsets, split, whole, confirm, dismiss, work, result, table_part,
        export_part,
    )  # fmt: skip


def table_of(**options: Any) -> gr.Dataframe:
    """A read-only table; its cells are plain text, never markup."""
    return gr.Dataframe(
        datatype="str", interactive=False, show_label=False, wrap=True, max_height=260,
        visible=False, buttons=[],
        **options,
    )  # fmt: skip


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
    previews, unreadable = look_at_all(gathered(paths), format_name)
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
        **data_offsets.nothing(session),
    }


def look_again(session: Session, offsets: str) -> dict[str, Any]:
    """Read the files of the preview once more, their offsets by this convention where they have any."""
    previews = previews_of(session)
    again = [
        look_at(preview.path, preview.format, ReadOptions(offsets=offsets))
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
                "{count} file cannot be read and stays out; the reasons are below.",
                "{count} files cannot be read and stay out; the reasons are below.",
                count=unreadable,
            )
        )
    labelled, overlapping = overlap_counts(previews)
    if labelled:
        parts.append(overlap_text(session, labelled, overlapping))
    return " ".join(parts)


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
        return data + " " + session._("This project is nested, so overlapping spans are allowed.")
    if nesting.would_become_nested(session.workspace, session.project_id, labelled, overlapping):
        return data + " " + session._("The project becomes nested; you can change this in Settings.")
    flat = session._(
        "This project is flat: the annotations are imported as they are, but taggers learn the longest of "
        "overlapping spans. You can change this in Settings."
    )
    return data + " " + flat


@needs("import")
def confirm(session: Session, report: Report, split: str, whole: bool = False) -> dict[str, Any]:
    """Import the previewed files in chunks, to the end if the person turns to another project."""
    memory = session.memory
    previews = previews_of(session)
    present = documents.count(session.workspace, session.project_id)["all"]
    check_limits(previews, present, session.workbench.limits)
    state = Imported(0, 0)
    steps = import_files(
        session.workspace, session.project_id, previews, split, user=session.user, whole=whole
    )
    with closing(steps):  # it takes back a file that was cancelled in its middle
        for state in steps:
            report(state.done, state.total)
    memory.pop("data", None)
    return {
        "preview": gr.update(visible=False),
        "result": imported_text(session, state),
        "files": None,
        "paste": "",
    }


def imported_text(session: Session, state: Imported) -> str:
    """What an import did, in words."""
    done = session.ngettext(
        "Imported {added}. {count} already existed; {restored} restored from the trash.",
        "Imported {added}. {count} already existed; {restored} restored from the trash.",
        added=counted.documents(state.added),
        count=state.duplicates,
        restored=state.restored,
    )
    if state.new_labels:
        done += " " + session._("New labels: {labels}.", labels=code_spans(state.new_labels))
    if state.became_nested:
        done += " " + session._("Spans overlap in this data, so the project is nested now (Settings).")
    if state.left_out:
        done += " " + session._("Skipped files: {files}.", files=code_spans(state.left_out))
    return done


def dismiss(session: Session) -> dict[str, Any]:
    """Forget the preview."""
    session.memory.pop("data", None)
    return {
        "preview": gr.update(visible=False),
        "files": None,
        "paste": "",
    }


@needs("import")
def add_samples(session: Session) -> str:
    """Put the demo corpus into this project."""
    corpus = list(read_documents(ASSETS / "demo" / "corpus.jsonl"))
    present = documents.count(session.workspace, session.project_id)["all"]
    if session.workbench.limits is not None:
        session.workbench.limits.check_documents(present + len(corpus))
    added = documents.add(session.workspace, session.project_id, corpus, user=session.user)
    nesting.guess_from(session.workspace, session.project_id, corpus)
    return session.ngettext(
        "Added {count} sample document; {duplicates} already present.",
        "Added {count} sample documents; {duplicates} already present.",
        count=added.added,
        duplicates=added.duplicates,
    )


def wire(components: DataComponents, frame: Frame) -> None:
    """Connect the page's events."""
    c = components
    shown = [c.summary, c.table, c.labels, c.refusals, c.refused_files, c.notes, c.confirm]
    frame.on(
        [c.look.click],
        look,
        [c.files, c.paste, c.format],
        [
            c.preview,
            *shown,
            c.split,
            c.result,
            c.offsets.verdict,
            c.offsets.offsets,
            c.offsets.choice,
        ],
        show_progress="minimal",
        show_progress_on=[c.look],
    )
    running = on_work(
        frame, c.work, [c.confirm.click], confirm, [c.split, c.whole],
        [c.preview, c.result, c.files, c.paste],
        doing=_("importing documents"), done=_("documents imported"), kept=True,
    )  # fmt: skip
    frame.on([c.dismiss.click], dismiss, [], [c.preview, c.files, c.paste])
    added = frame.on([c.samples.click], add_samples, [], [c.result], show_progress="minimal")
    narrowings = data_documents.wire_filter(c.documents, frame)
    data_documents.wire(c.documents, frame, [running, added], narrowings)
    data_export.wire(c.export, frame, [running, added, *narrowings], c.documents.search, c.documents.show)
    data_offsets.wire(c.offsets, frame)
    frame.on([c.offsets.apply.click], look_again, [c.offsets.choice], shown, show_progress="minimal")
