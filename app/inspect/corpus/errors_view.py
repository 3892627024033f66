"""The Errors tab: its parts, and their contents from an analysis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gradio as gr

from app.i18n import _, counted
from app.i18n.terms import OUTCOMES, SPLIT_NAMES
from app.inspect.corpus.errors_list import Analysis, bin_names
from app.inspect.figures.calibration import reliability
from app.inspect.figures.errors import boundary_errors, label_confusion, scores_by
from app.inspect.widgets.error_rows import error_rows
from app.services.session import Session
from app.ui.frame import Frame
from app.ui.headings import panel_heading
from app.ui.numbers import percent
from app.ui.widgets.figure_view import FigureView, figure_view
from app.ui.work import WorkView, work_view
from core.inspection.corpus.error_analysis import PARTS, SLICES

SECTIONS = {
    "confusion": (
        _("Confused labels"),
        _(
            "Rows are gold labels, the last one nothing (spurious), and columns predicted labels, "
            "the last one nothing (missed); spans with the same offsets are paired first, then those "
            "that overlap most, so on the diagonal boundaries may still be wrong."
        ),
    ),
    "boundaries": (
        _("Boundaries"),
        _(
            "Overlapping pairs with different boundaries: short means that the run left out "
            "characters, long that it included more."
        ),
    ),
    "length": (
        _("By length"),
        _("F1 by length: long spans are harder, and a bar over few spans means little."),
    ),
    "frequency": (
        _("By frequency in training"),
        _(
            "F1 by how often the same text was labelled in the run's training data; good scores on "
            "rare texts suggest, but do not prove, use of context."
        ),
    ),
    "novelty": (
        _("Seen or unseen"),
        _(
            "F1 by whether the training data has the same text with the same label, only with "
            "another one, or not at all; a high F1 on seen texts will not carry over to new ones."
        ),
    ),
    "lexicon": (
        _("In the dictionary or not"),
        _(
            "F1 by whether the span is a word of the run's dictionary (or jieba's) with this "
            "project's changes; taggers without a dictionary may differ here, too, as its words are "
            "common."
        ),
    ),
    "calibration": (
        _("Calibration"),
        _(
            "Accuracy of spans by confidence: on the dashed line the run is calibrated, below it "
            "overconfident; points with few spans are noisy."
        ),
    ),
    "data": (
        _("Contradictions in the data"),
        _(
            "The same text in the same context, labelled differently (or not at all) in different "
            "places of the labelled documents; some are correct, since meaning may depend on more "
            "context."
        ),
    ),
    "against": (
        _("Training labels a run confidently contradicts"),
        _(
            "Confident predictions that contradict the training labels: often the label is wrong, "
            "but a run can be confidently wrong, too, above all if many labels share an error."
        ),
    ),
}

AXIS = {
    "length": _("characters of the span"),
    "frequency": _("times labelled in training"),
    "novelty": _("same text in training"),
    "lexicon": _("the whole span"),
}

WINDOWS = (2, 4, 8)
THRESHOLDS = (0.5, 0.7, 0.8, 0.9, 0.95, 0.99)
KINDS = ("missed", "spurious", "boundary", "label", "both")


@dataclass
class ErrorsView:
    """The components of the tab, from top to bottom.

    ``front``: whether it is visible. ``request``: changes whenever it is to be filled.
    """

    front: gr.State
    request: gr.Textbox
    parts: gr.CheckboxGroup
    reading: WorkView
    again: gr.Button
    notice: gr.Markdown
    answer: gr.Button
    work: WorkView
    message: gr.Markdown
    board: gr.Row
    scores: gr.Markdown
    diagonal: gr.Checkbox
    figures: dict[str, FigureView]
    ece: gr.Markdown
    window: gr.Dropdown
    show_contradictions: gr.Button
    threshold: gr.Dropdown
    show_against: gr.Button
    against_notice: gr.Markdown
    predict_training: gr.Button
    rows: gr.HTML
    all: gr.Button
    previous: gr.Button
    range: gr.Markdown
    next: gr.Button
    offset: gr.State


def build(frame: Frame) -> ErrorsView:
    """Build the tab: figures on the left, their sentences on the right."""
    texts = frame.texts
    texts.hint(
        _(
            "Gold annotation compared with predictions over whole documents. Click a cell, a bar or "
            "a point to list its sentences. Gold can be wrong, too."
        )
    )
    parts = texts.bind(
        gr.CheckboxGroup(elem_id="inspect-errors-parts"),
        label=_("Labelled documents in"),
        choices=[(SPLIT_NAMES[part], part) for part in PARTS],
        chosen=["dev", "test"],
    )
    reading = work_view(frame, "inspect-errors-reading")
    again = texts.button(_("Analyse again"), visible=False, size="sm", elem_id="inspect-errors-again")
    notice = gr.Markdown(visible=False, elem_classes="ll-empty", elem_id="inspect-errors-notice")
    with gr.Row(elem_classes="ll-buttons"):
        answer = gr.Button(visible=False, variant="primary", elem_id="inspect-errors-answer")
    work = work_view(frame, "inspect-errors-work")
    message = gr.Markdown(elem_id="inspect-errors-message")
    scores = gr.Markdown(visible=False, elem_id="inspect-errors-scores")
    with gr.Row(visible=False, equal_height=False, elem_id="inspect-errors-board") as board:
        with gr.Column(scale=3, min_width=320):
            diagonal, figures, ece = _figures(frame)
            data = _data(frame)
        with gr.Column(scale=2, min_width=320, elem_id="inspect-errors-side"):
            listed = _list(frame)
    request = gr.Textbox(visible="hidden", show_label=False)
    return ErrorsView(
        gr.State(False), request, parts, reading, again, notice, answer, work, message, board, scores,
        diagonal, figures, ece, *data, *listed, gr.State(0),
    )  # fmt: skip


def _figures(frame: Frame) -> tuple[gr.Checkbox, dict[str, FigureView], gr.Markdown]:
    _section(frame, "confusion")
    diagonal = frame.texts.bind(
        gr.Checkbox(value=True, elem_id="inspect-errors-diagonal"), label=_("Hide the diagonal")
    )
    figures = {"confusion": figure_view("inspect-errors-confusion")}
    names = ["boundaries", *SLICES, "calibration"]
    for pair in zip(names[::2], names[1::2], strict=True):
        with gr.Row(equal_height=False):
            for name in pair:
                with gr.Column(min_width=320):
                    _section(frame, name)
                    figures[name] = figure_view(f"inspect-errors-{name}")
                    if name == "calibration":
                        ece = gr.Markdown(elem_classes="ll-how", elem_id="inspect-errors-ece")
    return diagonal, figures, ece


def _data(frame: Frame) -> tuple[gr.Dropdown, gr.Button, gr.Dropdown, gr.Button, gr.Markdown, gr.Button]:
    texts = frame.texts
    with gr.Row(equal_height=False):
        with gr.Column(min_width=320):
            _section(frame, "data")
            window = texts.bind(
                gr.Dropdown(choices=list(WINDOWS), value=4, elem_id="inspect-errors-window"),
                label=_("Characters on either side"),
            )
            show_contradictions = gr.Button(elem_id="inspect-errors-contradictions")
        with gr.Column(min_width=320):
            _section(frame, "against")
            choices = [(f"{value:.2f}", value) for value in THRESHOLDS]
            threshold = texts.bind(
                gr.Dropdown(choices=choices, value=0.9, elem_id="inspect-errors-threshold"),
                label=_("Confidence of at least"),
            )
            show_against = gr.Button(elem_id="inspect-errors-against")
            against_notice = gr.Markdown(visible=False, elem_classes="ll-how")
            predict_training = gr.Button(visible=False, elem_id="inspect-errors-answer-training")
    return window, show_contradictions, threshold, show_against, against_notice, predict_training


def _list(frame: Frame) -> tuple[gr.HTML, gr.Button, gr.Button, gr.Markdown, gr.Button]:
    texts = frame.texts
    rows = error_rows("inspect-errors-rows")
    with gr.Row(elem_classes="ll-buttons", equal_height=True):
        previous = texts.button(_("Previous"), size="sm", elem_id="inspect-errors-previous")
        range_text = gr.Markdown(elem_id="inspect-errors-range")
        next_button = texts.button(_("Next"), size="sm", elem_id="inspect-errors-next")
        everything = texts.button(_("All mistakes"), size="sm", elem_id="inspect-errors-all")
    texts.hint(_("Solid: gold. Dashed: predicted."))
    return rows, everything, previous, range_text, next_button


def _section(frame: Frame, name: str) -> None:
    title, how = SECTIONS[name]
    panel_heading(frame.texts, title)
    frame.texts.hint(how)


def figures_of(session: Session, analysis: Analysis, hide_diagonal: bool) -> dict[str, Any]:
    """The figures, by name."""
    language = session.language
    counts = [(len(right), len(other)) for right, other in analysis.boundaries]
    by = {
        name: scores_by(
            analysis.slices[name].scores, bin_names(session, name), session._(AXIS[name]), language
        )
        for name in SLICES
    }
    return {
        "confusion": label_confusion(
            analysis.confusion, analysis.labels, language, hide_diagonal=hide_diagonal
        ),
        "boundaries": boundary_errors(counts, language),
        **by,
        "calibration": reliability(analysis.calibration, language) if len(analysis.scored) else None,
    }


def scores_line(session: Session, analysis: Analysis) -> str:
    """Micro scores with counts, mistakes by kind, and uncounted documents."""
    score, judged = analysis.score, analysis.judged
    parts = [
        session._(
            "**F1 {f1}** · precision {precision} · recall {recall}, in percent of exact "
            "spans: {documents}, {gold} by people, {predicted} by the run, {correct} the "
            "same.",
            **{name: percent(getattr(score, name)) for name in ("f1", "precision", "recall")},
            documents=counted.documents(len(judged.ids)),
            gold=counted.spans(score.gold),
            predicted=f"{score.predicted:,}",
            correct=f"{score.correct:,}",
        ),
        _mistakes(session, analysis),
    ]
    if judged.unpredicted:
        parts.append(
            session.ngettext(
                "{count} more labelled document has no prediction of this run and is not counted.",
                "{count} more labelled documents have no prediction of this run and are not counted.",
                count=len(judged.unpredicted),
            )
        )
    return session.paragraph(*parts)


def _mistakes(session: Session, analysis: Analysis) -> str:
    judged = analysis.judged
    if not judged.mistakes:
        return session._("No mistakes: the predictions equal the gold annotation in all of these documents.")
    kinds = [judged.cases[at].kind for at in judged.mistakes]
    parts = [
        session._("{count} {kind}", count=f"{kinds.count(kind):,}", kind=session._(OUTCOMES[kind]))
        for kind in KINDS
        if kind in kinds
    ]
    joined = session._(", ").join(parts)
    return session.ngettext(
        "{count} mistake: {parts}.", "{count} mistakes: {parts}.", count=len(judged.mistakes), parts=joined
    )


def ece_line(session: Session, analysis: Analysis) -> str:
    """The expected calibration error with its counts, including spans without a confidence."""
    curve, missing = analysis.calibration, analysis.score.predicted - len(analysis.scored)
    if curve.ece is None:
        return session._("The spans of this run have no confidence, so there is nothing to calibrate.")
    line = session.ngettext(
        "Expected calibration error **{ece}** over {bins} bins of equal width, {count} span.",
        "Expected calibration error **{ece}** over {bins} bins of equal width, {count} spans.",
        ece=f"{curve.ece:.4f}",
        bins=len(curve.counts),
        count=len(analysis.scored),
    )
    left_out = session.ngettext(
        "{count} span has no confidence and is left out.",
        "{count} spans have no confidence and are left out.",
        count=missing,
    )
    return session.paragraph(line, left_out) if missing else line
