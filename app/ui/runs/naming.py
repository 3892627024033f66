"""What runs are called where one is chosen, and the form that changes it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import Any

import gradio as gr

from app.i18n import _, pgettext
from app.services import in_project
from app.services.errors import AppError
from app.services.rights import may, needs
from app.services.session import Session
from app.ui.frame import Frame
from app.ui.lacking import needs_class
from core.store.run import runs
from core.store.run.runs import LONGEST_NOTE, LONGEST_TITLE, Run

LONGEST_IN_PICKER = 40  # characters of a note


@dataclass
class NamingView:
    """The note of the run in view, and the form with name and note."""

    noted: gr.HTML
    naming: gr.Accordion
    title: gr.Textbox
    note: gr.Textbox
    save_naming: gr.Button

    @property
    def outputs(self) -> list[Any]:
        """The outputs of ``show``."""
        return [self.noted, self.naming, self.title, self.note]


def run_choices(session: Session, names: Iterable[str]) -> list[tuple[str, str]]:
    """Choices of a picker: each run by its title and the beginning of its note, one that is gone by name."""
    known = {run.name: run for run in runs.all_runs(session.workspace, session.project_id)}
    return [(_called(known[name]) if name in known else name, name) for name in names]


def _called(run: Run) -> str:
    """As "Baseline – dropout 0.3"."""
    first = run.note.partition("\n")[0]
    short = first if len(first) <= LONGEST_IN_PICKER else first[:LONGEST_IN_PICKER].rstrip() + "…"
    return f"{run.title} – {short}" if short else run.title


def layout(frame: Frame) -> NamingView:
    """Build the form."""
    texts = frame.texts
    noted = gr.HTML(elem_id="train-noted")
    box = gr.Accordion(open=False, visible=False, elem_id="train-naming", elem_classes=needs_class("train"))
    with texts.bind(box, label=_("Rename or add a note")) as naming:
        title = texts.bind(
            gr.Textbox(max_lines=1, max_length=LONGEST_TITLE, elem_id="train-title"),
            label=_("Name of the run"),
            info=_("Shown wherever the run appears. If empty, its original name, which its folder keeps."),
        )
        note = texts.bind(
            gr.Textbox(lines=2, max_lines=6, max_length=LONGEST_NOTE, elem_id="train-note"),
            label=pgettext("run", "Note"),
            placeholder=_("What was tried, and with what result"),
        )
        with gr.Row(elem_classes="ll-buttons"):
            save = texts.button(_("Save"), size="sm", elem_id="train-naming-save")
    return NamingView(noted, naming, title, note, save)


def show(session: Session, run: Run | None) -> dict[str, Any]:
    """The note and the form, filled with what the run is called."""
    if run is None:
        return {"noted": "", "naming": gr.update(visible=False), "title": "", "note": ""}
    return {
        "noted": f'<p class="ll-note">{escape(run.note)}</p>' if run.note else "",
        "naming": gr.update(visible=may(session, "train")),
        "title": gr.update(value=run.title, placeholder=run.name),
        "note": run.note,
    }


@needs("train")
def save(session: Session, run: str | None, title: str, note: str) -> Run:
    """Name the run.

    Raises:
        AppError: none is chosen. NameTaken, PayloadError: the name or the note cannot be kept.
    """
    if run is None:
        raise AppError("Choose a run first.")
    return runs.describe(session.workspace, in_project.run(session, run).name, title=title, note=note)
