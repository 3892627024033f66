"""The Embeddings tab: vectors of a whole corpus as points in the plane."""

from __future__ import annotations

from typing import Any

import gradio as gr

from app.i18n import _, ngettext, pgettext
from app.inspect.corpus.embeddings_view import EmbeddingsView, build, figure_of, note_of, sentence_of
from app.inspect.corpus.vector_map import UNITS, Asked, VectorMap, layers_of, vector_map
from app.inspect.figures.layer_titles import layer_title
from app.services import in_project
from app.services.errors import AppError, sentence
from app.services.session import Session
from app.ui.code_span import code_span
from app.ui.frame import Frame
from app.ui.runs.naming import run_choices
from app.ui.widgets.sentence import sentences_value
from app.ui.window.navigation import open_document
from app.ui.work import Report, on_work
from core.inspection.corpus.error_analysis import PARTS
from core.store.label import labels
from core.store.run import runs

STEPS = {
    "choosing": _("Choosing documents"),
    "answering": _("Tagging documents"),
    "reading": _("Reading states"),
    "projecting": _("Projecting"),
}

NAME = "embeddings"
DRAWN, PICKED = "embeddings-drawn", "embeddings-picked"


def layout(frame: Frame) -> EmbeddingsView:
    """Build it inside its tab."""
    return build(frame)


def show(session: Session, run: str | None, colour: str) -> dict[str, Any]:
    """List the run's layers and the runs to compare; clear the drawing of another run."""
    run_names = [other.name for other in runs.all_runs(session.workspace, session.project_id, "finished")]
    if run not in run_names:  # it may be a run of the previous project
        return _only_a_notice(
            session, session._("No tagger of this project can be opened yet. Train one first.")
        )
    try:
        names = layers_of(session, run)
    except Exception as error:  # reported here, so that the rest of the page is filled
        return _only_a_notice(session, code_span(sentence(error, session.language)))
    if not names:
        return _only_a_notice(
            session,
            session._(
                "{run} is a dictionary and has no hidden states. Choose a trained run above.",
                run=code_span(in_project.run_title(session, run)),
            ),
        )
    others = [(session._("no other run"), "")]
    others += [choice for choice in run_choices(session, run_names) if choice[1] != run]
    drawn = _drawn(session)
    same = bool(drawn) and drawn[0].asked.run == run
    layer = drawn[0].asked.layer if same else names[-1]
    beside = drawn[1].asked.run if same and len(drawn) > 1 else ""
    return {
        "notice": gr.update(visible=False),
        "board": gr.update(visible=True),
        "layer": gr.update(
            choices=[(layer_title(name, session.language), name) for name in names], value=layer
        ),
        "other": gr.update(choices=others, value=beside),
        **(redraw(session, colour) if same else cleared(session)),  # the language may have changed
    }


def _only_a_notice(session: Session, message: str) -> dict[str, Any]:
    notice = gr.update(value=message, visible=True)
    return {"notice": notice, "board": gr.update(visible=False), **cleared(session)}


def show_again(session: Session, run: str | None, colour: str, opened: bool) -> dict[str, Any]:
    """`show` if the tab has been opened: do not load a tagger for a hidden tab."""
    if opened:
        return show(session, run, colour)
    return {}


def cleared(session: Session) -> dict[str, Any]:
    """Clear the drawing."""
    session.memory.pop(DRAWN, None)
    return {
        "note": "",
        "figures_0": None,
        "figures_1": None,
        "second": gr.update(visible=False),
        **_nothing_picked(session),
    }


def draw(
    session: Session,
    report: Report,
    run: str | None,
    unit: str,
    layer: str | None,
    parts: list[str],
    method: str,
    colour: str,
    other: str | None,
) -> dict[str, Any]:
    """Read, project and draw.

    Raises:
        AppError: no run, no documents chosen, too few points.
    """
    if not run or not layer:
        raise AppError("No tagger of this project can be opened yet. Train one first.")
    chosen = tuple(part for part in PARTS if part in parts)
    if not chosen:
        raise AppError("Choose at least one kind of documents.")
    from core.inspection.representations.projection import TooFewVectors

    def tell(what: str, done: int, count: int) -> None:
        report(done, count, session._(STEPS[what]))

    asked = [Asked(run, layer, unit if unit in UNITS else "span", chosen)]
    if other and other != run:
        asked.append(Asked(other, layer, asked[0].unit, chosen))
    try:
        maps = [vector_map(session, _on_its_layer(session, query), method, tell) for query in asked]
    except TooFewVectors as error:
        raise AppError(
            ngettext(
                "There is only {count} point, and the map needs three. Choose more documents, or label some"
                " on the Annotate page.",
                "There are only {count} points, and the map needs three. Choose more documents, or label "
                "some on the Annotate page.",
            ),
            count=error.count,
        ) from error
    session.memory[DRAWN] = maps
    return redraw(session, colour)


