"""Further filters of the table of documents: status, label, user, a run's errors and confidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import gradio as gr

from app.i18n import Message, _
from app.i18n.terms import STATUS_NAMES
from app.services.errors import AppError
from app.services.session import Session
from app.ui.frame import Frame
from app.ui.runs.naming import run_choices
from app.ui.widgets.shifting_choice import ShiftingDropdown
from core.store.label import labels
from core.store.queue import filter as queue_filter
from core.store.queue.filter import Filter
from core.store.run import runs

ANY_NAME = _("any")
ERROR_NAMES = {
    "any": _("of any kind"),
    "missed": _("missed"),
    "spurious": _("spurious"),
    "boundary": _("boundary"),
    "type": _("type"),
    "bounds": _("The lowest confidence is above the highest; swap them or clear one."),
}


ANY = ""  # of every choice: no narrowing
MEMORY = "data-filter"


@dataclass(frozen=True, slots=True)
class Narrowing:
    """The chosen filters, kept in the session until the project changes.

    Args:
        run: whose errors and confidences are used; None: the active run's.
        others: the fields of the filter that were chosen.
    """

    run: str | None = None
    others: Filter = field(default_factory=Filter)


@dataclass
class FilterComponents:
    """The filter components, in the order of `choose`, and the button to clear them."""

    status: gr.Dropdown
    label: gr.Dropdown
    person: gr.Dropdown
    run: gr.Dropdown
    error: gr.Dropdown
    least: gr.Number
    most: gr.Number
    commented: gr.Checkbox
    clear: gr.Button

    @property
    def inputs(self) -> list[Any]:
        """All choices."""
        return [getattr(self, component.name) for component in fields(self) if component.name != "clear"]


def layout(frame: Frame) -> FilterComponents:
    """Build the section, folded until somebody wants it."""
    texts = frame.texts

    def fixed(name: str, title: Message, values: Mapping[str, Message]) -> gr.Dropdown:
        return texts.bind(
            gr.Dropdown(elem_id=f"data-filter-{name}", min_width=140),
            label=title,
            chosen=ANY,
            choices=[(ANY_NAME, ANY), *((named, value) for value, named in values.items())],
        )

    def shifting(name: str, title: Message) -> gr.Dropdown:
        # Labels, people and runs change while the page is open.
        return texts.bind(
            ShiftingDropdown([ANY], value=ANY, elem_id=f"data-filter-{name}", min_width=140),
            label=title,
        )

    def bound(name: str, title: Message) -> gr.Number:
        return texts.bind(
            gr.Number(None, minimum=0, maximum=1, step=0.05, elem_id=f"data-filter-{name}", min_width=120),
            label=title,
        )

    with texts.bind(gr.Accordion(open=False, elem_id="data-filter-box"), label=_("More filters")):
        with gr.Row():
            status = fixed("status", _("Status"), STATUS_NAMES)
            label = shifting("label", _("Label"))
            person = shifting("person", _("Changed by"))
            run = shifting("run", _("Predictions of the run"))
        with gr.Row(equal_height=True):
            error = fixed("error", _("Corrected error"), ERROR_NAMES)
            least = bound("least", _("Confidence from"))
            most = bound("most", _("Confidence to"))
            commented = texts.bind(gr.Checkbox(False, min_width=140), label=_("Open comments only"))
        with gr.Row(elem_classes="ll-buttons"):
            clear = texts.bind(
                gr.Button(size="sm", elem_id="data-filter-clear"), value=_("Clear the filters")
            )
    return FilterComponents(status, label, person, run, error, least, most, commented, clear)


def show(session: Session) -> dict[str, Any]:
    """The choices there are now, as they stand."""
    chosen = narrowing(session)
    others = chosen.others
    workspace, project = session.workspace, session.project_id
    run_names = [run.name for run in reversed(runs.all_runs(workspace, project))]

    def listed(names: list[str], value: str | None) -> dict[str, Any]:
        choices = [(session._(ANY_NAME), ANY), *((name, name) for name in names)]
        return gr.update(choices=choices, value=value if value in names else ANY)

    return {
        "status": others.status or ANY,
        "label": listed(list(labels.get(workspace, project).names), others.label),
        "person": listed(queue_filter.people(workspace, project), others.annotator),
        "run": gr.update(
            choices=[(session._("the active run"), ANY), *run_choices(session, run_names)],
            value=chosen.run if chosen.run in run_names else ANY,
        ),
        "error": others.error or ANY,
        "least": others.confidence_from,
        "most": others.confidence_to,
        "commented": bool(others.commented),
    }


def choose(
    session: Session,
    status: str,
    label: str,
    person: str,
    run: str,
    error: str,
    least: float | None,
    most: float | None,
    commented: bool,
) -> None:
    """Keep what was chosen.

    Raises:
        AppError: the lower bound of the confidence lies above the upper.
        NotFound: the run is none of this project.
    """
    if least is not None and most is not None and least > most:
        raise AppError("The lowest confidence is above the highest; swap them or clear one.")
    names = {item.name for item in runs.all_runs(session.workspace, session.project_id)}
    session.memory[MEMORY] = Narrowing(
        run if run in names else None,
        Filter(
            status=status or None,
            label=label or None,
            annotator=person or None,
            error=error or None,
            confidence_from=least,
            confidence_to=most,
            commented=True if commented else None,
        ),
    )


def clear(session: Session) -> dict[str, Any]:
    """Clear all filters."""
    session.memory.pop(MEMORY, None)
    return show(session)


def narrowing(session: Session) -> Narrowing:
    """The current filters of this project."""
    kept = session.memory.get(MEMORY)
    return kept if isinstance(kept, Narrowing) else Narrowing()


def narrowed(session: Session, which: Filter) -> Filter:
    """``which`` with the chosen filters; search, split and trash stay."""
    return replace(narrowing(session).others, search=which.search, split=which.split, trashed=which.trashed)
