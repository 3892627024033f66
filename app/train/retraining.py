"""Training again by itself, on the Train page: when, how, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gradio as gr

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

LOOK_SECONDS = 4.0


@dataclass
class RetrainingComponents:
    """The choice, what stands, and the button that tries again after a failure."""

    on: gr.Checkbox
    every: gr.Number
    recipe: gr.Radio
    promotion: gr.Radio
    stands: gr.Markdown
    again: gr.Button
    timer: gr.Timer

    @property
    def form(self) -> list[Any]:
        """The inputs of ``change``."""
        return [self.on, self.every, self.recipe, self.promotion]

    @property
    def view(self) -> list[Any]:
        """The outputs of ``show``."""
        return [*self.form, self.stands, self.again, self.timer]


def layout(frame: Frame) -> RetrainingComponents:
    """Build the section."""
    texts = frame.texts
    with texts.bind(gr.Accordion(open=False, elem_id="train-retraining"), label="train.retraining"):
        texts.bind(gr.Markdown(elem_classes="ll-how"), value="train.retraining.how")
        on = texts.bind(gr.Checkbox(elem_id="train-retraining-on"), label="train.retraining.on")
        every = texts.bind(
            gr.Number(minimum=FEWEST, maximum=MOST, precision=0, step=5, elem_id="train-retraining-every"),
            label="train.retraining.every",
        )
        recipe = texts.bind(
            gr.Radio(["last", "quick"], elem_id="train-retraining-recipe"), label="train.retraining.recipe"
        )
        promotion = texts.bind(
            gr.Radio(["ask", "unbroken"], elem_id="train-retraining-promotion"),
            label="train.retraining.promotion",
        )
        stands = gr.Markdown(elem_id="train-retraining-stands")
        again = texts.bind(
            gr.Button(visible=False, elem_id="train-retraining-again"), value="train.retraining.again"
        )
    return RetrainingComponents(
        on, every, recipe, promotion, stands, again, gr.Timer(LOOK_SECONDS, active=False)
    )


def show(session: Session) -> tuple[Any, ...]:
    """What was chosen and what stands. Outputs: on, every, recipe, promotion, stands, again, timer."""
    settings = read_settings(session.workbench, session.project_id)
    return (
        settings.on,
        settings.every,
        _choices(session, "recipe", ("last", "quick"), settings.recipe),
        _choices(session, "promotion", ("ask", "unbroken"), settings.promotion),
        *stand(session),
    )


def stand(session: Session) -> tuple[Any, ...]:
    """What stands. Outputs: stands, again, timer."""
    settings = read_settings(session.workbench, session.project_id)
    state = read_state(session.workbench, session.project_id)
    return (
        _told(session, state),
        gr.update(visible=bool(state.failed)),
        gr.Timer(active=settings.on or not state.settled),
    )


def tick(session: Session) -> tuple[Any, ...]:
    """The same while the page is in front."""
    return stand(session) if session.page == "train" else (gr.skip(), gr.skip(), gr.skip())


@needs("train")
def change(session: Session, on: Any, every: Any, recipe: Any, promotion: Any) -> tuple[Any, ...]:
    """Remember the choice, which acts at once.

    Raises:
        PayloadError: a value does not fit.
    """
    settings = checked_settings({"on": on, "every": every, "recipe": recipe, "promotion": promotion})
    if settings.promotion == "unbroken":
        return _change_serving(session, settings)
    write_settings(session.workbench, session.project_id, settings)
    return stand(session)


@needs("promote")
def _change_serving(session: Session, settings: Any) -> tuple[Any, ...]:
    """Who lets runs serve by themselves must be one who may let them serve."""
    write_settings(session.workbench, session.project_id, settings)
    return stand(session)


@needs("train")
def again(session: Session) -> tuple[Any, ...]:
    """Go on after a failure."""
    write_settings(
        session.workbench, session.project_id, read_settings(session.workbench, session.project_id)
    )
    return stand(session)


def wire(components: RetrainingComponents, frame: Frame) -> None:
    """Connect the events of this section."""
    c = components
    standing = [c.stands, c.again, c.timer]
    frame.on_show("train", show, c.view)
    # submit and blur: a number that is being typed is not yet one.
    frame.on(
        [c.on.input, c.recipe.input, c.promotion.input, c.every.submit, c.every.blur],
        change,
        c.form,
        standing,
    )
    frame.on([c.again.click], again, [], standing)
    frame.on(c.timer.tick, tick, [], standing)


def _choices(session: Session, name: str, values: tuple[str, ...], chosen: str) -> Any:
    return gr.update(
        choices=[(session.text(f"train.retraining.{name}.{value}"), value) for value in values], value=chosen
    )


def _told(session: Session, state: RetrainingState) -> str:
    """One or two sentences: what failed, what runs, what the last run came to, and how many edits wait."""
    if state.failed:
        reason = state.failed_zh if session.language == "zh" and state.failed_zh else state.failed
        return session.text("train.retraining.failed", reason=code_span(reason))
    if not state.settled:
        return session.text("train.retraining.runs", run=code_span(state.run))
    parts = []
    if state.outcome:
        counts = {name: getattr(state, name) for name in ("fixed", "still_wrong", "newly_broken")}
        parts.append(session.text(f"train.retraining.{state.outcome}", run=code_span(state.run), **counts))
    settings = read_settings(session.workbench, session.project_id)
    if settings.on:
        waiting = edits_waiting(session.workbench, session.project_id)
        parts.append(session.text("train.retraining.waiting", count=waiting, every=settings.every))
    return "\n\n".join(parts)
