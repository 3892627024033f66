"""The Embeddings tab: its parts, and their contents from a map."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import gradio as gr

from app.i18n import Message, _, counted, pgettext
from app.i18n.terms import SPLIT_NAMES
from app.inspect.corpus.vector_map import VectorMap
from app.inspect.figures.embeddings import Group, vector_scatter
from app.inspect.figures.layer_titles import layer_title
from app.services import in_project
from app.services.session import Session
from app.ui.frame import Frame
from app.ui.widgets.figure_view import FigureView, figure_view
from app.ui.widgets.sentence import sentence_row, sentence_view, sentences_value, span_object
from app.ui.work import WorkView, work_view
from core.inspection.corpus.error_analysis import PARTS
from core.inspection.representations.map_points import MapPoint
from core.store.label import labels
from core.store.run import predictions
from core.text import Span
from core.text.segmentation import sentences

if TYPE_CHECKING:
    import plotly.graph_objects as go

UNIT_NAMES = {"span": pgettext("unit", "spans"), "character": _("characters")}

METHOD_NAMES = {"pca": _("PCA (exact)"), "tsne": _("t-SNE (neighbours)")}

COLOUR_NAMES = {"label": _("label"), "error": _("right or wrong")}

KIND_NAMES = {
    "correct": _("right"),
    "label": _("wrong label"),
    "boundary": _("wrong boundary"),
    "both": _("wrong label and boundary"),
    "missed": _("missed"),
    "spurious": _("spurious"),
}

# In the legend's order; colours of the kinds of mistakes are those of labels, which are safe to tell apart.
KINDS = {
    "correct": "#009E73",
    "label": "#D55E00",
    "boundary": "#E69F00",
    "both": "#8C6BB1",
    "missed": "#CC79A7",
    "spurious": "#0072B2",
}
GREY = "#8a93a3"
AROUND = 12  # characters of context on either side of a point
LONGEST_SENTENCE = 200


@dataclass
class EmbeddingsView:
    """The components of the tab, from top to bottom."""

    notice: gr.Markdown
    board: gr.Column
    unit: gr.Radio
    layer: gr.Dropdown
    parts: gr.CheckboxGroup
    method: gr.Radio
    colour: gr.Radio
    other: gr.Dropdown
    draw: gr.Button
    work: WorkView
    note: gr.Markdown
    figures: tuple[FigureView, FigureView]
    second: gr.Column
    caption: gr.Markdown
    sentence: gr.HTML
    open: gr.Button

    @property
    def shown(self) -> list[Any]:
        """The outputs of `show`."""
        return [self.notice, self.board, self.layer, self.other, *self.drawn]

    @property
    def drawn(self) -> list[Any]:
        """The outputs of a drawing."""
        return [self.note, *(figure.plot for figure in self.figures), self.second, *self.picked]

    @property
    def picked(self) -> list[Any]:
        """The outputs of a click."""
        return [self.caption, self.sentence, self.open]


def build(frame: Frame) -> EmbeddingsView:
    """Build the tab."""
    texts = frame.texts
    texts.hint(
        _(
            "Each point is a span (the mean of its characters' states) or a character; close points "
            "have similar states in that layer, though two axes show only part of hundreds of "
            "dimensions."
        )
    )
    notice = gr.Markdown(visible=False, elem_classes="ll-empty", elem_id="inspect-embeddings-notice")
    with gr.Column(visible=False, elem_id="inspect-embeddings") as board:
        asked = _question(frame)
        work = work_view(frame, "inspect-embeddings-work")
        note = gr.Markdown(elem_id="inspect-embeddings-note", elem_classes="ll-how", min_height=20)
        with gr.Row(equal_height=False):
            with gr.Column(min_width=340):
                first = figure_view("inspect-embeddings-plot")
            with gr.Column(min_width=340, visible=False) as second:
                beside = figure_view("inspect-embeddings-beside")
        caption = texts.hint(_("Click a point to read its sentence here."), elem_id="inspect-embeddings-said")
        sentence = sentence_view(elem_id="inspect-embeddings-sentence")
        with gr.Row(elem_classes="ll-buttons"):
            opened = texts.button(
                _("Open in Annotate"), size="sm", visible=False, elem_id="inspect-embeddings-open"
            )
    return EmbeddingsView(
        notice=notice,
        board=board,
        work=work,
        note=note,
        figures=(first, beside),
        second=second,
        caption=caption,
        sentence=sentence,
        open=opened,
        **asked,
    )


def _question(frame: Frame) -> dict[str, Any]:
    def bound(
        component: Any, title: Message, values: Mapping[str, Message] | None = None, **chosen: Any
    ) -> Any:
        messages: dict[str, Any] = {"label": title}
        if values:
            messages["choices"] = [(named, value) for value, named in values.items()]
        return frame.texts.bind(component, **chosen, **messages)

    with gr.Row(elem_classes="ll-fields"):
        unit = bound(gr.Radio(elem_id="inspect-embeddings-unit"), _("Points"), UNIT_NAMES, chosen="span")
        layer = bound(gr.Dropdown(choices=[], elem_id="inspect-embeddings-layer"), _("Layer"))
        parts = bound(
            gr.CheckboxGroup(elem_id="inspect-embeddings-parts"),
            _("Labelled documents in"),
            {part: SPLIT_NAMES[part] for part in PARTS},
            chosen=["dev", "test"],
        )
        method = bound(
            gr.Radio(elem_id="inspect-embeddings-method"), _("Projection"), METHOD_NAMES, chosen="pca"
        )
        colour = bound(
            gr.Radio(elem_id="inspect-embeddings-colour"), _("Colour by"), COLOUR_NAMES, chosen="label"
        )
        other = bound(gr.Dropdown(choices=[], elem_id="inspect-embeddings-other"), _("Compare with"))
    with gr.Row(elem_classes="ll-buttons"):
        draw = frame.texts.button(_("Draw the map"), variant="primary", elem_id="inspect-embeddings-draw")
    return {
        "unit": unit,
        "layer": layer,
        "parts": parts,
        "method": method,
        "colour": colour,
        "other": other,
        "draw": draw,
    }


def figure_of(session: Session, vectors: VectorMap, colour: str, *, titled: bool) -> go.Figure:
    """The map coloured by label, or (``error``) by outcome."""
    by_error = colour == "error"
    members = [point.kind if by_error else (point.gold or point.predicted or "") for point in vectors.points]
    title = f"{vectors.asked.run} · {layer_title(vectors.asked.layer, session.language)}" if titled else ""
    return vector_scatter(
        vectors.projection.points,
        members,
        _kinds(session) if by_error else _labels(session, members),
        [_excerpt(point) for point in vectors.points],
        vectors.projection.explained,
        session.language,
        title,
    )


def _kinds(session: Session) -> dict[str, Group]:
    return {kind: Group(session._(KIND_NAMES[kind]), shade) for kind, shade in KINDS.items()}


def _labels(session: Session, members: Sequence[str]) -> dict[str, Group]:
    """The project's labels with their colours, then labels only the run knows, then no entity."""
    label_set = labels.get(session.workspace, session.project_id)
    groups = {label.name: Group(label.name, label.colour) for label in label_set}
    groups |= {name: Group(name, GREY) for name in sorted(set(members)) if name and name not in groups}
    return groups | {"": Group(session._(pgettext("class", "no entity")), GREY)}


