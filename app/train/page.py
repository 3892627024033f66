"""The Train page: training data, settings, and the run's progress."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from typing import Any

import gradio as gr

from app.i18n import _
from app.services import in_project
from app.services.rights import needs
from app.services.session import Session
from app.services.training.pretraining import results_of, stamp
from app.services.training.training_runs import fitted, plan_from_form, plan_like, start
from app.services.training.workers import most_workers
from app.train import best, pretrain, recipe
from app.train import form as train_form
from app.train import retraining as train_retraining
from app.train import teacher as teacher_choice
from app.train.material import material_html
from app.ui.callback import refusal
from app.ui.frame import Frame
from app.ui.headings import section_heading
from app.ui.lacking import needs_class, who_may
from app.ui.runs import panel as run_panel
from core.store.db.errors import NotFound
from core.store.project import nesting
from core.store.run import runs, snapshot
from core.store.run.runs import Run
from core.training.run.errors import TrainingError

_listings = count(1)
DEVICES = ("auto", "cpu", "cuda", "mps")


@dataclass
class TrainComponents:
    """Data and settings on the left, the run on the right, search, pretraining and recipe below."""

    after_start: list[Any]
    material: gr.HTML
    tagger: gr.Radio
    device: gr.Dropdown
    device_why: gr.Markdown
    workers: gr.Number
    drawn: gr.Textbox
    listing: gr.Textbox
    loading: gr.Markdown
    again: gr.Column
    retrain: gr.Button
    teacher: teacher_choice.TeacherComponents
    retraining: train_retraining.RetrainingComponents
    run: run_panel.RunComponents
    best: best.BestComponents
    pretrain: pretrain.PretrainComponents
    recipe: recipe.RecipeComponents


def layout(frame: Frame) -> TrainComponents:
    """Build the page inside its tab."""
    frame.texts.purpose(
        _("Train a tagger on this project's labelled documents. You can close the page; the run goes on.")
    )
    with gr.Row(equal_height=False):
        with gr.Column(scale=2, min_width=320, elem_id="train-settings"):
            left = _layout_left(frame)
        with gr.Column(scale=3, min_width=320, elem_id="train-side"):
            right = run_panel.layout(frame)
    with frame.texts.bind(
        gr.Accordion(open=False, elem_id="train-best", elem_classes=needs_class("train")),
        label=_("Find the best for me"),
    ) as box:
        search = best.layout(frame, box)
    with frame.texts.bind(
        gr.Accordion(open=False, elem_id="train-pretrain", elem_classes=needs_class("train")),
        label=_("Pretrain on your own text"),
    ) as box:
        before = pretrain.layout(frame, box)
    with frame.texts.bind(
        gr.Accordion(open=False, elem_id="train-recipe", elem_classes=needs_class("train")),
        label=_("Training recipe"),
    ):
        trial = recipe.layout(frame)
    return TrainComponents(**left, run=right, best=search, pretrain=before, recipe=trial)


def _layout_left(frame: Frame) -> dict[str, Any]:
    texts = frame.texts
    section_heading(frame.texts, _("Training data"))
    material = gr.HTML(elem_id="train-material")
    who_may(texts, "train")
    with gr.Column(elem_classes=needs_class("train")):
        section_heading(frame.texts, _("Tagger"))
        loading = texts.hint(
            _("Loading the taggers; this takes some seconds the first time."), elem_id="train-loading"
        )
        listing = gr.Textbox(visible="hidden", show_label=False)  # a key when the taggers are still to come
        tagger = gr.Radio([], show_label=False, elem_id="train-tagger", elem_classes="ll-cards")
        section_heading(frame.texts, _("Settings"))
        device = texts.bind(
            gr.Dropdown(list(DEVICES), value="auto", elem_id="train-device"), label=_("Device")
        )
        device_why = gr.Markdown(elem_classes="ll-how", elem_id="train-device-why")
        workers = texts.bind(
            gr.Number(1, minimum=1, precision=0, interactive=True, visible=False, elem_id="train-workers"),
            label=_("Workers"),
            info=_("Processes of this machine that train together (Ray), with the threads below for each."),
        )
        drawn = gr.Textbox(visible="hidden", show_label=False)
        after_start: list[Any] = []
        place = gr.Column()
        teacher = teacher_choice.layout(frame)
        with place:  # above the teacher, of whom the form's button asks
            _draw_form(frame, tagger, [device, workers], teacher, drawn, after_start)
        with gr.Column(visible=False, elem_id="train-again") as again:
            retrain = texts.button(
                _("Retrain with corrections"), elem_id="train-retrain", elem_classes="ll-long"
            )
            texts.hint(_("Same tagger and settings as the active run, on the current documents."))
        retraining = train_retraining.layout(frame)
    return {
        "after_start": after_start, "material": material, "tagger": tagger, "device": device,
        "device_why": device_why, "workers": workers, "drawn": drawn,
        "listing": listing, "loading": loading, "again": again, "retrain": retrain, "retraining": retraining,
        "teacher": teacher,
    }  # fmt: skip


def _draw_form(
    frame: Frame,
    tagger: gr.Radio,
    machine: Sequence[Any],
    teacher: teacher_choice.TeacherComponents,
    drawn: gr.Textbox,
    after_start: list[Any],
) -> None:
    """Draw the form here when project, language or tagger change; its button starts a run.

    Args:
        machine: the fields of the device and of the workers.
        after_start: filled by ``wire`` with what a started run changes, before the form is first drawn.
    """
    missed = gr.Textbox("", visible="hidden", show_label=False)
    listen = partial(frame.on, page="train")

    @gr.render(
        [frame.token, tagger], triggers=[drawn.change], show_progress="hidden", **train_form.DRAWN_ALONE
    )
    def form(token: str, tagger_name: str | None) -> None:
        if not token or not tagger_name:
            return
        try:
            session = frame.session_of(token)
            names, fields = train_form.build(session, tagger_name, listen, missed)
        except Exception as error:
            raise refusal(error) from error
        button = gr.Button(
            session._("Start training"), variant="primary", elem_id="train-start", elem_classes="ll-long"
        )
        given = [tagger, *machine, teacher.teacher, teacher.share, *fields]
        listen([button.click], start_from_form(names), given, after_start)


def show(session: Session, tagger: str | None, run: str | None) -> dict[str, Any]:
    """Fill the page when it is shown: at once, without the taggers until those are loaded."""
    run_names = [run.name for run in runs.all_runs(session.workspace, session.project_id)][::-1]
    running = session.workbench.jobs.running()
    in_view = _in_view(run_names, running.run if running else None, run)
    active = session.workbench.active_run(session.project_id)
    taggers = list_taggers(session, tagger) if train_form.are_loaded() else {"listing": f"{next(_listings)}"}
    return {
        "material": material_html(session),
        "device": session.workbench.device.wanted,
        "workers": gr.update(visible=most_workers(session.workbench) > 1),
        "again": gr.update(visible=active is not None),
        # Set even if it is what was asked for: that may stand in the address alone.
        **run_panel.pickers(session, in_view),
        **run_panel.follow(session, in_view, []),
        **taggers,
    }


def list_taggers(session: Session, tagger: str | None) -> dict[str, Any]:
    """The cards of the taggers, and what is drawn for the chosen one; the first time it takes seconds."""
    info = session.workbench.device.wait(60)
    nested = nesting.is_nested(session.workspace, session.project_id)
    names = train_form.in_order(nested=nested)
    language = session.language
    chosen = tagger if tagger in names else names[0]
    return {
        "tagger": gr.update(
            choices=[(train_form.card(name, language), name) for name in names], value=chosen
        ),
        "device_why": info.why(language) if info else "",
        "loading": gr.update(visible=False),
        "drawn": _drawing(session, chosen),
    }


def _in_view(names: Sequence[str], running: str | None, before: str | None) -> str | None:
    """The run to show: the active job's, else the previous one, else the latest."""
    wanted = [name for name in (running, before) if name in names]
    return wanted[0] if wanted else next(iter(names), None)


