"""Pretraining on the project's own text: vectors, a masked language model or a biLM to start from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import Any

import gradio as gr

from app.i18n import _
from app.services.rights import needs
from app.services.session import Session
from app.services.training.pretraining import (
    METHODS,
    Pretrained,
    delete,
    result_of,
    results_of,
    stamp,
    start_pretraining,
)
from app.train import pretrain_form
from app.train.figures.pretraining_curves import pretraining_curves
from app.train.form import DRAWN_ALONE
from app.train.pretrain_view import about_html, material_html, progress_html, table_html
from app.ui.callback import refusal
from app.ui.code_span import code_span
from app.ui.frame import Frame
from app.ui.runs.job_in_view import JobInView
from app.ui.widgets.lazy_plot import LazyPlot, lazy_plot

CARD_NAMES = {
    "vectors": _(
        "Vectors: word2vec or fastText of characters, pairs and words; minutes. For FLAT, SoftLexicon, LSTMs"
    ),
    "mlm": _(
        "Masked language model: continue pretraining an encoder, or a tiny new BERT; slow without a GPU. For "
        "BERT"
    ),
    "bilm": _("biLM: two LSTMs that predict the next and the last token; hours on much text. For ELMo"),
}

TICK_SECONDS = 1.5
IN_VIEW = JobInView("train", "pretrain")


@dataclass
class PretrainComponents:
    """Data, kind, settings, and the current result.

    ``offered`` is hidden; it changes when the tagger's form has other results to offer.
    """

    box: gr.Accordion
    material: gr.HTML
    method: gr.Radio
    name: gr.Textbox
    drawn: gr.Textbox
    after_start: list[Any]
    result: gr.Dropdown
    progress: gr.HTML
    cancel: gr.Button
    resume: gr.Button
    delete: gr.Button
    curves: LazyPlot
    about: gr.HTML
    table: gr.HTML
    message: gr.Markdown
    offered: gr.Textbox
    timer: gr.Timer

    @property
    def view(self) -> list[Any]:
        """The outputs of ``follow``."""
        return [
            self.progress, self.cancel, self.resume, self.delete, self.curves, self.about, self.table,
            self.message, self.offered, self.timer,
        ]  # fmt: skip


def layout(frame: Frame, box: gr.Accordion) -> PretrainComponents:
    """Build the section inside ``box``; its form is drawn when the box is first opened."""
    texts = frame.texts
    texts.purpose(
        _(
            "Pretrain vectors or a language model on raw text. The form above then offers the result "
            "by its name."
        )
    )
    after_start: list[Any] = []
    with gr.Row(equal_height=False):
        with gr.Column(scale=2, min_width=320):
            material = gr.HTML(elem_id="pretrain-material")
            method = texts.bind(
                gr.Radio(show_label=False, elem_id="pretrain-method", elem_classes="ll-cards"),
                choices=[(CARD_NAMES[name], name) for name in METHODS],
                chosen=METHODS[0],
            )
            name = texts.bind(
                gr.Textbox(max_lines=1, interactive=True, elem_id="pretrain-name"),
                label=_("Name of the result"),
                info=_("The result is offered under this name in the taggers' forms."),
            )
            drawn = gr.Textbox(visible="hidden", show_label=False)
            _draw_form(frame, method, name, drawn, after_start)
        with gr.Column(scale=3, min_width=320):
            result = texts.bind(gr.Dropdown([], elem_id="pretrain-result"), label=_("Pretrained so far"))
            progress = gr.HTML(elem_id="pretrain-progress", min_height=36)
            with gr.Row(elem_classes="ll-buttons"):
                cancel = texts.button(_("Cancel"), visible=False, elem_id="pretrain-cancel")
                resume = texts.button(
                    _("Resume this run"), visible=False, variant="primary", elem_id="pretrain-resume"
                )
                remove = texts.button(_("Delete"), visible=False, elem_id="pretrain-delete")
            message = gr.Markdown(elem_id="pretrain-message")
            curves = lazy_plot("pretrain-curves", visible=False)
            about = gr.HTML(elem_id="pretrain-about")
            table = gr.HTML(elem_id="pretrain-table")
            offered = gr.Textbox(visible="hidden", show_label=False)
    timer = gr.Timer(TICK_SECONDS, active=False)
    return PretrainComponents(
        box, material, method, name, drawn, after_start, result, progress, cancel, resume, remove, curves,
        about, table, message, offered, timer,
    )  # fmt: skip


def _draw_form(
    frame: Frame, method: gr.Radio, name: gr.Textbox, drawn: gr.Textbox, after_start: list[Any]
) -> None:
    """Draw the fields of the kind chosen; the button below them starts a run.

    Args:
        after_start: filled by ``wire`` with what a started run changes, before the form is first drawn.
    """
    missed = gr.Textbox("", visible="hidden", show_label=False)
    listen = partial(frame.on, page="train")

    @gr.render([frame.token, method], triggers=[drawn.change], show_progress="hidden", **DRAWN_ALONE)
    def form(token: str, chosen: str | None) -> None:
        if not token or chosen not in METHODS:
            return
        try:
            session = frame.session_of(token)
            fields = pretrain_form.build(session, chosen, listen, missed)
        except Exception as error:
            raise refusal(error) from error
        button = gr.Button(
            session._("Start pretraining"),
            variant="primary",
            elem_id="pretrain-start",
            elem_classes="ll-long",
        )
        listen([button.click], start_from_form(list(fields)), [method, name, *fields.values()], after_start)


def show(session: Session, method: str | None, run: str | None, drawn: str = "") -> dict[str, Any]:
    """Fill the section with the page.

    While a run goes on the section is open, also after a reload.

    Args:
        drawn: the current form; none is drawn until the section is opened.
    """
    filled = unfold(session, method, run)
    del filled["offered"]  # the page draws the tagger's form with it; once more, and a click would be lost
    if any(item.state.active for item in results_of(session)):
        filled["box"] = gr.update(open=True)
    elif not drawn:
        del filled["drawn"]
    return filled


def unfold(session: Session, method: str | None, run: str | None) -> dict[str, Any]:
    """Fill the section when it is opened, its form too."""
    results = results_of(session)
    names = [item.run for item in results]
    active = next((item.run for item in results if item.state.active), None)
    in_view = active or (run if run in names else next(iter(names), None))
    return {
        "material": material_html(session),
        "drawn": f"{session.project_id}|{session.language}|{method}|{len(results)}",
        "result": _choices(results, in_view),
        **follow(session, in_view),
    }


def redraw(session: Session, method: str | None) -> str:
    """Draw the form of another kind."""
    return f"{session.project_id}|{session.language}|{method}"


def start_from_form(names: Sequence[str]) -> Callable[..., dict[str, Any]]:
    """The callback of the form's button, for fields in this order."""

    @needs("train")
    def begin(session: Session, method: str, name: str, *values: Any) -> dict[str, Any]:
        run = start_pretraining(session, method, name, dict(zip(names, values, strict=True)))
        return {"result": _choices(results_of(session), run), **follow(session, run)}

    return begin


