"""Documents that a compared run has not predicted, and the button that predicts them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import gradio as gr

from app.i18n import _
from app.services import in_project
from app.services.evaluation.held_out import documents_of
from app.services.rights import needs
from app.services.session import Session
from app.ui.frame import Frame
from app.ui.work import Report, WorkView, on_work, work_view
from core.store.run import predictions


@dataclass
class MissingView:
    """The button, and the progress of what it begins."""

    predict: gr.Button
    work: WorkView


def layout(frame: Frame) -> MissingView:
    """The button, hidden while nothing is missing."""
    with gr.Row(elem_classes="ll-buttons"):
        button = gr.Button(visible=False, elem_id="compare-answer", elem_classes="ll-long")
    return MissingView(button, work_view(frame, "compare-answering"))


def offer(session: Session, missing: Sequence[int]) -> dict[str, Any]:
    """The button for these documents."""
    return gr.update(
        visible=bool(missing),
        value=session.ngettext(
            "Predict the {count} missing document",
            "Predict the {count} missing documents",
            count=len(missing),
        ),
    )


@needs("train")
def answer(session: Session, report: Report, picked: Sequence[str] | None, parts: Sequence[str]) -> None:
    """Predict the documents of the splits that a run lacks."""
    chosen = list(dict.fromkeys(picked or ()))
    in_parts = set(documents_of(session, chosen, parts))
    for place, run in enumerate(chosen):
        unpredicted = predictions.missing(session.workspace, run)
        missing = [number for number in unpredicted if number in in_parts]
        title = session._("{run} is tagging", run=in_project.run_title(session, run))

        def tell(done: int, total: int, title: str = title, place: int = place) -> None:
            report(done, total, title, (place + done / max(1, total)) / len(chosen))

        session.workbench.taggers.predict(session.project_id, run, missing, tell)


def wire(view: MissingView, frame: Frame, runs: gr.Dropdown, parts: gr.CheckboxGroup) -> Any:
    """Connect the button; the event it returns succeeds once the documents are predicted."""
    return on_work(
        frame, view.work, [view.predict.click], answer, [runs, parts], [],
        doing=_("predicting missing documents"), done=_("missing documents predicted"), kept=True,
    )  # fmt: skip
