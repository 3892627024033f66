"""The panel of mixed layers: the weights now, over the training, and beside those of another run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import gradio as gr

from app.i18n import _
from app.inspect.figures.mix_path import mix_path
from app.inspect.panel import Look, PanelView, heading, look_of
from app.services import in_project
from app.services.session import Session
from app.ui.figures.layer_mix import layer_mix, place
from app.ui.frame import Frame
from app.ui.widgets.figure_view import FigureView, figure_view
from app.ui.widgets.plain_line import plain_line
from core.inspection.sentence.mix_view import has_mix, mix_view
from core.store.run import runs
from core.text import Document

if TYPE_CHECKING:
    from core.inspection.sentence.mix_view import MixView
    from core.taggers.base.trace import Trace

NAME = "mix"
FOLLOWS_FOCUS = False
NOBODY = ""


@dataclass(frozen=True)
class Side:
    """One run's half of the panel."""

    column: gr.Column
    run: gr.HTML
    figure: FigureView
    note: gr.Markdown
    path_column: gr.Column
    path: FigureView
    path_note: gr.Markdown

    def outputs(self, side: str) -> dict[str, Any]:
        """The outputs of `_side`."""
        return {
            f"{side}.column": self.column, f"{side}.run": self.run, f"{side}.figure": self.figure.plot,
            f"{side}.note": self.note, f"{side}.path_column": self.path_column,
            f"{side}.path": self.path.plot, f"{side}.path_note": self.path_note,
        }  # fmt: skip


@dataclass(kw_only=True)
class LayersPanel(PanelView):
    """The panel's own components."""

    picker: gr.Dropdown


def has(trace: Trace) -> bool:
    return bool(trace.mixes)


def layout(frame: Frame) -> LayersPanel:
    with gr.Column(visible=False, elem_id="inspect-mix") as group:
        heading(frame, NAME)
        picker = frame.texts.bind(
            gr.Dropdown(choices=[], elem_id="inspect-mix-compare"),
            label=_("Compare with run"),
            info=_("Only runs with a scalar mix are listed."),
        )
        with gr.Row(equal_height=False):
            sides = [_layout_side("inspect-mix", True), _layout_side("inspect-mix-other", False)]
    outputs = {"picker": picker, **sides[0].outputs("own"), **sides[1].outputs("other")}
    return LayersPanel(group, (picker,), outputs, picker=picker)


def _layout_side(elem_id: str, visible: bool) -> Side:
    with gr.Column(visible=visible, min_width=320) as column:
        run = plain_line(f"{elem_id}-run")
        figure = figure_view(f"{elem_id}-plot")
        note = gr.Markdown(elem_classes="ll-how")
        with gr.Column(visible=False) as path_column:
            path = figure_view(f"{elem_id}-path")
        path_note = gr.Markdown(elem_classes="ll-how")
    return Side(column, run, figure, note, path_column, path, path_note)


def draw(session: Session, look: Look, other: str | None) -> dict[str, Any]:
    """Draw the current run, and beside it the other one if it mixes layers too."""
    offered = others(session, look.run)
    chosen = other if other in offered else NOBODY
    picker = gr.update(
        choices=[(session._("no other run"), NOBODY), *((name, name) for name in offered)], value=chosen
    )
    values = _side(session, "own", look.run, look.trace, named=bool(chosen))
    if not chosen:
        return {"picker": picker, **values, "other.column": gr.update(visible=False)}
    with session.workbench.taggers.tagger(session.project_id, chosen) as tagger:
        batch = tagger.collate([Document("sentence", look.trace.text)]).to(tagger.device)
        trace = tagger.trace(batch)[0]
    return {"picker": picker, **values, **_side(session, "other", chosen, trace, named=True)}


def others(session: Session, run: str) -> list[str]:
    """The project's other runs that mix layers, the newest first."""
    finished = runs.all_runs(session.workspace, session.project_id, "finished")
    return [other.name for other in reversed(finished) if other.name != run and has_mix(other.model_folder)]


def _side(session: Session, side: str, run: str, trace: Trace, named: bool) -> dict[str, Any]:
    """The figures and notes of one run."""
    from core.training.run.mix_path import mix_paths
    from core.training.run.run_folder import RunFolder

    folder = RunFolder(in_project.run(session, run).folder)
    # A dynamic mix records no path.
    has_path = any(mix.weights.ndim == 1 for mix in trace.mixes)
    paths = mix_paths(folder.events()) if has_path else []
    view = mix_view(trace)
    values = {
        "column": gr.update(visible=True),
        "run": gr.update(value=run if named else "", visible=named),
        "figure": layer_mix(view, session.language),
        "note": _note(session, view),
        "path_column": gr.update(visible=bool(paths)),
        "path": mix_path(paths, session.language) if paths else gr.skip(),
        "path_note": session._(
            _(
                "The weights during training; the saved model is the best epoch's, so the bars may "
                "differ from the last point."
            )
            if paths
            else _(
                "This run recorded no weights during training: it was trained elsewhere or by an earlier "
                "version. Train it again to see them."
            )
        )
        if has_path
        else "",
    }
    return {f"{side}.{name}": value for name, value in values.items()}


def _note(session: Session, view: MixView) -> str:
    """How to read the bars, and the current penalties."""
    shared = [mix for mix in view.mixes if mix.weights.ndim == 1]
    sentence = (
        [
            session._(
                "Bars: the share s of each layer, where 0 is the embeddings; dashed: equal shares; γ "
                "scales the mix."
            )
        ]
        if shared
        else []
    )
    penalised = [mix for mix in shared if mix.penalty is not None]
    for mix in penalised:
        sentence.append(
            session._(
                "The L2 penalty λ‖w‖² at the {place} now adds {penalty} to the loss (λ = {strength}).",
                place=place(mix.name, session.language),
                strength=f"{mix.strength:g}",
                penalty=f"{mix.penalty:.3g}",
            )
        )
    if penalised:
        sentence.append(
            session._(
                "The lower bars are the negative gradient of the L2 penalty: below 0 it reduces that "
                "layer's weight, and at equal weights it is zero."
            )
        )
    if len(shared) < len(view.mixes):
        sentence.append(
            session._(
                "Each column is a character and each row a layer: the weights depend on the character, "
                "so there is no single course over training."
            )
        )
    return session.paragraph(*sentence)


def wire(view: LayersPanel, frame: Frame) -> None:

    def compare(session: Session, other: str | None) -> dict[str, Any]:
        look = look_of(session)
        if look is None or not has(look.trace):
            return {}
        return draw(session, look, other)

    frame.on(
        [view.picker.input],
        compare,
        [view.picker],
        view.outputs,
        show_progress="minimal",
        show_progress_on=view.picker,
    )
