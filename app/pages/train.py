"""The Train page: what is learned from, the settings, and the run as it goes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import gradio as gr

from app.errors import AppError, sentence
from app.frame import Frame
from app.pages import train_form, train_view
from app.session import Session
from app.training_runs import plan_from_form, plan_of, start, state_of
from core.store import labels, projects, runs, snapshot
from core.store.errors import NotFound
from core.store.runs import Run
from core.training.message import TrainingError
from core.training.run_folder import RunFolder

TICK_SECONDS = 1.5
DEVICES = ("auto", "cpu", "cuda", "mps")
OUTPUTS = 15  # of ``follow``
PARTS = ("train", "dev", "test", "corrections")


@dataclass
class TrainComponents:
    """Left: what and how. Right: the run."""

    after_start: list[Any]
    material: gr.HTML
    tagger: gr.Radio
    device: gr.Dropdown
    device_why: gr.Markdown
    drawn: gr.Textbox
    loading: gr.Markdown
    again: gr.Column
    retrain: gr.Button
    run: gr.Dropdown
    compare: gr.Dropdown
    empty: gr.Markdown
    progress: gr.HTML
    cancel: gr.Button
    resume: gr.Button
    charts: gr.Column
    curves: gr.Plot
    log: gr.HTML
    result: gr.Column
    caption: gr.Markdown
    scores: gr.Dataframe
    bars: gr.Plot
    verdict: gr.Markdown
    decide: gr.Row
    serve: gr.Button
    keep: gr.Button
    message: gr.Markdown
    table: gr.Dataframe
    timer: gr.Timer


def layout(frame: Frame) -> TrainComponents:
    """Build the page inside its tab."""
    frame.texts.bind(gr.Markdown(elem_classes="ll-purpose"), value="train.purpose")
    with gr.Row(equal_height=False):
        with gr.Column(scale=2, min_width=320):
            left = _layout_left(frame)
        with gr.Column(scale=3, min_width=320):
            right = _layout_right(frame)
    return TrainComponents(**left, **right, timer=gr.Timer(TICK_SECONDS, active=False))


def _heading(frame: Frame, key: str) -> None:
    frame.texts.bind(gr.Markdown(elem_classes="ll-section"), value=key)


def _layout_left(frame: Frame) -> dict[str, Any]:
    texts = frame.texts
    _heading(frame, "train.material")
    material = gr.HTML(elem_id="train-material")
    _heading(frame, "train.tagger")
    tagger = gr.Radio([], show_label=False, elem_id="train-tagger", elem_classes="ll-cards")
    _heading(frame, "train.settings")
    loading = texts.bind(gr.Markdown(elem_classes="ll-how", elem_id="train-loading"), value="train.loading")
    device = texts.bind(
        gr.Dropdown(list(DEVICES), value="auto", elem_id="train-device"), label="train.device"
    )
    device_why = gr.Markdown(elem_classes="ll-how", elem_id="train-device-why")
    drawn = gr.Textbox(visible="hidden", show_label=False)
    after_start: list[Any] = []
    _draw_form(frame, tagger, device, drawn, after_start)
    with gr.Column(visible=False, elem_id="train-again") as again:
        retrain = texts.bind(gr.Button(elem_id="train-retrain"), value="train.retrain")
        texts.bind(gr.Markdown(elem_classes="ll-how"), value="train.retrain_how")
    return {
        "after_start": after_start, "material": material, "tagger": tagger, "device": device,
        "device_why": device_why, "drawn": drawn,
        "loading": loading, "again": again, "retrain": retrain,
    }  # fmt: skip


def _draw_form(
    frame: Frame, tagger: gr.Radio, device: gr.Dropdown, drawn: gr.Textbox, after_start: list[Any]
) -> None:
    """Draw the form here when project, language or tagger change; its button starts a run.

    Args:
        after_start: filled by ``wire`` with what a started run changes, before the form is first drawn.
    """

    @gr.render([frame.token, tagger], triggers=[drawn.change], show_progress="hidden")
    def form(token: str, tagger_name: str | None) -> None:
        if not token or not tagger_name:
            return
        try:
            session = frame.sessions.find(token)
            names, fields = train_form.build(session, tagger_name, _remember(tagger_name), frame.on)
        except Exception as error:
            raise gr.Error(sentence(error), print_exception=False) from error
        button = gr.Button(session.text("train.start"), variant="primary", elem_id="train-start")
        frame.on([button.click], start_from_form(names), [tagger, device, *fields], after_start)


def _layout_right(frame: Frame) -> dict[str, Any]:
    texts = frame.texts
    with gr.Row(equal_height=True):
        run = texts.bind(gr.Dropdown([], elem_id="train-run"), label="train.run")
        compare = texts.bind(
            gr.Dropdown([], multiselect=True, elem_id="train-compare"), label="train.compare"
        )
    empty = texts.bind(gr.Markdown(elem_classes="ll-empty", elem_id="train-empty"), value="train.no_runs")
    progress = gr.HTML(elem_id="train-progress", min_height=36)
    with gr.Row(elem_classes="ll-buttons"):
        cancel = texts.bind(gr.Button(visible=False, elem_id="train-cancel"), value="train.cancel")
        resume = texts.bind(
            gr.Button(visible=False, variant="primary", elem_id="train-resume"), value="train.resume"
        )
    with gr.Column(visible=False) as charts:
        curves = gr.Plot(show_label=False, elem_id="train-curves", elem_classes="ll-figure")
        texts.bind(gr.Markdown(elem_classes="ll-how"), value="train.curves_how")
    with gr.Column(visible=False, elem_id="train-result") as result:
        _heading(frame, "train.verdict")
        verdict = gr.Markdown(elem_id="train-verdict")
        with gr.Row(elem_classes="ll-buttons") as decide:
            serve = texts.bind(gr.Button(variant="primary", elem_id="train-serve"), value="train.serve")
            keep = texts.bind(gr.Button(elem_id="train-keep"), value="train.keep")
        message = gr.Markdown(elem_id="train-message")
        _heading(frame, "train.scores")
        caption = gr.Markdown(elem_classes="ll-how")
        scores = gr.Dataframe(
            datatype="str",
            interactive=False,
            show_label=False,
            max_height=420,
            buttons=[],
            elem_id="train-scores",
        )
        bars = gr.Plot(show_label=False, elem_id="train-bars", elem_classes="ll-figure")
        texts.bind(gr.Markdown(elem_classes="ll-how"), value="train.bars_how")
    with texts.bind(gr.Accordion(open=True, elem_id="train-log-box"), label="train.log"):
        log = gr.HTML(elem_id="train-log", elem_classes="ll-log")
    with texts.bind(gr.Accordion(open=False, elem_id="train-runs-box"), label="train.runs"):
        table = gr.Dataframe(
            datatype="str",
            interactive=False,
            show_label=False,
            max_height=320,
            buttons=[],
            elem_id="train-runs",
        )
    return {
        "run": run, "compare": compare, "empty": empty, "progress": progress, "cancel": cancel,
        "resume": resume,
        "charts": charts, "curves": curves, "log": log, "result": result, "caption": caption,
        "scores": scores, "bars": bars, "verdict": verdict, "decide": decide, "serve": serve, "keep": keep,
        "message": message, "table": table,
    }  # fmt: skip


def show(session: Session, tagger: str | None, run: str | None) -> tuple[Any, ...]:
    """Fill the page when it comes to the front.

    Outputs: material, tagger, device, device_why, loading, drawn, again, run, compare, table, and the view.
    """
    from core.taggers.registry import available

    info = session.workbench.device.wait(60)
    names = available()
    language = session.language
    cards = [(train_form.card(name, language), name) for name in names]
    chosen = tagger if tagger in names else names[0]
    known = [run.name for run in runs.all_runs(session.workspace, session.project_id)][::-1]
    running = session.workbench.jobs.running()
    in_view = _in_view(known, running.run if running else None, run)
    serving = session.workbench.serving_run(session.project_id)
    headers, rows = train_view.runs_rows(session)
    return (
        material_html(session),
        gr.update(choices=cards, value=chosen),
        session.workbench.device.wanted,
        info.why(language) if info else "",
        gr.update(visible=False),
        f"{session.project_id}|{language}|{chosen}",
        gr.update(visible=serving is not None),
        gr.update(choices=known, value=in_view),
        gr.update(choices=known),
        gr.update(value={"headers": headers, "data": rows}),
        *follow(session, in_view, []),
    )


def _in_view(known: Sequence[str], running: str | None, before: str | None) -> str | None:
    """The run to show: the one that runs, else the one shown before, else the latest."""
    wanted = [name for name in (running, before) if name in known]
    return wanted[0] if wanted else next(iter(known), None)


def material_html(session: Session) -> str:
    """What a snapshot taken now would hold, part by part and label by label."""
    counts = snapshot.counts(session.workspace, session.project_id)
    facts = []
    for part in PARTS:
        if part == "corrections" and not counts.documents[part]:
            continue
        value = session.text("train.fact.value", documents=counts.documents[part], spans=counts.spans[part])
        facts.append(
            f"<div><dt>{escape(session.text(f'train.fact.{part}'))}</dt><dd>{escape(value)}</dd></div>"
        )
    note = "" if counts.documents["dev"] else f'<p class="ll-how">{escape(session.text("train.no_dev"))}</p>'
    by_label = labels.span_counts(session.workspace, session.project_id)
    items = "".join(f"<div><dt>{escape(name)}</dt><dd>{count}</dd></div>" for name, count in by_label.items())
    heading = f'<p class="ll-how">{escape(session.text("train.spans_by_label"))}</p>'
    return f'<dl class="ll-facts">{"".join(facts)}</dl>{note}{heading}<dl class="ll-facts">{items}</dl>'


def follow(session: Session, run: str | None, compared: Sequence[str] | None) -> tuple[Any, ...]:
    """Everything about the run in view.

    Outputs: empty, progress, cancel, resume, charts, curves, log, result, caption, scores, bars, verdict,
    decide, message, timer.
    """
    session.memory.pop("train-seen", None)
    if run is None:
        hidden = gr.update(visible=False)
        nothing = ("", hidden, hidden, hidden, None, "", hidden, hidden, hidden, hidden, "", hidden, "")
        return gr.update(visible=True), *nothing, gr.Timer(active=False)
    return gr.update(visible=False), *_view(session, runs.get(session.workspace, run), list(compared or ()))


def tick(session: Session, run: str | None, compared: Sequence[str] | None) -> tuple[Any, ...]:
    """The same as ``follow`` while the run goes on, and nothing where nothing has changed."""
    if run is None or session.page != "train":
        return tuple(gr.skip() for _ in range(OUTPUTS))
    found = runs.get(session.workspace, run)
    state = state_of(session, found)
    seen = (state.status, state.fraction, state.message, found.status)
    if seen == session.memory.get("train-seen"):
        return tuple(gr.skip() for _ in range(OUTPUTS))
    session.memory["train-seen"] = seen
    return gr.skip(), *_view(session, found, list(compared or ()))


def _view(session: Session, run: Run, compared: list[str]) -> tuple[Any, ...]:
    state = state_of(session, run)
    compared = [name for name in compared if name != run.name]
    events = train_view.events_of(run)
    stored = run.status == "finished"
    problem = session.workbench.supervisor.problem(run.name)
    serving = session.workbench.serving_run(session.project_id)
    message = session.text("train.serves", run=run.name) if serving == run.name else ""
    if problem:
        message = session.text("train.not_stored", reason=problem)
    results: tuple[Any, ...] = (gr.skip(), gr.skip(), gr.skip(), "")
    if stored:
        results = (*train_view.scores_updates(session, run, compared), train_view.verdict_text(session, run))
    # Look once more after the end: the supervisor stores the results a moment later.
    active = state.active or (state.status == "finished" and not stored)
    return (
        train_view.progress_html(session, run, state),
        gr.update(visible=state.active),
        gr.update(visible=state.resumable and RunFolder(run.folder).request_file.is_file()),
        gr.update(visible=bool(events)),
        train_view.curves(session, [run.name, *compared]) if events else None,
        train_view.log_html(session, events),
        gr.update(visible=stored),
        *results,
        gr.update(visible=serving != run.name),
        message,
        gr.Timer(active=active),
    )


def start_from_form(names: Sequence[str]) -> Callable[..., tuple[Any, ...]]:
    """The callback of the form's button, for fields in this order."""

    def begin(session: Session, tagger: str, device: str, *values: Any) -> tuple[Any, ...]:
        plan = plan_from_form(tagger, dict(zip(names, values, strict=True)), device, session.workbench.limits)
        return _begun(session, start(session, plan))

    return begin


