"""Long work on a page: a bar with rate and time left, and a button that cancels it.

The work runs in the background; the page follows it, and so does the status bar. Turning to another page, or
reloading, does not end it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import gradio as gr

from app.i18n import Message, _
from app.services.background import work as works
from app.services.background.tasks import Task, Work
from app.services.errors import AppError
from app.services.session import Session
from app.ui.frame import Frame, Outputs
from app.ui.progress import bar, progress_text

# Called by the work with the arguments of `Task.count`, the step last and optional; raises `Stopped` once it
# is cancelled.
Report = Callable[..., None]


class Following:
    """A `Report` of work whose rows are shown as they come.

    Args:
        task: it adds its rows to it.
    """

    def __init__(self, task: Task[Any]) -> None:
        self.task = task

    def __call__(self, done: int, total: int, what: str = "", fraction: float | None = None) -> None:
        self.task.count(what, done, total, fraction)


ANSWER = "answer"  # the name of a single output
QUICK = 0.4  # seconds; work of choices that ends sooner shows no bar


@dataclass(frozen=True)
class OfChoices:
    """Work that follows from what is chosen on a page, not from a button.

    The work of other choices takes the place of what goes on; that of the same is followed, as after a
    reload. An answer is drawn only while the choices are the present ones.

    Args:
        of: ``of(session, *inputs)`` names what is asked; None: nothing, and what goes on is cancelled.
        draw: ``draw(session, result, *inputs)`` fills the outputs with what the work returned.
        unanswered: ``unanswered(session, ended)`` fills them while there is no answer: the work goes on, or
            it has ended without one, cancelled or by an error.
    """

    of: Callable[..., Hashable | None]
    draw: Callable[..., dict[str, Any]]
    unanswered: Callable[[Session, bool], dict[str, Any]]


@dataclass(frozen=True)
class UnderWay:
    """The latest work of choices, and what it was asked."""

    asked: Hashable
    work: Work


@dataclass
class WorkView:
    """The bar and the button; named after their ids."""

    bar: gr.HTML
    stop: gr.Button


AWAY = {"bar": "", "stop": gr.update(visible=False)}


def work_view(frame: Frame, elem_id: str) -> WorkView:
    """An empty bar, without a button until work begins."""
    shown = gr.HTML(elem_id=elem_id, elem_classes="ll-work-bar")
    with gr.Row(elem_classes="ll-buttons"):
        stop = gr.Button(visible=False, size="sm", elem_id=f"{elem_id}-stop")
        frame.texts.bind(stop, value=_("Cancel"))

    def cancel(session: Session) -> None:
        number = session.memory.get(elem_id)
        if isinstance(number, int):
            works.cancel(session, number)

    frame.on([stop.click], cancel)
    return WorkView(shown, stop)


def on_work(
    frame: Frame,
    view: WorkView,
    triggers: Sequence[Any],
    fn: Callable[..., Any],
    inputs: Sequence[Any],
    outputs: Outputs,
    *,
    doing: Message,
    done: Message,
    kept: bool = False,
    rows: Callable[..., dict[str, Any]] | None = None,
    choices: OfChoices | None = None,
) -> Any:
    """Call ``fn(session, report, *inputs)`` in the background; fill ``outputs`` as `Frame.on` does.

    Args:
        fn: calls ``report`` now and then; after that it may be cancelled, and then answers nothing. Where
            there are ``rows`` it takes a `Following`.
        doing, done: what the status bar says, as "exporting documents" and "documents exported".
        kept: whether what it has done stays when it is cancelled.
        rows: ``rows(session, rows, *inputs)`` fills outputs whenever the work has added to its rows.
        choices: for work that follows from choices. Without it the callback raises AppError while the same
            work of this session goes on.

    Returns:
        The event, which succeeds also if the work was cancelled: what was done until then is kept.
    """
    named = {name or ANSWER: component for name, component in frame.named(outputs).items()}

    elem_id = view.bar.elem_id or ""

    def begin(session: Session, *values: Any) -> Work:
        work = works.begin(session, lambda task: fn(session, Following(task), *values), doing, done)
        session.memory[elem_id] = work.id
        return work

    def follow(session: Session, work: Work, *values: Any) -> Iterator[dict[Any, Any]]:
        drawn = 0
        for _change in work.task.changes():
            came = list(work.task.rows)
            shown = rows(session, came, *values) if rows is not None and len(came) > drawn else {}
            drawn = len(came)
            bar = {"bar": bar_of(session, work.task, doing), "stop": gr.update(visible=work.task.running)}
            yield {**shown, **bar}

    def steps(session: Session, *values: Any) -> Iterator[dict[Any, Any]]:
        # After a reload the button can be pressed again.
        if works.goes_on(session, session.memory.get(elem_id)):
            raise AppError(
                "This is already running. Wait for it to finish, or cancel it in the bar at the bottom."
            )
        work = begin(session, *values)
        yield from follow(session, work, *values)
        if work.task.error is not None:
            yield dict(AWAY)
            raise work.task.error
        yield {**_answered(session, work.task, named, kept=kept), "stop": gr.update(visible=False)}

    def steps_of_choices(session: Session, *values: Any) -> Iterator[dict[Any, Any]]:
        assert choices is not None
        memory, call = session.memory, object()
        memory[f"{elem_id}-call"] = call
        asked, under_way = choices.of(session, *values), memory.get(f"{elem_id}-under-way")

        def is_asked() -> bool:
            """Whether neither the project nor the choices have changed since."""
            return not session.is_left and memory.get(f"{elem_id}-call") is call

        work = None
        if isinstance(under_way, UnderWay) and under_way.work.task.running:
            if under_way.asked == asked:
                work = under_way.work
            else:
                under_way.work.task.stop()
        if asked is None:
            yield dict(AWAY)
            return
        if work is None:
            work = begin(session, *values)
            memory[f"{elem_id}-under-way"] = UnderWay(asked, work)
        if not work.task.wait(QUICK):
            for step in follow(session, work, *values):
                if not is_asked():
                    return
                yield {**choices.unanswered(session, False), **step}
            yield dict(AWAY)  # before the answer is drawn, which would move up when the bar goes
        if not is_asked():
            return
        if work.task.error is not None or work.task.stopped:
            answer = {} if work.task.error is not None else _answered(session, work.task, named, kept=kept)
            yield {**AWAY, **choices.unanswered(session, True), **answer}
            if work.task.error is not None:
                raise work.task.error
            return
        yield {**AWAY, **choices.draw(session, work.task.result, *values)}

    outputs = {**named, "bar": view.bar, "stop": view.stop}
    if choices is None:
        return frame.on(triggers, steps, inputs, outputs)
    return frame.on(triggers, steps_of_choices, inputs, outputs, trigger_mode="multiple")


def bar_of(session: Session, task: Task[Any], doing: Message) -> str:
    """The bar of a task: what it does and how many are done, rate and time left."""
    left = session._(doing)
    if task.doing:
        left = session._("{work}: {step}", work=left, step=task.doing)
    return bar(task.fraction, left, progress_text(session.live.language, task))


def _answered(session: Session, task: Task[Any], named: dict[Any, Any], *, kept: bool) -> dict[Any, Any]:
    if task.stopped:
        said = session._(_("Cancelled. What was done until then is kept.") if kept else _("Cancelled."))
        return {"bar": f'<p class="ll-how">{escape(said)}</p>'}
    answer = {ANSWER: task.result} if ANSWER in named else task.result or {}
    return {"bar": "", **answer}
