"""The Data page: import in two steps, the table of documents, export."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gradio as gr

from app.data import documents as data_documents
from app.data import export as data_export
from app.data import knowledge as data_knowledge
from app.data import mapping as data_mapping
from app.data import offsets as data_offsets
from app.data.preview import drop_preview, look, look_again, previews_of, table_of
from app.i18n import _, counted
from app.i18n.terms import SPLIT_NAMES
from app.i18n.terms import format_name as format_name_of
from app.services.errors import AppError, sentence
from app.services.importing.documents import AUTO, Imported, check_limits, gathered, import_files, pasted_file
from app.services.rights import needs
from app.services.session import Session
from app.ui.code_span import code_spans
from app.ui.frame import Frame
from app.ui.headings import section_heading
from app.ui.lacking import needs_class, who_may
from app.ui.window.navigation import open_import
from app.ui.window.theme import ASSETS
from app.ui.work import Report, WorkView, on_work, work_view
from core.corpus.document_json import read_documents
from core.formats import FormatError, available
from core.formats.framework.candidates import UnsureFormat
from core.store.document import documents
from core.store.project import nesting

SPLITS = ("train", "dev", "test", "none")
EXCERPT = 60  # characters of a first document
IMPORT = "data.import"  # where a session remembers when its last import began


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
    to_annotate: gr.Button
    ask: gr.Column
    asked: gr.Markdown
    candidates: gr.Radio
    mapping: data_mapping.MappingComponents
    documents: data_documents.DocumentsComponents
    knowledge: data_knowledge.KnowledgeComponents
    export: data_export.ExportComponents


def layout(frame: Frame) -> DataComponents:
    """Build the page inside its tab."""
    texts = frame.texts
    texts.purpose(_("Import labelled or raw text, and export documents."))
    section_heading(frame.texts, _("Import"))
    who_may(texts, "import")
    with gr.Row(elem_classes=needs_class("import")):
        files = texts.bind(
            gr.File(file_count="multiple", type="filepath", elem_id="data-files", height=150),
            label=_("Files"),
        )
        paste = texts.bind(
            gr.Textbox(lines=5, max_lines=5, elem_id="data-paste", elem_classes="ll-text"),
            label=_("Or paste text"),
            placeholder=_("One document a line, or the rows of a column file"),
        )
    with gr.Row(elem_classes=["ll-buttons", needs_class("import")], equal_height=False):
        format_choice = texts.bind(
            gr.Dropdown(elem_id="data-format", container=False),
            chosen=AUTO,
            choices=[(_("Detect format"), AUTO), *((format_name_of(name), name) for name in available())],
            label=_("Format"),
        )
        look = texts.button(_("Preview"), variant="primary", elem_id="data-look")
        map_button = data_mapping.button(frame)
        samples = texts.button(_("Add sample documents"), elem_id="data-samples")
    with gr.Column(visible=False, elem_id="data-ask") as ask:
        asked = gr.Markdown(elem_id="data-asked")
        candidates = texts.bind(gr.Radio([], elem_id="data-candidates"), label=_("Read the file as"))
    mapping = data_mapping.layout(frame, map_button)
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
            confirm = texts.button(_("Import these documents"), variant="primary", elem_id="data-confirm")
            dismiss = texts.button(_("Choose other files"), elem_id="data-dismiss")
    work = work_view(frame, "data-work")
    result = gr.Markdown(elem_id="data-result")
    with gr.Row(elem_classes="ll-buttons"):
        to_annotate = texts.button(
            _("Annotate these"), variant="primary", visible=False, elem_id="data-to-annotate"
        )
    table_part = data_documents.layout(frame)
    knowledge_part = data_knowledge.layout(frame)
    export_part = data_export.layout(frame)
    return DataComponents(
        files, paste, format_choice, look, samples, preview, summary, table, labels, refusals, notes,
        refused_files, offsets, split, whole, confirm, dismiss, work, result, to_annotate, ask,
        asked, candidates, mapping, table_part, knowledge_part, export_part,
    )  # fmt: skip


def look_or_ask(session: Session, files: list[str] | None, paste: str, format_name: str) -> dict[str, Any]:
    """Preview what was chosen; ask where several formats fit, and open the mapping step where none does."""
    paths = [Path(name) for name in files or []]
    quiet = {"ask": gr.update(visible=False), "step": gr.update(visible=False)}
    try:
        return {**look(session, files, paste, format_name), **quiet}
    except UnsureFormat as error:
        return {**quiet, **_question(session, error), **drop_preview(session)}
    except FormatError as error:
        if format_name != AUTO or len(paths) > 1:
            raise
        chosen = gathered(paths) if paths else [pasted_file(paste)]
        try:
            return {**quiet, **data_mapping.begin(session, chosen, sentence(error, session.language))}
        except FormatError:
            raise error from None


def look_as(session: Session, files: list[str] | None, paste: str, candidate: str | None) -> dict[str, Any]:
    """Preview what was chosen as the format that a person chose among those that fit."""
    if not candidate:
        raise AppError("Choose one of the formats.")
    return {**look(session, files, paste, candidate), "format": candidate}


def _question(session: Session, error: UnsureFormat) -> dict[str, Any]:
    """The formats that fit, each with what it would read."""
    asked = session._(
        "This file can be read in several ways, and its content does not say which is right. Choose one, or "
        "say with *Map columns…* which field holds what."
    )
    choices = [
        (
            session._(
                "{format}: {documents}, {spans}; the first: {text}",
                format=format_name_of(each.format),
                documents=counted.documents(each.documents),
                spans=counted.spans(each.spans),
                text=" ".join(each.first.text.split())[:EXCERPT],
            ),
            each.format,
        )
        for each in error.candidates
    ]
    return {
        "ask": gr.update(visible=True),
        "asked": asked,
        "candidates": gr.update(choices=choices, value=None),
    }


@needs("import")
def confirm(session: Session, report: Report, split: str, whole: bool = False) -> dict[str, Any]:
    """Import the previewed files in chunks, to the end if the person turns to another project."""
    memory = session.memory
    previews = previews_of(session)
    present = documents.count(session.workspace, session.project_id)["all"]
    check_limits(previews, present, session.workbench.limits)
    session.workbench.check_disk()
    steps = import_files(
        session.workspace, session.project_id, previews, split, user=session.user, whole=whole
    )
    with closing(steps):  # it takes back a file that was cancelled in its middle
        for state in steps:
            report(state.done, state.total)
    memory.pop("data", None)
    memory[IMPORT] = state.at
    return {
        **data_mapping.close(session),
        "ask": gr.update(visible=False),
        "preview": gr.update(visible=False),
        "result": imported_text(session, state),
        "to_annotate": gr.update(visible=state.added + state.restored > 0),
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
    return {
        **drop_preview(session),
        **data_mapping.close(session),
        "ask": gr.update(visible=False),
        "files": None,
        "paste": "",
    }


@needs("import")
def add_samples(session: Session) -> dict[str, Any]:
    """Put the demo corpus into this project."""
    corpus = list(read_documents(ASSETS / "demo" / "corpus.jsonl"))
    present = documents.count(session.workspace, session.project_id)["all"]
    session.workbench.limits.check_documents(present + len(corpus))
    added = documents.add(session.workspace, session.project_id, corpus, user=session.user)
    nesting.guess_from(session.workspace, session.project_id, corpus)
    session.memory[IMPORT] = added.at
    done = session.ngettext(
        "Added {count} sample document; {duplicates} already present.",
        "Added {count} sample documents; {duplicates} already present.",
        count=added.added,
        duplicates=added.duplicates,
    )
    return {"result": done, "to_annotate": gr.update(visible=added.came > 0)}


def annotate_imported(session: Session) -> dict[str, Any]:
    """Turn to the documents of the last import.

    Raises:
        AppError: there is none, or its documents are gone.
    """
    at = session.memory.get(IMPORT)
    if not isinstance(at, int):
        raise AppError("Import something first.")
    open_import(session, at)
    return gr.update(selected="annotate")


def wire(components: DataComponents, frame: Frame) -> None:
    """Connect the page's events."""
    c = components
    shown = [c.summary, c.table, c.labels, c.refusals, c.refused_files, c.notes, c.confirm]
    previewed = [
        *shown, c.split, c.result, c.to_annotate, c.offsets.verdict, c.offsets.offsets, c.offsets.choice,
    ]  # fmt: skip
    asking = [c.ask, c.asked, c.candidates]
    frame.on(
        [c.look.click],
        look_or_ask,
        [c.files, c.paste, c.format],
        [c.preview, *previewed, *asking, *data_mapping.opening(c.mapping)],
        show_progress="minimal",
        show_progress_on=[c.look],
    )
    frame.on(
        [c.candidates.input],
        look_as,
        [c.files, c.paste, c.candidates],
        [c.preview, *previewed, c.format],
        show_progress="minimal",
    )
    data_mapping.wire(c.mapping, frame, c.files, c.paste, c.preview, previewed)
    running = on_work(
        frame, c.work, [c.confirm.click], confirm, [c.split, c.whole],
        [c.preview, c.ask, c.mapping.step, c.result, c.to_annotate, c.files, c.paste],
        doing=_("importing documents"), done=_("documents imported"), kept=True,
    )  # fmt: skip
    frame.on([c.dismiss.click], dismiss, [], [c.preview, c.ask, c.mapping.step, c.files, c.paste])
    added = frame.on([c.samples.click], add_samples, [], [c.result, c.to_annotate], show_progress="minimal")
    frame.on([c.to_annotate.click], annotate_imported, [], [frame.tabs])
    narrowings = data_documents.wire_filter(c.documents, frame)
    data_documents.wire(c.documents, frame, [running, added], narrowings)
    data_export.wire(c.export, frame, [running, added, *narrowings], c.documents.search, c.documents.show)
    data_knowledge.wire(c.knowledge, frame)
    data_offsets.wire(c.offsets, frame)
    frame.on([c.offsets.apply.click], look_again, [c.offsets.choice], shown, show_progress="minimal")
