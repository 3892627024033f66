"""Below a finished run: its model as a ZIP for transformers, onnxruntime or another LatticeLens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gradio as gr

from app.i18n import _
from app.services import in_project
from app.services.errors import AppError
from app.services.exporting.run_bundles import TARGETS, bundle
from app.services.rights import needs
from app.services.session import Session
from app.ui.frame import Frame
from app.ui.lacking import needs_class
from app.ui.work import Report, WorkView, on_work, work_view

TARGET_NAMES = {
    "transformers": _("Hugging Face folder (transformers)"),
    "onnx": _("ONNX graph (onnxruntime)"),
    "latticelens": _("another LatticeLens"),
}


@dataclass
class DownloadView:
    """What is written, under which licence, and the file."""

    target: gr.Dropdown
    licence: gr.Textbox
    write: gr.Button
    work: WorkView
    file: gr.File


def layout(frame: Frame) -> DownloadView:
    """Build the section, closed."""
    texts = frame.texts
    with texts.bind(gr.Accordion(open=False, elem_id="train-download-box"), label=_("Download for…")):
        texts.hint(
            _(
                "The model with its model card. The files hold the vocabulary of your training texts and the "
                "words of the dictionary; sentences only where a BERT reads neighbours."
            )
        )
        with gr.Row(equal_height=True, elem_classes=needs_class("export")):
            target = texts.bind(
                gr.Dropdown(elem_id="train-download-target"),
                label=_("Program"),
                chosen="transformers",
                choices=[(TARGET_NAMES[name], name) for name in TARGETS],
            )
            licence = texts.bind(
                gr.Textbox("", elem_id="train-download-licence", max_length=60),
                label=_("Licence"),
                placeholder=_("such as cc-by-4.0; empty: other"),
            )
        with gr.Row(elem_classes=["ll-buttons", needs_class("export")]):
            write = texts.button(_("Prepare the download"), elem_id="train-download-write")
        work = work_view(frame, "train-download-work")
        file = texts.bind(
            gr.File(interactive=False, visible=False, elem_id="train-download-file"), label=_("Your file")
        )
    return DownloadView(target, licence, write, work, file)


@needs("export")
def write(session: Session, report: Report, run: str | None, target: str, licence: str) -> Any:
    """Write the ZIP and offer it.

    Raises:
        AppError: no run is chosen, or it has no model.
    """
    if run is None:
        raise AppError("Choose a run first.")
    row = in_project.run(session, run)
    report(0, 1)
    path = bundle(session, row, target, licence or "")
    report(1, 1)
    return gr.update(value=str(path), visible=True)


def forget(session: Session) -> Any:
    """Take back the file of another choice."""
    return gr.update(value=None, visible=False)


def wire(view: DownloadView, frame: Frame, run: gr.Dropdown) -> None:
    """Connect the section's events."""
    frame.on([run.input, view.target.input, view.licence.input], forget, [], [view.file])
    on_work(
        frame, view.work, [view.write.click], write, [run, view.target, view.licence], [view.file],
        doing=_("preparing a model"), done=_("model prepared"),
    )  # fmt: skip
