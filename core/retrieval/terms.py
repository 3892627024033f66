"""The terms of a text: words in scripts with blanks between words, character bigrams in others."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from core.lexicon.word_boundary import SPACED
from core.text.annotated_regions import joined

# Runs of letters and digits of one kind of script; punctuation, blanks and emoji are no terms.
_RUN = re.compile(rf"(?P<spaced>(?:(?={SPACED})[^\W_])+)|(?:(?!{SPACED})[^\W_])+")


class Term(NamedTuple):
    """A term and its offsets, end exclusive."""

    text: str
    start: int
    end: int


Cut = Callable[[str], list[Term]]


def bigrams(text: str) -> list[Term]:
    """Case-folded words of alphabetic scripts, and character bigrams of scripts such as Chinese.

    A character isolated between punctuation or letters is a term by itself. ``benchmarks/retrieval.py``
    compares bigrams with lexicon words for Chinese.
    """
    terms: list[Term] = []
    for start, end, spaced in _runs(text):
        if spaced:
            terms.append(Term(text[start:end].casefold(), start, end))
        elif end - start == 1:
            terms.append(Term(text[start], start, end))
        else:
            terms += [Term(text[at : at + 2], at, at + 2) for at in range(start, end - 1)]
    return terms


def shared(query: list[Term], terms: list[Term]) -> list[tuple[int, int]]:
    """The offsets of those ``terms`` that ``query`` has too, merged where they touch, in reading order."""
    texts = {term.text for term in query}
    return list(joined((start, end) for text, start, end in terms if text in texts))


def _runs(text: str) -> Iterator[tuple[int, int, bool]]:
    for run in _RUN.finditer(text):
        yield run.start(), run.end(), run["spaced"] is not None
