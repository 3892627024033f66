"""What every source of suggestions offers: texts in, spans out, in order, one text after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from core.runtime.message import Message, Told
from core.text import Document, LabelSet, Span

if TYPE_CHECKING:
    import httpx

# Why something that a source said is no suggestion.
Dropped = Literal["not in the text", "unknown label", "said twice", "malformed"]


class SourceError(Told, Exception):
    """A source cannot be opened or asked; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens a language model read and wrote. ``cached``: answers that were not asked for again."""

    read: int = 0
    written: int = 0
    asked: int = 0
    cached: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.read + other.read,
            self.written + other.written,
            self.asked + other.asked,
            self.cached + other.cached,
        )


@dataclass(frozen=True, slots=True)
class Answer:
    """What a source says about one text.

    Args:
        spans: with the source's own labels, in reading order. A score is a probability, or None where the
            source gives none.
        dropped: how many of its statements are no suggestion, by reason.
        problem: why there is no answer; the spans are empty then.
    """

    spans: tuple[Span, ...] = ()
    dropped: Mapping[Dropped, int] = field(default_factory=dict)
    usage: Usage = Usage()
    problem: Message | None = None


def go_on() -> None:
    """A `Context.pause` of work that nobody can stop."""


@dataclass(frozen=True)
class Context:
    """What a source may need of the project it works for.

    Args:
        labels: of the project, with the guideline of each as its description.
        examples: finished documents, from which a language model is shown those that resemble a text.
        cache: folder for the answers of a language model; None keeps none.
        key: the secret for an address, read when it is needed; None if there is none.
        transport: how an address is reached; None: directly.
        pause: called between two steps of waiting; may raise to stop.
    """

    labels: LabelSet = field(default_factory=LabelSet)
    examples: Sequence[Document] = ()
    cache: Path | None = None
    key: Callable[[], str | None] = lambda: None
    transport: httpx.BaseTransport | None = None
    pause: Callable[[], None] = go_on


class Source(Protocol):
    """Another program's tagger."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels it can give, in its own words."""

    def suggest(self, texts: Sequence[str]) -> Iterator[Answer]:
        """An answer for every text, in order, each as soon as it is there.

        Raises:
            SourceError: it cannot answer any text. Whatever `Context.pause` raises.
        """
