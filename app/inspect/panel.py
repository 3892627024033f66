"""The protocols of the Inspect page: a panel about one sentence, and a tab about the corpus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import gradio as gr

from app.i18n import _
from app.services.session import Session
from app.ui.frame import Frame
from core.text import Span

if TYPE_CHECKING:
    from core.taggers.base.trace import Trace

# By a panel's ``NAME``: what it is called, and how to read it.
HEADINGS = {
    "why": (
        _("Why this span"),
        _(
            "What the confidence in this span rests on. Leaving something out and tagging "
            "again is a test; shares and colours are a picture: neither says what a person "
            "would call the reason."
        ),
    ),
    "lattice": (
        _("Lattice"),
        _(
            "Characters on the base line, dictionary words as bars over them. Point at one "
            "to see whom it looks at and who looks at it, or how words enter characters. A "
            "word here is an offer, and a strong tie no proof: dropping the word, above, "
            "is the check."
        ),
    ),
    "crf": (
        _("CRF"),
        _(
            "Emissions score every tag at every character, transitions every tag after "
            "every other; marginals are the probabilities both give together. One point "
            "ahead in score is 2.7 times as likely. All this says how the tags were "
            "chosen, not why a character scores as it does."
        ),
    ),
    "mrc": (
        _("Queries"),
        _(
            "For every label the tagger was asked a question; here is where it saw spans "
            "start and end, and which start it joined to which end. A span needs all three."
        ),
    ),
    "pu": (
        _("Answers by type"),
        _(
            "Every row is one classifier: how likely each character is of its type. A ring "
            "marks the type that won, and lines part the words that answer as one. A low "
            "answer does not say that something is no entity: the word list and the raw "
            "text that taught it hold no proof of that."
        ),
    ),
    "attention": (
        _("Attention"),
        _(
            "Each row says where one unit looks; a row sums to 1 unless something is left "
            "out. Attention is a picture of information flow, not a proof of cause: taking "
            "words away is the check."
        ),
    ),
    "mix": (
        _("Layer weights"),
        _(
            "How much of each layer of the encoder went into the characters. A share says "
            "how layers were joined, not how much one matters: their vectors differ in "
            "length, and a small share may be needed."
        ),
    ),
    "distances": (
        _("Relative distances"),
        _(
            "How far each node stands from each other by heads and tails; FLAT sees "
            "positions only through these and what it makes of them. The distances come "
            "from the text alone; what is learned is how they are fused, and no norm says "
            "what the tagger did with it."
        ),
    ),
    "what_if": (
        _("What if"),
        _(
            "Change the sentence and see what the prediction becomes; the original stays. "
            "One changed answer shows what this tagger does here, not what it does in "
            "general."
        ),
    ),
}


# Where a document waits in the session's memory for the tab of one sentence.
ASKED = "inspect-asked"


@dataclass(frozen=True)
class Look:
    """The sentence in view, kept in the session between two calls.

    Args:
        run: name of the run whose tagger read it. trace: what that tagger saw and weighed.
        document: the document the sentence came from, where it came from one.
        focus: the predicted span somebody asks about; the least sure one until somebody chooses.
    """

    run: str
    trace: Trace
    document: int | None = None
    focus: Span | None = None


@dataclass
class PanelView:
    """What a panel put on the page.

    Args:
        group: everything of the panel; hidden where the tagger has nothing to show in it.
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
        """Whether the tagger left something to draw."""

    def layout(self, frame: Frame) -> PanelView:
        """Build the panel, visible only once it has something to show."""

    def draw(self, session: Session, look: Look, *choices: Any) -> dict[str, Any]:
        """Values for ``outputs``, by name; only called where ``has`` is true."""

    def wire(self, view: Any, frame: Frame) -> None:
        """Connect the panel's own events."""


class CorpusTab(Protocol):
    """A module of this folder that looks at the whole corpus through the chosen run.

    Attributes:
        NAME: of its tab (``inspect.tab.<NAME>``) and prefix of its elem_ids.
    """

    NAME: str

    def layout(self, frame: Frame) -> Any:
        """Build it inside its tab."""

    def wire(self, view: Any, frame: Frame, tab: gr.Tab, run: gr.Dropdown) -> None:
        """Connect its events: it is filled when ``tab`` is selected and when ``run`` changes."""


def heading(frame: Frame, panel: str) -> None:
    """The panel's name and the sentence that says how to read it, and what not to conclude from it."""
    title, how = HEADINGS[panel]
    frame.texts.bind(gr.Markdown(elem_classes="ll-panel-name"), value=title)
    frame.texts.bind(gr.Markdown(elem_classes="ll-how"), value=how)


def ask_about(session: Session, document: int, at: int = 0) -> None:
    """Let the tab of one sentence look at this document when it next comes to the front.

    Args:
        at: the character that must be in view, where the document is longer than the tab draws.
    """
    session.memory[ASKED] = (document, at)


def look_of(session: Session) -> Look | None:
    """The sentence in view, or None before there is one."""
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
    """What `draw_all` reads."""
    return [component for _, view in panels for component in view.choices]


def outputs_of(panels: Sequence[tuple[Panel, PanelView]]) -> dict[str, Any]:
    """What `draw_all` fills: a panel's group by its ``NAME``, its outputs by ``NAME.output``."""
    groups = {panel.NAME: view.group for panel, view in panels}
    inside = {f"{panel.NAME}.{name}": each for panel, view in panels for name, each in view.outputs.items()}
    return groups | inside