def retrain(session: Session, tagger: str, device: str) -> tuple[Any, ...]:
    """Train as the serving run was trained, on the documents as they are now."""
    serving = session.workbench.serving_run(session.project_id)
    try:
        if serving is None:
            raise NotFound("run", "serving")
        plan = plan_of(RunFolder(runs.get(session.workspace, serving).folder), device)
    except (NotFound, TrainingError):
        # The demo tagger came without a request: its kind with the defaults is the nearest thing.
        plan = plan_from_form(tagger, {}, device, session.workbench.limits)
    return _begun(session, start(session, plan))


def _begun(session: Session, run: Run) -> tuple[Any, ...]:
    """Put a new run in view: run, compare, table, then the view."""
    known = [item.name for item in runs.all_runs(session.workspace, session.project_id)][::-1]
    headers, rows = train_view.runs_rows(session)
    return (
        gr.update(choices=known, value=run.name),
        gr.update(choices=known),
        gr.update(value={"headers": headers, "data": rows}),
        *follow(session, run.name, []),
    )


def cancel(session: Session, run: str | None, compared: Sequence[str]) -> tuple[Any, ...]:
    """Ask the run to stop."""
    session.workbench.jobs.cancel(_chosen(run))
    return follow(session, run, compared)


def resume(session: Session, run: str | None, compared: Sequence[str]) -> tuple[Any, ...]:
    """Go on with a run that was stopped."""
    session.workbench.jobs.resume(_chosen(run))
    return follow(session, run, compared)