def start_from_form(names: Sequence[str]) -> Callable[..., dict[str, Any]]:
    """The callback of the form's button, for fields in this order."""

    @needs("train")
    def begin(
        session: Session,
        tagger: str,
        device: str,
        workers: int | None,
        chosen: str | None,
        share: float | None,
        *values: Any,
    ) -> dict[str, Any]:
        given = dict(zip(names, values, strict=True))
        teacher = teacher_choice.teacher_of(session, chosen, share)
        plan = plan_from_form(tagger, train_form.settled(session, tagger, given), device)
        return _begun(session, start(session, replace(plan, teacher=teacher, workers=workers or 1)))

    return begin


@needs("train")
def retrain(session: Session, tagger: str, device: str) -> dict[str, Any]:
    """Train like the active run, on the current documents."""
    from core.taggers.base.tagger import ModelFolderError

    active = session.workbench.active_run(session.project_id)
    try:
        if active is None:
            raise NotFound("run", "active")
        plan = plan_like(session.workbench, in_project.run(session, active), device)
    except (NotFound, TrainingError, ModelFolderError):
        # Its training request is unknown: use the defaults of this tagger's form.
        documents = snapshot.counts(session.workspace, session.project_id)["train"].documents
        plan = plan_from_form(tagger, fitted(tagger, {}, documents), device)
    return _begun(session, start(session, plan))


def _begun(session: Session, run: Run) -> dict[str, Any]:
    """Show a new run."""
    return {**run_panel.pickers(session, run.name), **run_panel.follow(session, run.name, [])}


def wire(components: TrainComponents, frame: Frame) -> None:
    """Connect the page's events."""
    c, right = components, components.run
    frame.address("train", run=right.run)
    frame.on_show(
        "train",
        show,
        [
            c.material, c.tagger, c.device, c.device_why, c.workers, c.listing, c.loading, c.drawn, c.again,
            right.run, right.compare, right.all_runs, *right.view,
        ],
        [c.tagger, right.run],
    )  # fmt: skip
    listed = [c.tagger, c.device_why, c.loading, c.drawn]
    frame.on([c.listing.change], list_taggers, [c.tagger], listed)
    frame.on([c.tagger.input, c.pretrain.offered.change], _redraw, [c.tagger, c.drawn], [c.drawn])
    begun = [right.run, right.compare, right.all_runs, *right.view]
    frame.on([c.retrain.click], retrain, [c.tagger, c.device], begun, show_progress="minimal")
    train_retraining.wire(c.retraining, frame)
    teacher_choice.wire(c.teacher, frame)
    run_panel.wire(right, frame)
    best.wire(c.best, frame, begun)
    pretrain.wire(c.pretrain, frame)
    recipe.wire(c.recipe, frame)
    c.after_start += begun


def _redraw(session: Session, tagger: str, drawn: str) -> Any:
    """The key of the form, if it is another one than it was drawn with: drawn anew it would lose a click."""
    key = _drawing(session, tagger)
    return gr.skip() if key == drawn else key


def _drawing(session: Session, tagger: str) -> str:
    """A key that changes when the form must be redrawn."""
    return f"{session.project_id}|{session.language}|{tagger}|{stamp(session, results_of(session))}"
