"""The protocols of the Inspect page: a panel about one sentence, and a tab about the corpus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import gradio as gr

from app.i18n import _
from app.services.session import Session
from app.ui.frame import Frame
from app.ui.headings import panel_heading
from core.text import Span

if TYPE_CHECKING:
    from core.taggers.base.trace import Trace

# By a panel's ``NAME``: its title, and how to read it.
HEADINGS = {
    "why": (
        _("Why this span"),
        _(
            "What the confidence in this span depends on. Removing a word is a test; attributions "
            "are only an illustration."
        ),
    ),
    "lattice": (
        _("Lattice"),
        _(
            "Characters, or the words that are tagged, at the bottom, dictionary words as bars above "
            "them: point at one to see its attention, or how words enter characters; strong attention "
            "is no proof, so remove the word above to check."
        ),
    ),
    "crf": (
        _("CRF"),
        _(
            "Emissions score every tag at every character or word, transitions every pair of tags, and "
            "marginals are the resulting probabilities; a score difference of 1 is a factor of 2.7 "
            "in probability."
        ),
    ),
    "mrc": (
        _("Queries"),
        _(
            "For each label's query: the probabilities of span starts, of span ends, and of matching "
            "start and end; a span needs all three."
        ),
    ),
    "span_scores": (
        _("Span scores"),
        _(
            "The probability of every span for one label: each row is a first character, each column a last "
            "one; a dark row or column is a character at which nothing starts or ends."
        ),
    ),
    "segments": (
        _("Segments"),
        _(
            "Each layer of the HM-LSTM but the last decides after every character or word whether a segment "
            "ends; each block is one segment. Nobody told it what a word is, so compare with the words below."
        ),
    ),
    "pu": (
        _("Probabilities by type"),
        _(
            "Each row is one classifier with the probability of its type at each character; rings "
            "mark the chosen type and lines separate words classified as one, and a low probability "
            "is no evidence against an entity, since training had no negative examples."
        ),
    ),
    "attention": (
        _("Attention"),
        _(
            "Each row is the attention of one unit and sums to 1 unless something is left out; "
            "attention shows information flow, not causes."
        ),
    ),
    "mix": (
        _("Layer weights"),
        _(
            "Weights of the encoder's layers in the scalar mix; a weight is not importance, since "
            "layer norms differ."
        ),
    ),
    "distances": (
        _("Relative distances"),
        _(
            "Distances between the heads and tails of all pairs of nodes, from which FLAT computes "
            "its relative positions; the distances come from the text, and only their fusion is "
            "learned."
        ),
    ),
    "what_if": (
        _("What if"),
        _(
            "Edit the sentence and see how the prediction changes; the original stays. One example shows "
            "what this tagger does here, not in general."
        ),
    ),
}


@dataclass(frozen=True)
class Look:
    """The current sentence, kept in the session.

    Args:
        run: name of the run. trace: of its tagger.
        document: the sentence's document, if any. start: where the sentence begins in it.
        focus: the predicted span to explain; by default the least certain one.
    """

    run: str
    trace: Trace
    document: int | None = None
    focus: Span | None = None
    start: int = 0

    @property
    def extent(self) -> str:
        """``start-end`` of the span in focus, in the document or a sentence without one; "" if none is."""
        return "" if self.focus is None else f"{self.start + self.focus.start}-{self.start + self.focus.end}"


@dataclass
class PanelView:
    """The components of a panel.

    Args:
        group: the whole panel; hidden if the tagger does not support it.
        choices: components whose values ``draw`` reads. outputs: those it fills, by the names it uses.
    """

    group: gr.Column
    choices: Sequence[Any] = ()
    outputs: Mapping[str, Any] = field(default_factory=dict)


class Panel(Protocol):
    """A module of this folder that draws one thing.

    Attributes:
        NAME: prefix of its strings (``inspect.<NAME>`` and ``inspect.<NAME>_how``) and of its elem_ids.
        FOLLOWS_FOCUS: whether another span in focus changes the picture.
    """

    NAME: str
    FOLLOWS_FOCUS: bool

    def has(self, trace: Trace) -> bool:
        """Whether the trace has what the panel draws."""

    def layout(self, frame: Frame) -> PanelView:
        """Build the panel, visible only once it has something to show."""

    def draw(self, session: Session, look: Look, *choices: Any) -> dict[str, Any]:
        """Values for ``outputs``, by name; only called where ``has`` is true."""

    def wire(self, view: Any, frame: Frame) -> None:
        """Connect the panel's own events."""


class CorpusTab(Protocol):
    """A module of this folder about the whole corpus under the chosen run.

    Attributes:
        NAME: of its tab (``inspect.tab.<NAME>``) and prefix of its elem_ids.
    """

    NAME: str

    def layout(self, frame: Frame) -> Any:
        """Build it inside its tab."""

    def wire(self, view: Any, frame: Frame, tab: gr.Tab, run: gr.Dropdown) -> None:
        """Connect its events: it is filled when ``tab`` is selected and when ``run`` changes."""


def heading(frame: Frame, panel: str) -> None:
    """The panel's name and how to read it."""
    title, how = HEADINGS[panel]
    panel_heading(frame.texts, title)
    frame.texts.hint(how)


def look_of(session: Session) -> Look | None:
    """The current sentence, or None."""
    look = session.memory.get("inspect")
    return look if isinstance(look, Look) else None


def draw_all(
    panels: Sequence[tuple[Panel, PanelView]], session: Session, look: Look, *values: Any
) -> dict[str, Any]:
    """Visibility and contents of every panel, by the names of `outputs_of`."""
    given = iter(values)
    answers: dict[str, Any] = {}
    for panel, view in panels:
        choices = [next(given) for _ in view.choices]
        shown = panel.has(look.trace)
        answers[panel.NAME] = gr.update(visible=shown)
        if shown:
            drawn = panel.draw(session, look, *choices)
            answers |= {f"{panel.NAME}.{name}": value for name, value in drawn.items()}
    return answers


def choices_of(panels: Sequence[tuple[Panel, PanelView]]) -> list[Any]:
    """The inputs of `draw_all`."""
    return [component for _, view in panels for component in view.choices]


def outputs_of(panels: Sequence[tuple[Panel, PanelView]]) -> dict[str, Any]:
    """The outputs of `draw_all`: a panel's group by its ``NAME``, its outputs by ``NAME.output``."""
    groups = {panel.NAME: view.group for panel, view in panels}
    inside = {f"{panel.NAME}.{name}": each for panel, view in panels for name, each in view.outputs.items()}
    return groups | inside
