"""The first occurrences of each candidate in context."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from core.lexicon.entry import Entry, can_be_a_word
from core.lexicon.lexicon import Lexicon
from core.text import Document

WIDTH = 18  # characters on either side


@dataclass(frozen=True, slots=True)
class Context:
    """One occurrence of a surface; ``document`` is the document's id."""

    document: str
    start: int
    before: str
    after: str


@dataclass
class Occurrences:
    """The first contexts of a surface, at most one per document, and its document frequency."""

    contexts: list[Context] = field(default_factory=list)
    documents: int = 0


def contexts(
    documents: Iterable[Document],
    surfaces: Iterable[str],
    most: int = 3,
    progress: Callable[[int], None] | None = None,
) -> dict[str, Occurrences]:
    """The occurrences of each surface, in document order; none for a surface that is no valid word.

    Args:
        progress: called with the number of documents read so far; may raise to stop.
    """
    occurrences = {surface: Occurrences() for surface in surfaces}
    # An overlay over an empty lexicon writes nothing into the cache of automata.
    lexicon = Lexicon().with_words([Entry(surface) for surface in occurrences if can_be_a_word(surface)])
    for number, document in enumerate(documents, start=1):
        text, seen = document.text, set[str]()
        places = [(word.head, word.tail + 1) for word in lexicon.match(text)]
        places += [(at, at + 1) for at in lexicon.match_characters(text)]
        for start, end in places:
            surface = text[start:end]
            if surface not in seen:
                seen.add(surface)
                _add(occurrences[surface], document, start, end, most)
        if progress is not None:
            progress(number)
    return occurrences


def _add(occurrences: Occurrences, document: Document, start: int, end: int, most: int) -> None:
    occurrences.documents += 1
    if len(occurrences.contexts) < most:
        text = document.text
        before, after = text[max(0, start - WIDTH) : start], text[end : end + WIDTH]
        occurrences.contexts.append(Context(document.id, start, before, after))
