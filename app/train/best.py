"""Find the best for me: a search over taggers and settings in the time a person gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import gradio as gr

from app.i18n import _
from app.services.rights import needs
from app.services.session import Session
from app.services.training.pretraining import offers_for
from app.services.training.search import Search, search_of, searches_of, start_search
from app.services.training.search import take as take_trial
from app.train.best_view import choices_of, outcome, progress_html, table_of
from app.train.figures.best import search_curve
from app.ui.code_span import code_span
from app.ui.frame import Frame
from app.ui.runs import panel as run_panel
from app.ui.runs.job_in_view import JobInView
from app.ui.widgets.figure_view import FigureView, figure_view
from app.ui.widgets.plain_table import plain_table
from app.ui.widgets.shifting_choice import ShiftingDropdown
from core.learning.search.trials import TAGGERS

MINUTES = 20
TICK_SECONDS = 1.5
# The run's panel changes its height, which would leave the person somewhere else on the page.
SHOW_RUN = "() => document.getElementById('train-run').scrollIntoView({block: 'center'})"
IN_VIEW = JobInView("train", "best")
OFFERED = "best-offered"  # the trial that the page has chosen


@dataclass
class BestComponents:
    """The time, what to try, the search in view and its leaderboard; ``box`` folds all of them away."""

    box: gr.Accordion
    minutes: gr.Number
    taggers: gr.CheckboxGroup
    encoder: gr.Dropdown
    start: gr.Button
    search: gr.Dropdown
    empty: gr.Markdown
    progress: gr.HTML
    cancel: gr.Button
    resume: gr.Button
    board: gr.Column
    outcome: gr.Markdown
    trial: gr.Dropdown
    take: gr.Button
    taken: gr.Markdown
    table: gr.Dataframe
    curve: FigureView
    timer: gr.Timer

    @property
    def view(self) -> list[Any]:
        """The outputs of `follow`."""
        return [
            self.empty, self.progress, self.cancel, self.resume, self.board, self.outcome, self.trial,
            self.take, self.taken, self.table, self.curve.plot, self.timer,
        ]  # fmt: skip


def layout(frame: Frame, box: gr.Accordion) -> BestComponents:
    """Build the section inside ``box``."""
    texts = frame.texts
    texts.purpose(
        _(
            "Tries taggers and settings on this project's documents: the defaults first, then the most "
            "promising. Test documents are not read."
        )
    )
    with gr.Row(elem_classes="ll-fields"):
        minutes = texts.bind(
            gr.Number(MINUTES, precision=0, minimum=1, elem_id="best-minutes"),
            label=_("Minutes"),
            info=_("Time of the whole search."),
        )
        taggers = texts.bind(
            gr.CheckboxGroup(list(TAGGERS), elem_id="best-taggers"),
            label=_("Taggers"),
            info=_("None chosen: all that suit the texts."),
        )
        encoder = texts.bind(
            gr.Dropdown([], value="", allow_custom_value=True, elem_id="best-encoder"),
            label=_("Pretrained encoder for bert"),
            info=_("Folder or hub name; empty: no bert."),
        )
    with gr.Row(elem_classes="ll-buttons"):
        start = texts.button(
            _("Find the best for me"), variant="primary", elem_id="best-start", elem_classes="ll-long"
        )
        cancel = texts.button(_("Cancel"), visible=False, elem_id="best-cancel")
        resume = texts.button(_("Continue"), visible=False, elem_id="best-resume")
    search = texts.bind(ShiftingDropdown([], visible=False, elem_id="best-search"), label=_("Search"))
    empty = texts.bind(
        gr.Markdown(elem_classes="ll-empty", elem_id="best-empty"),
        value=_("No search yet. Say how long it may take, and start it; you can close the page meanwhile."),
    )
    progress = gr.HTML(elem_id="best-progress", min_height=36)
    with gr.Column(visible=False, elem_id="best-board") as board:
        found = gr.Markdown(elem_id="best-outcome")
        with gr.Row(elem_classes="ll-fields"):
            trial = texts.bind(ShiftingDropdown([], elem_id="best-trial"), label=_("Trial"))
            take = texts.button(_("Use this one"), elem_id="best-take")
        taken = gr.Markdown(elem_id="best-taken")
        table = plain_table("best-table", wrap=True)
        curve = figure_view("best-curve")
        texts.hint(
            _(
                "Each mark is a finished trial with its 95% interval (one below the median of the "
                "others at the same point is given up); a part of the best dev F1 is chance, which the "
                "test score after *Use this one* leaves out."
            )
        )
    timer = gr.Timer(TICK_SECONDS, active=False)
    return BestComponents(
        box, minutes, taggers, encoder, start, search, empty, progress, cancel, resume, board, found, trial,
        take, taken, table, curve, timer,
    )  # fmt: skip


def show(session: Session, name: str | None, trial: int | None = None) -> dict[str, Any]:
    """Fill the section with the page: the search that goes on, else the one in view, else the newest.

    While a search goes on the section is open, also after a reload.
    """
    names = searches_of(session)
    active = next((each for each in names if session.workbench.jobs.state(each).active), None)
    in_view = active or (name if name in names else next(iter(names), None))
    return {
        "box": gr.skip() if active is None else gr.update(open=True),
        "encoder": gr.update(choices=[("", ""), *offers_for(session, "bert").get("encoder", [])]),
        "search": _choices(names, in_view),
        **follow(session, in_view, trial if in_view == name else None),
    }


@needs("train")
def start(
    session: Session, minutes: float | None, taggers: Sequence[str], encoder: str | None
) -> dict[str, Any]:
    """Queue a search and show it."""
    name = start_search(session, minutes, taggers, encoder or "")
    return {"search": _choices(searches_of(session), name), **follow(session, name)}


def follow(session: Session, name: str | None, trial: int | None = None) -> dict[str, Any]:
    """The search in view; for ``trial`` see `_board`."""
    IN_VIEW.turn_to(session, name)
    if name is None:
        hidden = gr.update(visible=False)
        return {
            **dict.fromkeys(("cancel", "resume", "board"), hidden),
            "empty": gr.update(visible=True),
            **dict.fromkeys(("progress", "outcome", "taken"), ""),
            "trial": gr.update(choices=[], value=None),
            "take": gr.update(interactive=False),
            "table": None,
            "curve": None,
            "timer": gr.Timer(active=False),
        }
    search = search_of(session, name)
    return {"taken": "", **_view(session, search), **_board(session, search, trial)}


def tick(session: Session, name: str | None, trial: int | None) -> dict[str, Any]:
    """What has changed since the last tick: the bar, and the leaderboard once a trial has ended."""

    def news(name: str) -> dict[str, Any]:
        search = search_of(session, name)
        if not IN_VIEW.has_moved(session, search.state):
            return {}
        ended = sum(each.ended is not None for each in search.trials)
        if not IN_VIEW.is_new(session, "board", (search.state.status, len(search.trials), ended)):
            return _view(session, search)
        drawn = _board(session, search, trial)
        if drawn["trial"]["value"] == trial:
            del drawn["trial"]["value"]  # a person may have chosen another one meanwhile
        return {**_view(session, search), **drawn}

    return IN_VIEW.tick(session, name, news)


@needs("train")
def cancel(session: Session, name: str | None, trial: int | None) -> dict[str, Any]:
    """Ask the search to stop; ended trials are kept."""
    session.workbench.jobs.cancel(search_of(session, name).name)
    return follow(session, name, trial)


@needs("train")
def resume(session: Session, name: str | None, trial: int | None) -> dict[str, Any]:
    """Go on with the time that was left."""
    session.workbench.check_room()
    session.workbench.jobs.resume(search_of(session, name).name)
    return follow(session, name, trial)


@needs("train")
def take(session: Session, name: str | None, trial: int | None) -> dict[str, Any]:
    """Make the chosen trial a run, and show it as any run just started."""
    run = take_trial(session, search_of(session, name), trial)
    told = session._(
        "{run} is a run of this project now; it is shown above. Decide there whether it becomes active.",
        run=code_span(run.name),
    )
    return {"taken": told, **run_panel.pickers(session, run.name), **run_panel.follow(session, run.name, [])}


def _view(session: Session, search: Search) -> dict[str, Any]:
    state = search.state
    return {
        "empty": gr.update(visible=False),
        "progress": progress_html(session, search),
        "cancel": gr.update(visible=state.active),
        "resume": gr.update(visible=state.resumable),
        "timer": gr.Timer(active=state.active),
    }


def _board(session: Session, search: Search, trial: int | None) -> dict[str, Any]:
    """The leaderboard, the curve, and what may be taken.

    Args:
        trial: the chosen one. It stays if a person chose it; else the best one is chosen.
    """
    choices = choices_of(session, search)
    numbers = [number for _title, number in choices]
    if trial not in numbers or trial == session.memory.get(OFFERED):
        trial = session.memory[OFFERED] = next(iter(numbers), None)
    return {
        "board": gr.update(visible=bool(search.trials)),
        "outcome": outcome(session, search),
        "trial": gr.update(choices=choices, value=trial, interactive=bool(choices)),
        "take": gr.update(interactive=bool(choices)),
        "table": table_of(session, search),
        "curve": search_curve(search.trials, search.seconds, session.language),
    }


def _choices(names: Sequence[str], value: str | None) -> dict[str, Any]:
    return gr.update(choices=list(names), value=value, visible=len(names) > 1)


def wire(components: BestComponents, frame: Frame, runs: Sequence[Any]) -> None:
    """Connect the section's events.

    Args:
        runs: the components of the run panel that a new run changes.
    """
    c = components
    asked, in_view = [c.minutes, c.taggers, c.encoder], [c.search, c.trial]
    # What was asked for in one project is not shown in the next, so it is among the outputs.
    frame.on_show("train", show, [c.box, *asked, c.search, *c.view], in_view)
    frame.on([c.start.click], start, asked, [c.search, *c.view])
    frame.on([c.search.input], follow, [c.search], c.view)
    frame.on(c.timer.tick, tick, in_view, c.view)
    frame.on([c.cancel.click], cancel, in_view, c.view)
    frame.on([c.resume.click], resume, in_view, c.view)
    taking = frame.on([c.take.click], take, in_view, [c.taken, *runs])
    taking.success(None, js=SHOW_RUN, api_visibility="private")
