"""The Errors tab: its parts, and their contents from an analysis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gradio as gr

from app.inspect.corpus.errors_list import Analysis, bin_names
from app.inspect.figures.calibration import reliability
from app.inspect.figures.errors import boundary_errors, label_confusion, scores_by
from app.inspect.widgets.error_rows import error_rows
from app.services.session import Session
from app.ui.frame import Frame
from app.ui.widgets.figure_view import FigureView, figure_view
from core.inspection.corpus.error_analysis import PARTS, SLICES

WINDOWS = (2, 4, 8)
THRESHOLDS = (0.5, 0.7, 0.8, 0.9, 0.95, 0.99)
KINDS = ("missed", "spurious", "boundary", "label", "both")


@dataclass
class ErrorsView:
    """What the tab shows, from top to bottom; ``front`` says whether it is the one in view."""

    front: gr.State
    parts: gr.CheckboxGroup
    notice: gr.Markdown
    answer: gr.Button
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
    answer_training: gr.Button
    rows: gr.HTML
    all: gr.Button
    previous: gr.Button
    range: gr.Markdown
    next: gr.Button
    offset: gr.State


def build(frame: Frame) -> ErrorsView:
    """Build the tab: figures left, and right of them the sentences they speak of."""
    texts = frame.texts
    texts.bind(gr.Markdown(elem_classes="ll-how"), value="inspect_errors.how")
    parts = texts.bind(
        gr.CheckboxGroup(elem_id="inspect-errors-parts"),
        label="inspect_errors.parts",
        choices=[(f"inspect_errors.part.{part}", part) for part in PARTS],
        chosen=["dev", "test"],
    )
    notice = gr.Markdown(visible=False, elem_classes="ll-empty", elem_id="inspect-errors-notice")
    with gr.Row(elem_classes="ll-buttons"):
        answer = gr.Button(visible=False, variant="primary", elem_id="inspect-errors-answer")
    message = gr.Markdown(elem_id="inspect-errors-message")
    scores = gr.Markdown(visible=False, elem_id="inspect-errors-scores")
    with gr.Row(visible=False, equal_height=False, elem_id="inspect-errors-board") as board:
        with gr.Column(scale=3, min_width=320):
            diagonal, figures, ece = _figures(frame)
            data = _data(frame)
        with gr.Column(scale=2, min_width=320, elem_id="inspect-errors-side"):
            listed = _list(frame)
    return ErrorsView(
        gr.State(False), parts, notice, answer, message, board, scores, diagonal, figures, ece, *data,
        *listed, gr.State(0),
    )  # fmt: skip


def _figures(frame: Frame) -> tuple[gr.Checkbox, dict[str, FigureView], gr.Markdown]:
    _section(frame, "confusion")
    diagonal = frame.texts.bind(
        gr.Checkbox(value=True, elem_id="inspect-errors-diagonal"), label="inspect_errors.hide_diagonal"
    )
    figures = {"confusion": figure_view("inspect-errors-confusion")}
    names = ["boundaries", *SLICES, "calibration"]
    for pair in zip(names[::2], names[1::2], strict=True):
        with gr.Row(equal_height=False):
            for name in pair:
                with gr.Column(min_width=320):
                    _section(frame, f"slice.{name}" if name in SLICES else name)
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
                label="inspect_errors.window",
            )
            show_contradictions = gr.Button(elem_id="inspect-errors-contradictions")
        with gr.Column(min_width=320):
            _section(frame, "against")
            choices = [(f"{value:.2f}", value) for value in THRESHOLDS]
            threshold = texts.bind(
                gr.Dropdown(choices=choices, value=0.9, elem_id="inspect-errors-threshold"),
                label="inspect_errors.threshold",
            )
            show_against = gr.Button(elem_id="inspect-errors-against")
            against_notice = gr.Markdown(visible=False, elem_classes="ll-how")
            answer_training = gr.Button(visible=False, elem_id="inspect-errors-answer-training")
    return window, show_contradictions, threshold, show_against, against_notice, answer_training


def _list(frame: Frame) -> tuple[gr.HTML, gr.Button, gr.Button, gr.Markdown, gr.Button]:
    texts = frame.texts
    rows = error_rows("inspect-errors-rows")
    with gr.Row(elem_classes="ll-buttons", equal_height=True):
        previous = texts.bind(
            gr.Button(size="sm", elem_id="inspect-errors-previous"), value="inspect_errors.previous"
        )
        range_text = gr.Markdown(elem_id="inspect-errors-range")
        next_button = texts.bind(
            gr.Button(size="sm", elem_id="inspect-errors-next"), value="inspect_errors.next"
        )
        everything = texts.bind(
            gr.Button(size="sm", elem_id="inspect-errors-all"), value="inspect_errors.all"
        )
    texts.bind(gr.Markdown(elem_classes="ll-how"), value="inspect_errors.marks_how")
    return rows, everything, previous, range_text, next_button


def _section(frame: Frame, name: str) -> None:
    frame.texts.bind(gr.Markdown(elem_classes="ll-panel-name"), value=f"inspect_errors.{name}")
    frame.texts.bind(gr.Markdown(elem_classes="ll-how"), value=f"inspect_errors.{name}_how")


def figures_of(session: Session, analysis: Analysis, hide_diagonal: bool) -> list[Any]:
    """The figures, in the order of ``ErrorsView.figures``."""
    language = session.language
    counts = [(len(right), len(other)) for right, other in analysis.boundaries]
    by = [
        scores_by(
            analysis.slices[name].scores,
            bin_names(session, name),
            session.text(f"inspect_errors.slice.{name}_axis"),
            language,
        )
        for name in SLICES
    ]
    return [
        label_confusion(analysis.confusion, analysis.labels, language, hide_diagonal=hide_diagonal),
        boundary_errors(counts, language),
        *by,
        reliability(analysis.calibration, language) if analysis.scored else None,
    ]


def scores_line(session: Session, analysis: Analysis) -> str:
    """Micro scores with what was counted, then the mistakes by kind, then what was not counted."""
    score, judged = analysis.score, analysis.judged
    said = [
        session.text(
            "inspect_errors.scores",
            **{name: f"{100 * getattr(score, name):.2f}" for name in ("f1", "precision", "recall")},
            documents=f"{len(judged.documents):,}",
            gold=f"{score.gold:,}",
            predicted=f"{score.predicted:,}",
            correct=f"{score.correct:,}",
        ),
        _mistakes(session, analysis),
    ]
    if judged.unpredicted:
        said.append(session.text("inspect_errors.unpredicted", count=f"{len(judged.unpredicted):,}"))
    return " ".join(said)


def _mistakes(session: Session, analysis: Analysis) -> str:
    judged = analysis.judged
    if not judged.mistakes:
        return session.text("inspect_errors.no_mistakes")
    kinds = [judged.cases[at].kind for at in judged.mistakes]
    parts = [
        session.text(
            "inspect_errors.part_of",
            count=f"{kinds.count(kind):,}",
            kind=session.text(f"inspect_errors.kind.{kind}"),
        )
        for kind in KINDS
        if kind in kinds
    ]
    joined = session.text("inspect_errors.separator").join(parts)
    return session.text("inspect_errors.mistakes", total=f"{len(judged.mistakes):,}", parts=joined)


def ece_line(session: Session, analysis: Analysis) -> str:
    """The expected calibration error and what it rests on; spans without a confidence are named."""
    curve, missing = analysis.calibration, analysis.score.predicted - len(analysis.scored)
    if curve.ece is None:
        return session.text("inspect_errors.no_scores")
    said = session.text(
        "inspect_errors.ece",
        ece=f"{curve.ece:.4f}",
        bins=len(curve.counts),
        scored=f"{len(analysis.scored):,}",
    )
    left_out = session.text("inspect_errors.unscored", count=f"{missing:,}")
    return f"{said} {left_out}" if missing else said