def serve(session: Session, run: str | None) -> str:
    """Let the run answer for the project.

    Raises:
        AppError: it has no finished model.
    """
    name = _chosen(run)
    if runs.get(session.workspace, name).status != "finished":
        raise AppError("train.error.not_finished", run=name)
    projects.set_serving(session.workspace, session.project_id, name)
    return session.text("train.served", run=name)


def keep(session: Session) -> str:
    """Leave things as they are, and say so."""
    serving = session.workbench.serving_run(session.project_id)
    return session.text("train.kept", run=serving or session.text("train.nobody"))


def _chosen(run: str | None) -> str:
    if run is None:
        raise AppError("train.error.no_run")
    return run


def _remember(tagger: str) -> Callable[[str], Callable[[Session, Any], None]]:
    def of_field(name: str) -> Callable[[Session, Any], None]:
        def keep_value(session: Session, value: Any) -> None:
            train_form.kept_values(session, tagger)[name] = value

        return keep_value

    return of_field


def wire(components: TrainComponents, frame: Frame) -> None:
    """Connect the page's events."""
    c = components
    view = [
        c.empty, c.progress, c.cancel, c.resume, c.charts, c.curves, c.log, c.result, c.caption, c.scores,
        c.bars, c.verdict, c.decide, c.message, c.timer,
    ]  # fmt: skip
    frame.on_show(
        "train",
        show,
        [
            c.material, c.tagger, c.device, c.device_why, c.loading, c.drawn, c.again, c.run, c.compare,
            c.table,
            *view,
        ],
        [c.tagger, c.run],
    )  # fmt: skip
    frame.on([c.tagger.input], _redraw, [c.tagger], [c.drawn])
    frame.on([c.run.input, c.compare.input], follow, [c.run, c.compare], view)
    frame.on(c.timer.tick, tick, [c.run, c.compare], view)
    frame.on([c.cancel.click], cancel, [c.run, c.compare], view)
    frame.on([c.resume.click], resume, [c.run, c.compare], view)
    begun = [c.run, c.compare, c.table, *view]
    frame.on([c.retrain.click], retrain, [c.tagger, c.device], begun, show_progress="minimal")
    frame.on([c.serve.click], serve, [c.run], [c.message])
    frame.on([c.keep.click], keep, [], [c.message])
    c.after_start += begun


def _redraw(session: Session, tagger: str) -> str:
    return f"{session.project_id}|{session.language}|{tagger}"
