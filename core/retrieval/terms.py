"""What a text is compared by: words where blanks part them, pairs of characters where none do."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from core.lexicon.word_boundary import SPACED

# Letters and digits in runs of one kind of script; marks, blanks and emoji are no terms.
_RUN = re.compile(rf"(?P<spaced>(?:(?={SPACED})[^\W_])+)|(?:(?!{SPACED})[^\W_])+")


class Term(NamedTuple):
    """One term and the characters it stands on, end exclusive."""

    text: str
    start: int
    end: int


Cut = Callable[[str], list[Term]]


def bigrams(text: str) -> list[Term]:
    """Words of alphabetic scripts without their case; of Chinese and its like every two characters.

    A character that stands alone between marks or letters is a term by itself. Which terms find better
    neighbours in Chinese, these or words of a lexicon, is measured by ``benchmarks/retrieval.py``.
    """
    found: list[Term] = []
    for start, end, spaced in _runs(text):
        if spaced:
            found.append(Term(text[start:end].casefold(), start, end))
        elif end - start == 1:
            found.append(Term(text[start], start, end))
        else:
            found += [Term(text[at : at + 2], at, at + 2) for at in range(start, end - 1)]
    return found


def shared(query: list[Term], found: list[Term]) -> list[tuple[int, int]]:
    """Where ``found`` has a term that ``query`` has, joined where they touch; in reading order."""
    known = {term.text for term in query}
    joined: list[tuple[int, int]] = []
    for text, start, end in found:
        if text not in known:
            continue
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined


def _runs(text: str) -> Iterator[tuple[int, int, bool]]:
    for run in _RUN.finditer(text):
        yield run.start(), run.end(), run["spaced"] is not None
