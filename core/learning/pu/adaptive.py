"""AdaPU: extends the dictionary by consistent predictions (Peng et al. 2019, section 3.6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from core.learning.distant import TypedWords
from core.lexicon import Entry, Lexicon
from core.lexicon.entry import can_be_a_word
from core.text import Document


def consistent_words(
    answers: Sequence[Document], words: TypedWords, least: int, labels: Sequence[str]
) -> list[Entry]:
    """New surfaces predicted often and consistently: with one type at every occurrence outside longer
    predicted spans.

    Args:
        answers: documents with predicted spans. least: minimum count.

    Returns:
        New words with type and count, by word.
    """
    counts: dict[str, Counter[str]] = {}
    for document in answers:
        for span in document.spans:
            if span.label in labels:
                counts.setdefault(document.text[span.start : span.end], Counter())[span.label] += 1
    candidates = {
        surface: next(iter(types.items()))
        for surface, types in counts.items()
        if len(types) == 1 and types.total() >= least and surface not in words and can_be_a_word(surface)
    }
    seen = _places(answers, candidates)
    return [
        Entry(surface, count, label)
        for surface, (label, count) in sorted(candidates.items())
        if seen[surface] == count
    ]


def extend(words: TypedWords, new: Sequence[Entry], number: int) -> TypedWords:
    """The dictionary with ``new`` words, whose source is the round in which they were found."""
    old = [
        Entry(entry.word, rank, kind)  # the frequency keeps the order of a word's types
        for entry in words.lexicon
        for rank, kind in enumerate(reversed(words.types(entry.word) or ("",)), start=1)
    ]
    sources = {(e.word, e.type): words.source(e.word, e.type) for e in old}
    sources |= {(entry.word, entry.type): f"AdaPU {number}" for entry in new}
    return TypedWords([*old, *new], sources=sources)


def _places(answers: Sequence[Document], surfaces: Iterable[str]) -> Counter[str]:
    """Counts of each surface outside longer predicted spans."""
    lexicon = Lexicon(surfaces)
    seen: Counter[str] = Counter()
    for document in answers:
        text = document.text
        places = [(start, end) for start, end, _ in lexicon.offsets(text)]
        places += [(at, at + 1) for at in lexicon.match_characters(text)]
        for start, end in places:
            if not any(
                span.start <= start and end <= span.end and len(span) > end - start for span in document.spans
            ):
                seen[text[start:end]] += 1
    return seen
