"""Raw text as the tokens that get vectors: characters, bigrams, or words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from core.encoders.vocabulary import bigrams
from core.lexicon import Lexicon
from core.lexicon.maximum_matching import DIRECTIONS, Direction, segment
from core.runtime.message import ToldValueError
from core.text import Document
from core.text.segmentation import windows

LONGEST = 1000  # characters of a sentence; gensim reads no more than 10,000 tokens of one


def token_sentences(
    documents: Sequence[Document], unit: str, lexicon: Lexicon | None = None, cut: str = "bidirectional"
) -> list[list[str]]:
    """The tokens of every line of the documents, long lines in parts; lines without a token are left out.

    Blanks and lone surrogates are not tokens.

    Args:
        unit: ``characters``, ``bigrams`` or ``words``. lexicon: for words; None for jieba's dictionary.
            cut: the direction of `segment`.

    Raises:
        ValueError: there is no such unit.
    """
    cutter = _cutter(unit, lexicon, cut)
    lines = []
    for document in documents:
        for start, end in windows(document.text, LONGEST):
            for line in document.text[start:end].splitlines():
                tokens = [token for token in cutter(line) if token.strip() == token and _writable(token)]
                if tokens:
                    lines.append(tokens)
    return lines


def counts_of(sentences: Sequence[Sequence[str]]) -> Counter[str]:
    """Token counts."""
    return Counter(token for sentence in sentences for token in sentence)


def _cutter(unit: str, lexicon: Lexicon | None, cut: str) -> Callable[[str], Iterator[str]]:
    if unit == "characters":
        return iter
    if unit == "bigrams":
        return lambda text: (pair for pair in bigrams(text) if len(pair) == 2)
    if unit != "words":
        raise ToldValueError(
            "there are no vectors of {unit}; choose characters, bigrams or words", unit=repr(unit)
        )
    word_list = Lexicon.jieba() if lexicon is None else lexicon
    direction: Direction = next(name for name in DIRECTIONS if name == cut)

    def words(text: str) -> Iterator[str]:
        matches = [(start, end) for start, end, _ in word_list.offsets(text)]
        return (text[start:end] for start, end in segment(len(text), matches, direction))

    return words


def _writable(token: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in token)