def _on_its_layer(session: Session, asked: Asked) -> Asked:
    """The layer of that name in the run, else its highest one."""
    names = layers_of(session, asked.run)
    if not names:
        raise AppError(
            "{run} is a dictionary and has no hidden states. Choose a trained run above.",
            run=asked.run,
        )
    if asked.layer in names:
        return asked
    return Asked(asked.run, names[-1], asked.unit, asked.parts)


def redraw(session: Session, colour: str) -> dict[str, Any]:
    """Redraw the vectors in other colours."""
    maps = _drawn(session)
    if not maps:
        return cleared(session)
    figures = [figure_of(session, vectors, colour, titled=len(maps) > 1) for vectors in maps]
    return {
        "note": note_of(session, maps),
        "figures_0": figures[0],
        "figures_1": figures[1] if len(figures) > 1 else None,
        "second": gr.update(visible=len(figures) > 1),
        **_nothing_picked(session),
    }


def pick(session: Session, place: int, event: gr.EventData) -> dict[str, Any]:
    """Show the sentence of the clicked point of figure ``place``.

    Raises:
        AppError: there is no such point, or no longer.
    """
    maps, number = _drawn(session), getattr(event, "customdata", None)
    if isinstance(number, bool) or not isinstance(number, int) or place >= len(maps):
        raise AppError("The map has changed. Draw the points again.")
    points = maps[place].points
    if not 0 <= number < len(points):
        raise AppError("The map has changed. Draw the points again.")
    point, run = points[number], maps[place].asked.run
    session.memory[PICKED] = point.document_id
    outside = session._(pgettext("class", "no entity"))
    line = session._(
        "gold: {gold} · {run}: {predicted}",
        gold=code_span(point.gold or outside),
        run=code_span(in_project.run_title(session, run)),
        predicted=code_span(point.predicted or outside),
    )
    caption = f"{line}. {session._('Solid: gold. Dashed: predicted.')}"
    return {"caption": caption, "sentence": sentence_of(session, point, run), "open": gr.update(visible=True)}


def open_picked(session: Session) -> dict[str, Any]:
    """Open the selected document on the Annotate page."""
    document_id = session.memory.get(PICKED)
    if not isinstance(document_id, int):
        return gr.skip()
    open_document(session, document_id)
    return gr.update(selected="annotate")


def wire(view: EmbeddingsView, frame: Frame, tab: gr.Tab, run: gr.Dropdown) -> None:
    opened = gr.State(False)
    frame.then(
        frame.on([tab.select], show, [run, view.colour], view.shown), lambda session: True, [], [opened]
    )
    frame.on([run.change], show_again, [run, view.colour, opened], view.shown)
    frame.on_show("inspect", show_again, view.shown, [run, view.colour, opened])
    asked = [run, view.unit, view.layer, view.parts, view.method, view.colour, view.other]
    on_work(
        frame, view.work, [view.draw.click], draw, asked, view.drawn,
        doing=_("drawing the map"), done=_("map drawn"),
    )  # fmt: skip
    frame.on([view.colour.input], redraw, [view.colour], view.drawn)
    for place, figure in enumerate(view.figures):
        frame.on(figure.bar.pick, _picked_in(place), [], view.picked)
    frame.on([view.open.click], open_picked, [], [frame.tabs])


def _picked_in(place: int) -> Any:
    def picked(session: Session, event: gr.EventData) -> dict[str, Any]:
        return pick(session, place, event)

    return picked


def _drawn(session: Session) -> list[VectorMap]:
    maps = session.memory.get(DRAWN)
    return maps if isinstance(maps, list) else []


def _nothing_picked(session: Session) -> dict[str, Any]:
    session.memory.pop(PICKED, None)
    label_set = labels.get(session.workspace, session.project_id)
    return {
        "caption": session._("Click a point to read its sentence here."),
        "sentence": sentences_value([], label_set),
        "open": gr.update(visible=False),
    }
