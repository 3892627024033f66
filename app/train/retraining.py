"""Automatic retraining on the Train page: settings and state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import gradio as gr

from app.i18n import Message, _, counted, ngettext
from app.services import in_project
from app.services.rights import needs
from app.services.session import Session
from app.services.training.retraining import (
    FEWEST,
    MOST,
    RetrainingState,
    checked_settings,
    edits_waiting,
    read_settings,
    read_state,
    write_settings,
)
from app.ui.code_span import code_span
from app.ui.frame import Frame

OUTCOMES = {
    "activated": ngettext(
        "{run} is now active: {count} correction fixed, {still_wrong} still wrong, none newly broken. You "
        "can roll back on the Ledger page.",
        "{run} is now active: {count} corrections fixed, {still_wrong} still wrong, none newly broken. You "
        "can roll back on the Ledger page.",
    ),
    "broken": ngettext(
        "{run} was not activated: {count} correction fixed, {still_wrong} still wrong, {newly_broken} newly"
        " broken. Review it and decide.",
        "{run} was not activated: {count} corrections fixed, {still_wrong} still wrong, {newly_broken} "
        "newly broken. Review it and decide.",
    ),
    "kept": ngettext(
        "{run} waits for your decision: {count} correction fixed, {still_wrong} still "
        "wrong, {newly_broken} newly broken.",
        "{run} waits for your decision: {count} corrections fixed, {still_wrong} still "
        "wrong, {newly_broken} newly broken.",
    ),
}

RECIPES = {"last": _("as the last run was trained"), "quick": _("quickly: FLAT, half the epochs")}

PROMOTIONS = {
    "ask": _("I make taggers active myself"),
    "unbroken": _("make it active if no correction is newly broken"),
}

LOOK_SECONDS = 4.0


@dataclass
class RetrainingComponents:
    """Settings, state, and the button to continue after a failure."""

    on: gr.Checkbox
    every: gr.Number
    recipe: gr.Radio
    promotion: gr.Radio
    state: gr.Markdown
    again: gr.Button
    timer: gr.Timer

    @property
    def form(self) -> list[Any]:
        """The inputs of ``change``."""
        return [self.on, self.every, self.recipe, self.promotion]

    @property
    def view(self) -> list[Any]:
        """The outputs of ``show``."""
        return [*self.form, self.state, self.again, self.timer]


def layout(frame: Frame) -> RetrainingComponents:
    """Build the section."""
    texts = frame.texts
    with texts.bind(gr.Accordion(open=False, elem_id="train-retraining"), label=_("Retrain automatically")):
        texts.hint(
            _(
                "After this many edits (a span labelled, accepted, rejected, moved or deleted) a new run is"
                " trained on the current documents. One run at a time; you can go on labelling."
            )
        )
        on = texts.bind(gr.Checkbox(elem_id="train-retraining-on"), label=_("Retrain automatically"))
        every = texts.bind(
            gr.Number(minimum=FEWEST, maximum=MOST, precision=0, step=5, elem_id="train-retraining-every"),
            label=_("After this many edits"),
        )
        recipe = texts.bind(gr.Radio(["last", "quick"], elem_id="train-retraining-recipe"), label=_("Recipe"))
        promotion = texts.bind(
            gr.Radio(["ask", "unbroken"], elem_id="train-retraining-promotion"), label=_("After training")
        )
        state = gr.Markdown(elem_id="train-retraining-stands")
        again = texts.button(_("Resume retraining"), visible=False, elem_id="train-retraining-again")
    return RetrainingComponents(
        on, every, recipe, promotion, state, again, gr.Timer(LOOK_SECONDS, active=False)
    )


def show(session: Session) -> dict[str, Any]:
    """The settings and the current state."""
    settings = read_settings(session.workbench, session.project_id)
    return {
        "on": settings.on,
        "every": settings.every,
        "recipe": _choices(session, RECIPES, settings.recipe),
        "promotion": _choices(session, PROMOTIONS, settings.promotion),
        **current_state(session),
    }


def current_state(session: Session) -> dict[str, Any]:
    """The current state: last or running training, pending edits."""
    settings = read_settings(session.workbench, session.project_id)
    state = read_state(session.workbench, session.project_id)
    return {
        "state": _state_line(session, state),
        "again": gr.update(visible=bool(state.failed)),
        "timer": gr.Timer(active=settings.on or not state.settled),
    }


def tick(session: Session) -> dict[str, Any]:
    """`current_state` while the page is in front."""
    return current_state(session) if session.page == "train" else {}


@needs("train")
def change(session: Session, on: Any, every: Any, recipe: Any, promotion: Any) -> dict[str, Any]:
    """Save the settings, effective at once.

    Raises:
        PayloadError: a value does not fit.
    """
    settings = checked_settings({"on": on, "every": every, "recipe": recipe, "promotion": promotion})
    if settings.promotion == "unbroken":
        return _change_active(session, settings)
    write_settings(session.workbench, session.project_id, settings)
    return current_state(session)


@needs("promote")
def _change_active(session: Session, settings: Any) -> dict[str, Any]:
    """Automatic activation requires the right to activate runs."""
    write_settings(session.workbench, session.project_id, settings)
    return current_state(session)


@needs("train")
def again(session: Session) -> dict[str, Any]:
    """Continue after a failure."""
    write_settings(
        session.workbench, session.project_id, read_settings(session.workbench, session.project_id)
    )
    return current_state(session)


def wire(components: RetrainingComponents, frame: Frame) -> None:
    """Connect the events of this section."""
    c = components
    outputs = [c.state, c.again, c.timer]
    frame.on_show("train", show, c.view)
    # submit and blur, not while a number is being typed.
    frame.on(
        [c.on.input, c.recipe.input, c.promotion.input, c.every.submit, c.every.blur], change, c.form, outputs
    )
    frame.on([c.again.click], again, [], outputs)
    frame.on(c.timer.tick, tick, [], outputs)


def _choices(session: Session, names: Mapping[str, Message], chosen: str) -> Any:
    return gr.update(choices=[(session._(name), value) for value, name in names.items()], value=chosen)


def _state_line(session: Session, state: RetrainingState) -> str:
    """One or two sentences: failure, current run, result of the last run, and pending edits."""
    if state.failed:
        return session._(
            "The last automatic training failed; no more are started until you continue: {reason}",
            reason=code_span(session._(state.failed)),
        )
    if not state.settled:
        return session._("{run} is being trained.", run=code_span(in_project.run_title(session, state.run)))
    parts = []
    if state.outcome:
        parts.append(
            session._(
                OUTCOMES[state.outcome],
                run=code_span(in_project.run_title(session, state.run)),
                count=state.fixed,
                still_wrong=state.still_wrong,
                newly_broken=state.newly_broken,
            )
        )
    settings = read_settings(session.workbench, session.project_id)
    if settings.on:
        waiting = edits_waiting(session.workbench, session.project_id)
        parts.append(
            session._(
                "{count} of {every} since the last training.",
                count=waiting,
                every=counted.edits(settings.every),
            )
        )
    return "\n\n".join(parts)