def follow(session: Session, run: str | None) -> dict[str, Any]:
    """The result in view and the list of all."""
    IN_VIEW.turn_to(session, run)
    results = results_of(session)
    if run is None or all(item.run != run for item in results):
        hidden = gr.update(visible=False)
        none = session._("Nothing has been pretrained yet. Choose a kind, give it a name, and start.")
        empty = f'<p class="ll-empty">{escape(none)}</p>'
        table = table_html(session, results) or empty
        return {
            **dict.fromkeys(("cancel", "resume", "delete", "curves"), hidden),
            **dict.fromkeys(("progress", "about", "message"), ""),
            "table": table,
            "offered": stamp(session, results),
            "timer": gr.Timer(active=False),
        }
    return _view(session, result_of(session, run), results)


def tick(session: Session, run: str | None) -> dict[str, Any]:
    """``follow`` while a run is active; no values if nothing has changed."""

    def news(run: str) -> dict[str, Any]:
        item = result_of(session, run)
        moved = IN_VIEW.has_moved(session, item.state)
        return _view(session, item, results_of(session)) if moved else {}

    return IN_VIEW.tick(session, run, news)


def _view(session: Session, item: Pretrained, results: Sequence[Pretrained]) -> dict[str, Any]:
    state = item.state
    events = session.workbench.jobs.folder(item.run).events()
    curved = any(event.get("event") == "epoch" for event in events)
    return {
        "progress": progress_html(session, item, events),
        "cancel": gr.update(visible=state.active),
        "resume": gr.update(visible=state.resumable),
        "delete": gr.update(visible=not state.active),
        "curves": gr.update(
            value=pretraining_curves(events, session.language) if curved else None, visible=curved
        ),
        "about": about_html(session, item, events),
        "table": table_html(session, results),
        "message": "",
        "offered": stamp(session, results),
        "timer": gr.Timer(active=state.active),
    }


@needs("train")
def cancel(session: Session, run: str | None) -> dict[str, Any]:
    """Ask the run to stop."""
    session.workbench.jobs.cancel(result_of(session, run).run)
    return follow(session, run)


@needs("train")
def resume(session: Session, run: str | None) -> dict[str, Any]:
    """Resume a stopped run."""
    session.workbench.check_room()
    session.workbench.jobs.resume(result_of(session, run).run)
    return follow(session, run)


@needs("train")
def remove(session: Session, run: str | None) -> dict[str, Any]:
    """Delete the current result and show the next one."""
    name = delete(session, run)
    results = results_of(session)
    following = next((item.run for item in results), None)
    message = session._(
        "{name} is deleted. Taggers trained from it keep what they have.", name=code_span(name)
    )
    return {"result": _choices(results, following), **follow(session, following), "message": message}


def _choices(results: Sequence[Pretrained], value: str | None) -> dict[str, Any]:
    return gr.update(choices=[(item.name, item.run) for item in results], value=value)


def wire(components: PretrainComponents, frame: Frame) -> None:
    """Connect the section's events."""
    c = components
    shown = [c.material, c.drawn, c.result, *c.view]
    frame.on_show("train", show, [c.box, *shown], [c.method, c.result, c.drawn])
    frame.on([c.box.expand], unfold, [c.method, c.result], shown)
    frame.on([c.method.input], redraw, [c.method], [c.drawn])
    frame.on([c.result.input], follow, [c.result], c.view)
    frame.on(c.timer.tick, tick, [c.result], c.view)
    frame.on([c.cancel.click], cancel, [c.result], c.view)
    frame.on([c.resume.click], resume, [c.result], c.view)
    frame.on([c.delete.click], remove, [c.result], [c.result, *c.view])
    c.after_start += [c.result, *c.view]
