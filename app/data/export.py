"""The export section of the Data page: choose, see losses, write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import gradio as gr

from app.data import dataset
from app.data.documents import shown_filter
from app.data.filter import narrowing
from app.i18n import _
from app.i18n.terms import SPLIT_NAMES, format_name
from app.services.errors import AppError
from app.services.exporting.documents import Choice, chosen, export_chosen, how_many, losses, losses_text
from app.services.rights import needs
from app.services.session import Session
from app.ui.frame import Frame
from app.ui.headings import section_heading
from app.ui.lacking import needs_class, who_may
from app.ui.work import Report, WorkView, on_work, work_view
from core.formats import writable
from core.store.document import documents
from core.store.project import projects

SHOWN = ("all", "train", "dev", "test", "none")
MOST_LOOKED_AT = 5_000  # documents up to which the losses are counted before anything is written
AS_SHOWN = "shown"  # what the table of documents shows: its search and its filter
_countings = count(1)


@dataclass
class ExportComponents:
    """What is written, how, and the file."""

    format: gr.Dropdown
    split: gr.Dropdown
    labelled: gr.Checkbox
    ignored: gr.Checkbox
    losses: gr.Markdown
    counting: gr.Textbox
    write: gr.Button
    work: WorkView
    file: gr.File
    dataset: dataset.DatasetComponents


def layout(frame: Frame) -> ExportComponents:
    """Build the section."""
    texts = frame.texts
    section_heading(texts, _("Export"))
    who_may(texts, "export")
    with gr.Row(equal_height=True, elem_classes=needs_class("export")):
        format_choice = texts.bind(
            gr.Dropdown(elem_id="export-format"),
            label=_("Format"),
            chosen="jsonl",
            choices=[(format_name(name), name) for name in writable()],
        )
        split = texts.bind(
            gr.Dropdown(elem_id="export-split"),
            label=_("Documents"),
            chosen=AS_SHOWN,
            choices=[(_("the list above"), AS_SHOWN), *((SPLIT_NAMES[name], name) for name in SHOWN)],
        )
        with gr.Column(min_width=160):
            labelled = texts.bind(
                gr.Checkbox(False, elem_id="export-labelled"), label=_("Only labelled documents")
            )
            ignored = texts.bind(
                gr.Checkbox(False, elem_id="export-ignored"), label=_("Include ignored documents")
            )
    loss_text = gr.Markdown(elem_id="export-losses", elem_classes=needs_class("export"), min_height=24)
    counting = gr.Textbox(visible="hidden", show_label=False)  # changes when the losses are still to come
    with gr.Row(elem_classes=["ll-buttons", needs_class("export")]):
        write = texts.button(_("Export"), elem_id="export-write")
    work = work_view(frame, "export-work")
    file = texts.bind(gr.File(interactive=False, visible=False, elem_id="export-file"), label=_("Your file"))
    return ExportComponents(
        format_choice, split, labelled, ignored, loss_text, counting, write, work, file, dataset.layout(frame)
    )


def count_losses(session: Session, *_choice: Any) -> dict[str, Any]:
    """Have the losses follow into the page: to count them, all documents are read.

    Args:
        _choice: the section's fields, which begin anew with another project.
    """
    return {"counting": str(next(_countings))}


def show_losses(
    session: Session,
    format_name: str,
    split: str,
    labelled: bool,
    ignored: bool = False,
    search: str = "",
    show: str = "all",
) -> dict[str, Any]:
    """Describe the losses of this export; removes an earlier file."""
    choice = choice_of(session, split, labelled, ignored, search, show)
    workspace, project = session.workspace, session.project_id
    if documents.count(workspace, project)["all"] <= MOST_LOOKED_AT:
        text = losses_text(
            session,
            how_many(workspace, project, choice),
            losses(chosen(workspace, project, choice), format_name),
        )
    else:
        text = session._("What this format cannot hold is counted while the file is written.")
    return {"losses": text, "file": gr.update(value=None, visible=False)}


@needs("export")
def write(
    session: Session,
    report: Report,
    format_name: str,
    split: str,
    labelled: bool,
    ignored: bool = False,
    search: str = "",
    show: str = "all",
) -> dict[str, Any]:
    """Write the file, say what is not in it, and offer it.

    Raises:
        AppError: no document fits the choice.
    """
    choice = choice_of(session, split, labelled, ignored, search, show)
    total = how_many(session.workspace, session.project_id, choice)
    if not total:
        raise AppError("No document matches this choice, so there is nothing to export.")

    def tick(done: int) -> None:
        report(min(done, total), total)

    report(0, total)
    name = projects.get(session.workspace, session.project_id).name
    named = f"{name}-{split}" if split in SHOWN[1:] else name
    path, lost = export_chosen(session, choice, format_name, named, tick)
    written = [path, *sorted(beside for beside in path.parent.iterdir() if beside != path)]
    return {
        "losses": losses_text(session, total, lost),
        "file": gr.update(value=[str(each) for each in written] if written[1:] else str(path), visible=True),
    }


def choice_of(session: Session, split: str, labelled: bool, ignored: bool, search: str, show: str) -> Choice:
    """The documents that the section's fields choose."""
    if split == AS_SHOWN:
        shown = shown_filter(session, search, show)
        return Choice(labelled=labelled, shown=shown, run=narrowing(session).run, ignored=ignored)
    return Choice(None if split == "all" else split, labelled, ignored=ignored)


def wire(
    components: ExportComponents, frame: Frame, refreshing: Sequence[Any], search: Any, show: Any
) -> None:
    """Connect the section's events.

    Args:
        refreshing: events after which the counts are read again. search, show: the filter of the table.
    """
    c = components
    choice = [c.format, c.split, c.labelled, c.ignored, search, show]
    dataset.wire(c.dataset, frame, choice[1:], choice_of)
    frame.on_show("data", count_losses, [c.counting], choice)
    changed = [
        c.counting.change,
        c.format.input,
        c.split.input,
        c.labelled.input,
        c.ignored.input,
        search.submit,
        show.input,
    ]
    frame.on(changed, show_losses, choice, [c.losses, c.file])
    for event in refreshing:
        frame.then(event, show_losses, choice, [c.losses, c.file])
    on_work(
        frame, c.work, [c.write.click], write, choice, [c.losses, c.file],
        doing=_("exporting documents"), done=_("documents exported"),
    )  # fmt: skip