def _excerpt(point: MapPoint) -> str:
    before = point.text[max(0, point.start - AROUND) : point.start]
    after = point.text[point.end : point.end + AROUND]
    return " ".join(f"{before}【{point.text[point.start : point.end]}】{after}".split())


def note_of(session: Session, maps: Sequence[VectorMap]) -> str:
    """Numbers of points and documents, and caveats of the projection."""
    first = maps[0]
    vectors, drawn = first.vectors, len(first.points)
    parts = [
        session._(
            "{points} of {documents}.",
            points=counted.points(drawn),
            documents=counted.documents(vectors.documents),
        )
    ]
    if vectors.documents < vectors.all_documents:
        parts.append(
            session.ngettext(
                "This is a sample of {count} document.",
                "This is a sample of {count} documents.",
                count=vectors.all_documents,
            )
        )
    if drawn < vectors.all_points:
        parts.append(
            session.ngettext(
                "{count} point was found and {points} of them are drawn, chosen at random.",
                "{count} points were found and {points} of them are drawn, chosen at random.",
                points=drawn,
                count=vectors.all_points,
            )
        )
    if first.projection.explained is None:
        parts.append(
            session._(
                "t-SNE keeps neighbours together; how far apart two clusters lie, and how large they "
                "are, means little."
            )
        )
    if len(maps) > 1:
        parts.append(
            session._("Each run has its own space: compare which points are close, not where they lie.")
        )
    return session.paragraph(*parts)


def sentence_of(session: Session, point: MapPoint, run: str) -> dict[str, Any]:
    """The sentence around the point, with gold and predicted spans."""
    start, end = _around(point)
    document = in_project.document(session, point.document_id)
    predicted = predictions.get(session.workspace, run, point.document_id) or ()
    gold = {span.key for span in document.spans}
    differing = [span for span in predicted if span.key not in gold]
    row = sentence_row(
        document.text[start:end], _inside(document.spans, start, end), source="person", id=document.id
    )
    row["spans"] += [span_object(span, "tagger") for span in _inside(differing, start, end)]
    return sentences_value([row], labels.get(session.workspace, session.project_id))


def _around(point: MapPoint) -> tuple[int, int]:
    """The sentences around the point; of very long ones only the part near it."""
    inside = [pair for pair in sentences(point.text) if pair[0] < point.end and point.start < pair[1]]
    start, end = inside[0][0], inside[-1][1]
    return max(start, point.start - LONGEST_SENTENCE), min(end, point.end + LONGEST_SENTENCE)


def _inside(spans: Iterable[Span], start: int, end: int) -> list[Span]:
    """Spans inside the stretch, at offsets in it."""
    return [
        Span(span.start - start, span.end - start, span.label, span.score)
        for span in spans
        if start <= span.start and span.end <= end
    ]
