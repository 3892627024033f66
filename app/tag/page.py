"""The Tag page: texts in, spans with confidence out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import gradio as gr

from app.i18n import _
from app.services import bulk_tagging, in_project
from app.services.errors import AppError
from app.services.exporting.documents import export, losses_text
from app.services.rights import needs
from app.services.session import Session
from app.tag.result import MEMORY, Result, adopt, kept_result, result_updates, tagged_row
from app.ui.annotation.correcting import Source, server_functions
from app.ui.code_span import code_span
from app.ui.frame import Frame
from app.ui.headings import section_heading
from app.ui.lacking import needs_class, who_may
from app.ui.runs.naming import run_choices
from app.ui.set_choice import WHOLE, documents_in, set_choices
from app.ui.why.drawer import explain_span
from app.ui.widgets.plain_table import plain_table
from app.ui.widgets.sentence import sentence_view
from app.ui.widgets.shifting_choice import ShiftingDropdown
from app.ui.window.navigation import open_document, open_import
from app.ui.work import Report, WorkView, on_work, work_view
from core.formats import by_name, read_file, writable
from core.store.document import documents
from core.store.run import predictions
from core.text import Document

CHUNK = 32


@dataclass
class TagComponents:
    """What to tag, and the result."""

    empty: gr.Column
    to_train: gr.Button
    page: gr.Column
    run: gr.Dropdown
    text: gr.Textbox
    file: gr.File
    go: gr.Button
    which: gr.Radio
    work_set: gr.Dropdown
    processes: gr.Dropdown
    lacking: gr.Markdown
    go_documents: gr.Button
    work: WorkView
    message: gr.Markdown
    result: gr.Column
    summary: gr.Markdown
    how: gr.Markdown
    sentences: gr.HTML
    table: gr.Dataframe
    format: gr.Dropdown
    losses: gr.Markdown
    write: gr.Button
    download: gr.File
    annotate: gr.Button


def layout(frame: Frame) -> TagComponents:
    """Build the page inside its tab."""
    texts = frame.texts
    texts.purpose(_("Tag pasted text, a file, or documents of this project."))
    with gr.Column(visible=False, elem_classes="ll-empty", elem_id="tag-empty") as empty:
        texts.bind(gr.Markdown(), value=_("This project has no tagger yet. Train one first."))
        to_train = texts.button(_("Train a tagger"), variant="primary")
    with gr.Column(elem_id="tag-page") as page, gr.Row(equal_height=False):
        with gr.Column(scale=3, min_width=320):
            run = texts.bind(gr.Dropdown([], elem_id="tag-run"), label=_("Tagger"))
            text = texts.bind(
                gr.Textbox(lines=5, max_lines=12, elem_id="tag-text", elem_classes="ll-text"),
                label=_("Text"),
                placeholder=_("Paste text here, one document a line"),
            )
            go = texts.button(_("Tag"), variant="primary", elem_id="tag-go")
        with gr.Column(scale=2, min_width=280):
            file = texts.bind(gr.File(type="filepath", height=120, elem_id="tag-file"), label=_("Or a file"))
            section_heading(texts, _("Documents of this project"))
            who_may(texts, "train", "tag")
            with gr.Column(elem_classes=needs_class("train")):
                texts.hint(
                    _("The predictions appear as suggestions on the Annotate page and order its queue.")
                )
                which = texts.bind(
                    gr.Radio(elem_id="tag-which", show_label=False),
                    chosen="missing",
                    choices=[(_("not predicted yet"), "missing"), (_("all"), "all")],
                )
                work_set = texts.bind(
                    ShiftingDropdown([WHOLE], value=WHOLE, visible=False, elem_id="tag-set"),
                    label=_("Documents"),
                )
                processes = texts.bind(
                    ShiftingDropdown([1], value=1, visible=False, elem_id="tag-processes"),
                    label=_("Processes"),
                    info=_("Several processes tag many documents faster; each holds the tagger in memory."),
                )
                lacking = texts.hint(
                    _(
                        "Several processes tag many documents faster, with an extra: "
                        "`pip install 'latticelens[cluster]'`, then start LatticeLens again."
                    ),
                    visible=False,
                    elem_id="tag-lacking",
                )
                with gr.Row(elem_classes="ll-buttons"):
                    go_documents = texts.button(
                        _("Tag these documents"), elem_id="tag-documents", elem_classes="ll-long"
                    )
    work = work_view(frame, "tag-work")
    message = gr.Markdown(elem_id="tag-message")
    result = _layout_result(frame)
    return TagComponents(
        empty=empty, to_train=to_train, page=page, run=run, text=text, file=file, go=go, which=which,
        work_set=work_set, processes=processes, lacking=lacking, go_documents=go_documents, work=work,
        message=message, **result,
    )  # fmt: skip


def _layout_result(frame: Frame) -> dict[str, Any]:
    texts = frame.texts
    with gr.Column(visible=False, elem_id="tag-result") as result:
        section_heading(texts, _("Result"))
        summary = gr.Markdown(elem_id="tag-found")
        how = gr.Markdown(elem_classes="ll-how", elem_id="tag-how")
        sentences = sentence_view(
            elem_id="tag-sentences",
            explain=frame.server(explain_span),
            correct=server_functions(frame, Source(tagged_row, adopt)),
        )
        with gr.Row(elem_classes="ll-buttons", equal_height=True):
            annotate = texts.button(
                _("Annotate these"),
                variant="primary",
                elem_id="tag-annotate",
                elem_classes=needs_class("import"),
            )
            names = [(by_name(name).title, name) for name in writable()]
            format_choice = texts.bind(
                gr.Dropdown(names, value="jsonl", elem_id="tag-format", container=False),
                label=_("Download as"),
            )
            write = texts.button(_("Export"), elem_id="tag-write")
        losses = gr.Markdown(elem_classes="ll-how")
        download = texts.bind(gr.File(interactive=False, visible=False), label=_("Your file"))
        table = plain_table("tag-table")
    return {
        "result": result, "summary": summary, "how": how, "sentences": sentences, "table": table,
        "format": format_choice, "losses": losses, "write": write, "download": download, "annotate": annotate,
    }  # fmt: skip


def show(session: Session, run: str | None, work_set: str | None = WHOLE) -> dict[str, Any]:
    """Fill the pickers of taggers and of work sets."""
    openable = session.workbench.openable_runs(session.project_id)
    active = session.workbench.active_run(session.project_id)
    chosen = run if run in openable else active if active in openable else (openable[0] if openable else None)
    return {
        "empty": gr.update(visible=not openable),
        "page": gr.update(visible=bool(openable)),
        "run": gr.update(choices=run_choices(session, openable), value=chosen),
        "work_set": set_choices(session, _("all documents"), work_set),
        **_processes(session),
    }


def _processes(session: Session) -> dict[str, Any]:
    """The choice of processes for a large project, or how to get it; neither where it would not help."""
    many = documents.count(session.workspace, session.project_id)["all"] >= bulk_tagging.MANY
    may = many and not session.workbench.limits.demo and bulk_tagging.would_help(session.workbench)
    has = bulk_tagging.installed()
    return {
        "processes": gr.update(choices=bulk_tagging.choices(), visible=may and has),
        "lacking": gr.update(visible=may and not has),
    }


def texts_to_tag(session: Session, text: str, file: str | None) -> list[Document]:
    """The documents of the file, else the lines of the pasted text, without spans.

    Raises:
        AppError: no text, or too much for the demo. FormatError: the file cannot be read.
    """
    if file:
        read = read_file(Path(file))
        texts = [document.with_spans(()) for document in read.documents]
    else:
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        texts = [Document(f"pasted-{number}", line) for number, line in enumerate(lines, start=1)]
    if not texts:
        raise AppError("Paste some text or choose a file first.")
    limits = session.workbench.limits
    limits.check_texts(document.text for document in texts)
    limits.check_documents(len(texts))
    return texts


def go(session: Session, report: Report, run: str | None, text: str, file: str | None) -> dict[str, Any]:
    """Tag pasted text or a file, chunk by chunk."""
    memory = session.memory
    asked = texts_to_tag(session, text, file)
    tagged: list[Document] = []
    name = run or session.workbench.taggers.run_of(session.project_id)
    characters = max(1, sum(len(document.text) for document in asked))
    report(0, len(asked))
    for done, ready in session.workbench.taggers.tag_by_parts(session.project_id, asked, name):
        tagged += ready
        report(len(tagged), len(asked), fraction=done / characters)
    memory[MEMORY] = Result(name, tagged)
    return {"message": "", **result_updates(session, name, tagged)}


@needs("train")
def go_documents(
    session: Session,
    report: Report,
    run: str | None,
    which: str,
    work_set: str | None = WHOLE,
    processes: int | None = 1,
) -> dict[str, Any]:
    """Tag documents of the project, all or those of a work set, and store the predictions."""
    taggers = session.workbench.taggers
    name = in_project.run(session, run or taggers.run_of(session.project_id)).name
    title = code_span(in_project.run_title(session, name))
    among = documents_in(session, work_set)
    if which == "all":
        predictions.drop(session.workspace, name, among)
    ids = predictions.missing(session.workspace, name)
    if among is not None:
        wanted = frozenset(among)
        ids = [number for number in ids if number in wanted]
    if not ids:
        return {"message": session._("{run} has predicted every document already.", run=title)}
    session.workbench.device.wait()
    may = not session.workbench.limits.demo and bulk_tagging.would_help(session.workbench)
    if may and processes in bulk_tagging.choices()[1:]:
        put_aside = bulk_tagging.tag(session, name, ids, int(processes or 1), report)
    else:
        put_aside = 0
        _tag_here(session, report, name, ids)
    said = session.ngettext(
        "{run} has predicted {count} document. Its spans are suggestions on the Annotate page.",
        "{run} has predicted {count} documents. Their spans are suggestions on the Annotate page.",
        run=title,
        count=len(ids) - put_aside,
    )
    if put_aside:
        said += " " + session.ngettext(
            "With {count} document the tagger fails; it has no prediction.",
            "With {count} documents the tagger fails; they have no predictions.",
            count=put_aside,
        )
    return {"message": said}


def _tag_here(session: Session, report: Report, name: str, ids: Sequence[int]) -> None:
    """Tag in this process, chunk by chunk."""
    taggers, project = session.workbench.taggers, session.project_id
    done = 0
    for start in range(0, len(ids), CHUNK):
        chunk = [documents.get(session.workspace, id_).with_spans(()) for id_ in ids[start : start + CHUNK]]
        report(start, len(ids))
        for _part, ready in taggers.tag_by_parts(project, chunk, name):
            if ready:
                predictions.put(session.workspace, name, ready)
                done += len(ready)
                report(done, len(ids))


def show_losses(session: Session, format_name: str) -> str:
    """Losses of this export format."""
    tagged = kept_result(session).tagged
    return losses_text(session, len(tagged), by_name(format_name).losses(tagged))


def write(session: Session, format_name: str) -> Any:
    """The result as a file."""
    result = kept_result(session)
    path = export(result.tagged, format_name, f"tagged-by-{result.run}")[0]
    return gr.update(value=str(path), visible=True)


@needs("import")
def annotate(session: Session) -> dict[str, Any]:
    """Add the tagged texts to the project, their spans as suggestions, and turn to those that are new."""
    result = kept_result(session)
    run, tagged = result.run, result.tagged
    limits = session.workbench.limits
    present = documents.count(session.workspace, session.project_id)["all"]
    limits.check_documents(present + len(tagged))
    bare = [replace(document, spans=()) for document in tagged]
    added = documents.add(session.workspace, session.project_id, bare, user=session.user)
    for id_, document in zip(added.ids, tagged, strict=True):
        predictions.put_one(session.workspace, run, id_, document.spans)
    result.numbers.update(enumerate(added.ids))
    if added.came:
        open_import(session, added.at)
    else:
        open_document(session, added.ids[0])
    return {
        "tabs": gr.update(selected="annotate"),
        "message": session.ngettext(
            "{count} document is in the project now; its spans are suggestions to be confirmed.",
            "{count} documents are in the project now; their spans are suggestions to be confirmed.",
            count=added.added,
        ),
    }


def to_train(session: Session) -> Any:
    """Turn to the Train page."""
    return gr.update(selected="train")


def wire(components: TagComponents, frame: Frame) -> None:
    """Connect the page's events."""
    c = components
    result = [c.result, c.summary, c.how, c.sentences, c.table, c.losses, c.download]
    frame.on_show(
        "tag", show, [c.empty, c.page, c.run, c.work_set, c.processes, c.lacking], [c.run, c.work_set]
    )
    tagging = on_work(
        frame, c.work, [c.go.click], go, [c.run, c.text, c.file], [c.message, *result],
        doing=_("tagging texts"), done=_("texts tagged"),
    )  # fmt: skip
    frame.reveal(tagging, "tag-result")
    on_work(
        frame, c.work, [c.go_documents.click], go_documents,
        [c.run, c.which, c.work_set, c.processes],
        {"message": c.message}, doing=_("tagging documents"), done=_("documents tagged"), kept=True,
    )  # fmt: skip
    frame.on([c.format.input], show_losses, [c.format], [c.losses])
    frame.on([c.write.click], write, [c.format], [c.download])
    frame.on([c.annotate.click], annotate, [], [frame.tabs, c.message])
    frame.on([c.to_train.click], to_train, [], [frame.tabs])
