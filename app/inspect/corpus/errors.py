"""The Errors tab: errors of a run over all labelled documents, down to single sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import gradio as gr

from app.i18n import _, ngettext, pgettext
from app.inspect.corpus.error_analysis import analysis_of
from app.inspect.corpus.errors_list import (
    FINDERS,
    Analysis,
    Finder,
    Picked,
    all_mistakes,
    contradictory,
    index,
    rows_of,
    sure_against,
)
from app.inspect.corpus.errors_reading import (
    CALLS,
    ask_again,
    asked_of,
    one_of,
    open_tab,
    project_run,
    read_all,
    unanswered,
)
from app.inspect.corpus.errors_view import (
    THRESHOLDS,
    WINDOWS,
    ErrorsView,
    build,
    ece_line,
    figures_of,
    scores_line,
)
from app.inspect.figures.errors import label_confusion
from app.inspect.opening import ask_about
from app.inspect.widgets.error_rows import rows_value
from app.services import in_project
from app.services.errors import AppError
from app.services.rights import needs
from app.services.session import Session
from app.ui.code_span import code_span
from app.ui.frame import Frame
from app.ui.window.navigation import open_document
from app.ui.work import OfChoices, Report, on_work
from core.inspection.corpus.error_analysis import PARTS, TRAINING, Judged
from core.store.label import labels
from core.store.run.predicted import predicted_documents

COUNTED = {
    "contradictions": (
        ngettext("Show {count} contradiction", "Show {count} contradictions"),
        _("No contradictions"),
    ),
    "against": (ngettext("Show {count} span", "Show {count} spans"), _("No such spans")),
}

NAME = "errors"
PAGE = 20
PICKED = "inspect-errors-picked"


def layout(frame: Frame) -> ErrorsView:
    """Build it inside its tab."""
    return build(frame)


def show(
    session: Session, run: str | None, parts: Sequence[str], hide: bool, window: int, threshold: float
) -> dict[str, Any]:
    """Fill the whole tab."""
    chosen = project_run(session, run)
    analysis = analysis_of(session, chosen, parts) if chosen and parts else None
    if analysis is None or not analysis.judged.ids:
        return _nothing(session, analysis, bool(chosen))
    unpredicted = analysis.judged.unpredicted
    session.memory[PICKED] = all_mistakes(session, analysis)
    return {
        "notice": gr.update(visible=False),
        "answer": _answer_button(session, analysis.run, unpredicted),
        "board": gr.update(visible=True),
        "scores": gr.update(visible=True, value=scores_line(session, analysis)),
        **figures_of(session, analysis, hide),
        "ece": ece_line(session, analysis),
        **_data(session, analysis, window, threshold),
        **show_list(session, 0),
    }


def draw(session: Session, _result: None, front: bool, *asked: Any) -> dict[str, Any]:
    """Fill the tab with what was read."""
    return {"again": gr.update(visible=False), **show(session, *asked)}


def _nothing(session: Session, analysis: Analysis | None, has_run: bool) -> dict[str, Any]:
    """Explain what to do if there is nothing to compare."""
    off = gr.update(visible=False)
    if analysis is None:
        notice, button = (
            session._(
                _("Choose at least one kind of documents.")
                if has_run
                else _("No tagger of this project can be opened yet. Train one first.")
            ),
            off,
        )
    elif not analysis.judged.labelled:
        notice, button = (
            session._(
                "No labelled documents here. Choose another kind above, or label some on the Annotate page."
            ),
            off,
        )
    else:
        missing = analysis.judged.unpredicted
        notice = session.ngettext(
            "{run} has no prediction for {count} document of these splits yet. Predict it to see the errors.",
            "{run} has no predictions for {count} documents of these splits yet. Predict them to see the "
            "errors.",
            run=code_span(in_project.run_title(session, analysis.run)),
            count=len(missing),
        )
        button = _answer_button(session, analysis.run, missing)
    return {"notice": gr.update(visible=True, value=notice), "answer": button, "board": off, "scores": off}


def _data(session: Session, analysis: Analysis, window: int, threshold: float) -> dict[str, Any]:
    """Buttons that list contradictions."""
    total = len(analysis.contradictions(one_of(window, WINDOWS)))
    against = len(analysis.confident_against(one_of(threshold, THRESHOLDS)))
    training = analysis.training
    missing = len(training.unpredicted)
    notice = session.ngettext(
        "{count} of {total} labelled training documents has no prediction of this run.",
        "{count} of {total} labelled training documents have no prediction of this run.",
        count=missing,
        total=f"{training.labelled:,}",
    )
    return {
        "show_contradictions": _count_button(session, "contradictions", total),
        "show_against": _count_button(session, "against", against),
        "against_notice": gr.update(visible=missing > 0, value=notice),
        "predict_training": _answer_button(session, analysis.run, training.unpredicted),
    }


def show_data(
    session: Session, run: str | None, parts: Sequence[str], window: int, threshold: float
) -> dict[str, Any]:
    """Update the contradictions for another context or confidence."""
    return _data(session, _analysis(session, run, parts), window, threshold)


def show_diagonal(session: Session, run: str | None, parts: Sequence[str], hide: bool) -> Any:
    """The confusion matrix with or without its diagonal."""
    analysis = _analysis(session, run, parts)
    return label_confusion(analysis.confusion, analysis.labels, session.language, hide_diagonal=hide)


def show_list(session: Session, offset: int, *, called: bool = False) -> dict[str, Any]:
    """Show a page of the selected spans.

    Args:
        called: whether to scroll to the list.
    """
    picked = session.memory.get(PICKED)
    if not isinstance(picked, Picked):
        return {}
    total = len(picked.order)
    first = max(0, min(offset, (total - 1) // PAGE * PAGE))
    last = min(first + PAGE, total)
    value = rows_value(
        rows_of(session, picked, first, PAGE),
        picked.title,
        labels.get(session.workspace, session.project_id),
        session.language,
        empty=session._("Nothing here."),
        call=next(CALLS) if called else 0,
    )
    return {
        "rows": value,
        "previous": gr.update(interactive=first > 0),
        "range": session._(
            pgettext("rows", "{first}–{last} of {total}"), first=first + 1, last=last, total=total
        )
        if total
        else "",
        "next": gr.update(interactive=last < total),
        "offset": first,
    }


def pick(name: str) -> Callable[..., dict[str, Any]]:
    """A callback that lists the spans behind a point of the figure ``name``."""
    find: Finder = FINDERS[name]

    def picked(
        session: Session, event: gr.EventData, run: str | None, parts: Sequence[str]
    ) -> dict[str, Any]:
        chosen = find(session, _analysis(session, run, parts), event)
        return {} if chosen is None else _list(session, chosen)

    return picked


def list_all(session: Session, run: str | None, parts: Sequence[str]) -> dict[str, Any]:
    """List every mistake."""
    return _list(session, all_mistakes(session, _analysis(session, run, parts)))


def list_contradictions(
    session: Session, run: str | None, parts: Sequence[str], window: int
) -> dict[str, Any]:
    """List the contradictions of the data."""
    return _list(session, contradictory(session, _analysis(session, run, parts), one_of(window, WINDOWS)))


def list_against(session: Session, run: str | None, parts: Sequence[str], threshold: float) -> dict[str, Any]:
    """List training labels that the run contradicts with high confidence."""
    analysis = _analysis(session, run, parts)
    return _list(session, sure_against(session, analysis, one_of(threshold, THRESHOLDS)))


def step_back(session: Session, offset: int) -> dict[str, Any]:
    """Show the previous page."""
    return show_list(session, offset - PAGE, called=True)


def step_on(session: Session, offset: int) -> dict[str, Any]:
    """Show the next page."""
    return show_list(session, offset + PAGE, called=True)


@needs("train")
def answer(session: Session, report: Report, run: str | None, parts: Sequence[str]) -> None:
    """Predict the missing labelled documents of the chosen splits."""
    splits = [split for part in parts for split in PARTS.get(part, ())]
    _answer(session, report, run, splits)


@needs("train")
def predict_training(session: Session, report: Report, run: str | None) -> None:
    """Predict labelled training documents that have no prediction yet."""
    _answer(session, report, run, TRAINING)


def _answer(session: Session, report: Report, run: str | None, splits: Sequence[str]) -> None:
    chosen = project_run(session, run)
    if chosen is None:
        raise AppError("There is nothing left to predict; choose the run again.")
    judged = Judged.of(predicted_documents(session.workspace, session.project_id, chosen, splits))
    session.workbench.taggers.predict(session.project_id, chosen, judged.unpredicted, report)


def open_in_annotate(session: Session, event: gr.EventData) -> dict[str, Any]:
    """Open the clicked document on the Annotate page."""
    document = _document(session, event)
    if document is None:
        return gr.skip()
    open_document(session, document)
    return gr.update(selected="annotate")


def look_inside(session: Session, event: gr.EventData) -> dict[str, Any]:
    """Open the clicked document in the tab of one sentence."""
    document = _document(session, event)
    if document is None:
        return gr.skip()
    length = len(in_project.document(session, document).text)
    ask_about(session, document, index(event, "at", length) or 0)
    return gr.update(selected="sentence")


def wire(view: ErrorsView, frame: Frame, tab: gr.Tab, run: gr.Dropdown) -> None:
    """Connect its events: filled while its tab is in front, and whenever run, language or data change."""
    v = view
    data = [v.show_contradictions, v.show_against, v.against_notice, v.predict_training]
    listed = [v.rows, v.previous, v.range, v.next, v.offset]
    plots = [figure.plot for figure in v.figures.values()]
    everything = [v.notice, v.answer, v.board, v.scores, *plots, v.ece, *data, *listed]
    asked = [run, v.parts, v.diagonal, v.window, v.threshold]

    siblings = [other for other in _tabs(tab).children if isinstance(other, gr.Tab) and other is not tab]
    frame.on([other.select for other in siblings], lambda session: False, [], [v.front])
    frame.on([tab.select], open_tab, [], [v.front, v.request])
    frame.on_show("inspect", ask_again, [v.request], [v.front])
    on_work(
        frame, v.reading, [v.request.change, v.parts.input, run.change, v.again.click], read_all,
        [v.front, *asked], [v.again, *everything], doing=_("analysing errors"), done=_("errors analysed"),
        choices=OfChoices(asked_of, draw, unanswered),
    )  # fmt: skip
    frame.on([v.diagonal.input], show_diagonal, [run, v.parts, v.diagonal], [v.figures["confusion"].plot])
    frame.on([v.window.input, v.threshold.input], show_data, [run, v.parts, v.window, v.threshold], data)
    for name, figure in v.figures.items():
        frame.on(figure.bar.pick, pick(name), [run, v.parts], listed)
    frame.on([v.all.click], list_all, [run, v.parts], listed)
    frame.on([v.show_contradictions.click], list_contradictions, [run, v.parts, v.window], listed)
    frame.on([v.show_against.click], list_against, [run, v.parts, v.threshold], listed)
    frame.on([v.previous.click], step_back, [v.offset], listed)
    frame.on([v.next.click], step_on, [v.offset], listed)
    frame.on(v.rows.choose, open_in_annotate, [], [frame.tabs])
    frame.on(v.rows.inside, look_inside, [], [_tabs(tab)])
    for button, call, inputs in (
        (v.answer, answer, [run, v.parts]),
        (v.predict_training, predict_training, [run]),
    ):
        done = on_work(
            frame, v.work, [button.click], call, inputs, [v.message],
            doing=_("tagging labelled documents"), done=_("labelled documents tagged"), kept=True,
        )  # fmt: skip
        frame.then(done, ask_again, [v.front], [v.request])


def _tabs(tab: gr.Tab) -> gr.Tabs:
    parent = tab.parent
    assert isinstance(parent, gr.Tabs)
    return parent


def _list(session: Session, picked: Picked) -> dict[str, Any]:
    session.memory[PICKED] = picked
    return show_list(session, 0, called=True)


def _analysis(session: Session, run: str | None, parts: Sequence[str]) -> Analysis:
    chosen = project_run(session, run)
    if chosen is None:
        raise AppError("There is nothing left to predict; choose the run again.")
    return analysis_of(session, chosen, parts)


def _answer_button(session: Session, run: str, missing: Sequence[int]) -> dict[str, Any]:
    value = session._(
        "Predict the missing documents with {run} ({count})",
        run=in_project.run_title(session, run),
        count=f"{len(missing):,}",
    )
    return gr.update(visible=bool(missing), value=value)


def _count_button(session: Session, name: str, count: int) -> dict[str, Any]:
    some, none = COUNTED[name]
    return gr.update(value=session._(some, count=count) if count else session._(none), interactive=count > 0)


def _document(session: Session, event: gr.EventData) -> int | None:
    number = getattr(event, "document", None)
    if isinstance(number, bool) or not isinstance(number, int):
        return None
    in_project.check_document(session, number)
    return number
