"""Further filters of the table of documents: status, label, user, metadata, a run's errors and confidence.

Search, split and these filters can be kept under a name, as a work set.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import gradio as gr

from app.i18n import Message, _
from app.i18n.terms import STATUS_NAMES
from app.services.errors import AppError
from app.services.rights import needs
from app.services.session import Session
from app.ui.code_span import code_span
from app.ui.filter_fields import FilterFields
from app.ui.frame import Frame
from app.ui.payload import read_payload
from app.ui.runs.naming import run_choices
from app.ui.set_choice import set_choices
from app.ui.widgets.shifting_choice import ShiftingDropdown
from core.store.db.payload import SPLITS
from core.store.document import metadata
from core.store.label import labels
from core.store.queue import filter as queue_filter
from core.store.queue import work_sets
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
    """The filter components, in the order of `choose`, the button to clear them, and work sets.

    ``place`` is hidden and holds the choices as text, for the address. ``box`` folds all of them away.
    """

    status: gr.Dropdown
    label: gr.Dropdown
    person: gr.Dropdown
    run: gr.Dropdown
    error: gr.Dropdown
    least: gr.Number
    most: gr.Number
    commented: gr.Checkbox
    meta: gr.Dropdown
    clear: gr.Button
    work_set: gr.Dropdown
    set_name: gr.Textbox
    save_set: gr.Button
    rename_set: gr.Button
    remove_set: gr.Button
    said: gr.Markdown
    box: gr.Accordion
    place: gr.Textbox

    @property
    def inputs(self) -> list[Any]:
        """All choices."""
        return [
            self.status, self.label, self.person, self.run, self.error, self.least, self.most,
            self.commented, self.meta,
        ]  # fmt: skip


def layout(frame: Frame) -> FilterComponents:
    """Build the section, folded until somebody wants it."""
    texts = frame.texts

    def fixed(name: str, title: Message, values: Mapping[str, Message]) -> gr.Dropdown:
        return texts.bind(
            ShiftingDropdown(elem_id=f"data-filter-{name}", min_width=140),
            label=title,
            chosen=ANY,
            choices=[(ANY_NAME, ANY), *((named, value) for value, named in values.items())],
        )

    def shifting(name: str, title: Message) -> gr.Dropdown:
        # Labels, people and runs change while the page is open.
        return texts.bind(
            ShiftingDropdown([ANY], value=ANY, elem_id=f"data-filter-{name}", min_width=140), label=title
        )

    def bound(name: str, title: Message) -> gr.Number:
        return texts.bind(
            gr.Number(None, minimum=0, maximum=1, step=0.05, elem_id=f"data-filter-{name}", min_width=120),
            label=title,
        )

    box = texts.bind(gr.Accordion(open=False, elem_id="data-filter-box"), label=_("More filters"))
    with box:
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
        with gr.Row(equal_height=True):
            meta = texts.bind(
                ShiftingDropdown([], value=[], multiselect=True, elem_id="data-filter-meta"),
                label=_("Metadata"),
            )
        with gr.Row(elem_classes="ll-buttons"):
            clear = texts.button(_("Clear the filters"), size="sm", elem_id="data-filter-clear")
        with gr.Row(equal_height=True):
            work_set = texts.bind(
                ShiftingDropdown([ANY], value=ANY, elem_id="data-set", min_width=180), label=_("Work set")
            )
            set_name = texts.bind(
                gr.Textbox(elem_id="data-set-name", max_lines=1, min_width=180),
                label=_("Name"),
                placeholder=_("A name for search and filters"),
            )
        with gr.Row(elem_classes="ll-buttons"):
            save_set = texts.button(_("Save as work set"), size="sm", elem_id="data-set-save")
            rename_set = texts.button(_("Rename"), size="sm", elem_id="data-set-rename")
            remove_set = texts.button(_("Delete"), size="sm", elem_id="data-set-remove")
        said = gr.Markdown(elem_id="data-set-said")
    return FilterComponents(
        status, label, person, run, error, least, most, commented, meta, clear, work_set, set_name, save_set,
        rename_set, remove_set, said, box, gr.Textbox("", visible=False),
    )  # fmt: skip


def show(session: Session, search: str = "", which: str = "all") -> dict[str, Any]:
    """The choices there are now, as they stand, and the work set that they and the search and the split above
    them are."""
    fields = metadata.offered(session.workspace, session.project_id)
    pairs = [(field, value) for field, values in fields.items() for value in values]
    chosen = narrowing(session)
    others = chosen.others
    sets = work_sets.all_sets(session.workspace, session.project_id)
    whole = with_view(others, search, which)
    current = next((str(one.id) for one in sets if one.filter == whole), ANY)
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
        "meta": gr.update(
            choices=[(f"{field} = {value}", json.dumps([field, value])) for field, value in pairs],
            value=[json.dumps(list(pair)) for pair in others.meta],
            visible=bool(pairs or others.meta),
        ),
        "work_set": set_choices(session, _("none selected"), current),
        "place": _place(chosen),
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
    meta: Sequence[str] = (),
) -> str:
    """Keep what was chosen; returns it as text, for the address.

    Raises:
        AppError: the lower bound of the confidence lies above the upper.
        NotFound: the run is none of this project.
    """
    if least is not None and most is not None and least > most:
        raise AppError("The lowest confidence is above the highest; swap them or clear one.")
    asked = {
        "status": status, "label": label, "annotator": person, "error": error, "confidence_from": least,
        "confidence_to": most, "commented": True if commented else None,
        "meta": [json.loads(pair) for pair in meta or ()],
    }  # fmt: skip
    return _keep(session, run, read_payload(FilterFields, asked).filter())


def show_asked(session: Session, place: str, search: str = "", which: str = "all") -> dict[str, Any]:
    """The choices of an address, its search and split; what cannot be read narrows nothing."""
    try:
        asked = json.loads(place) if place else {}
        run = asked.pop("run", "")
        _keep(session, run if isinstance(run, str) else "", read_payload(FilterFields, asked).filter())
    except (ValueError, AttributeError, AppError):
        session.memory.pop(MEMORY, None)
    shown = show(session, search, which)
    chosen = narrowing(session) != Narrowing() or shown["work_set"]["value"] != ANY
    return {**shown, "said": "", "box": gr.update(open=True) if chosen else gr.skip()}


def _keep(session: Session, run: str, others: Filter) -> str:
    names = {item.name for item in runs.all_runs(session.workspace, session.project_id)}
    kept = Narrowing(run if run in names else None, replace(others, search="", split=None))
    session.memory[MEMORY] = kept
    return _place(kept)


def _place(chosen: Narrowing) -> str:
    said = work_sets.to_json(chosen.others) | ({"run": chosen.run} if chosen.run else {})
    return json.dumps(said, ensure_ascii=False) if said else ""


def clear(session: Session, search: str = "", which: str = "all") -> dict[str, Any]:
    """Clear all filters but the search and the split above them."""
    session.memory.pop(MEMORY, None)
    return show(session, search, which)


def open_set(session: Session, chosen: str) -> dict[str, Any]:
    """Choose a work set: its filters, and its search and split above them; none clears them."""
    if not chosen.isdecimal():
        session.memory.pop(MEMORY, None)
        return {**show(session), "search": "", "show": "all", "set_name": ""}
    one = work_sets.get(session.workspace, session.project_id, int(chosen))
    _keep(session, narrowing(session).run or "", one.filter)
    shown = {"search": one.filter.search, "show": one.filter.split or "all", "set_name": one.name}
    return {**show(session), **shown, "work_set": gr.update(value=chosen)}


@needs("annotate")
def save_set(session: Session, name: str, search: str, which: str) -> dict[str, Any]:
    """Keep the search and the filters under a name."""
    kept = replace(with_view(narrowing(session).others, search, which), trashed=False)
    one = work_sets.add(session.workspace, session.project_id, name, kept, user=session.user)
    return {
        **_set_choices(session, str(one.id)),
        "said": session._("The work set {name} is saved; everybody finds it here and in the queue.",
                             name=code_span(one.name)),
    }  # fmt: skip


@needs("annotate")
def rename_set(session: Session, chosen: str, name: str) -> dict[str, Any]:
    """Give the chosen work set another name."""
    number = _chosen_set(chosen)
    one = work_sets.rename(session.workspace, session.project_id, number, name, user=session.user)
    said = session._("The work set is now called {name}.", name=code_span(one.name))
    return {**_set_choices(session, chosen), "said": said}


@needs("annotate")
def remove_set(session: Session, chosen: str) -> dict[str, Any]:
    """Delete the chosen work set; the filters stay as they are."""
    one = work_sets.get(session.workspace, session.project_id, _chosen_set(chosen))
    work_sets.remove(session.workspace, session.project_id, one.id, user=session.user)
    said = session._("The work set {name} is deleted; its documents stay.", name=code_span(one.name))
    return {**_set_choices(session, ANY), "set_name": "", "said": said}


def _set_choices(session: Session, chosen: str) -> dict[str, Any]:
    return {"work_set": set_choices(session, _("none selected"), chosen)}


def _chosen_set(chosen: str) -> int:
    if not chosen.isdecimal():
        raise AppError("Choose a work set first.")
    return int(chosen)


def with_view(which: Filter, search: str, shown: str) -> Filter:
    """A filter with the search and the choice above the table."""
    return replace(
        which, search=search.strip(), split=shown if shown in SPLITS else None, trashed=shown == "trash"
    )


def narrowing(session: Session) -> Narrowing:
    """The current filters of this project."""
    kept = session.memory.get(MEMORY)
    return kept if isinstance(kept, Narrowing) else Narrowing()
