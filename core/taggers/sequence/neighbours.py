"""Retrieval of similar training sentences as context of a text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.retrieval import Bm25Index
from core.taggers.base.config_fields import option
from core.taggers.base.model_folder import HINT, read_json, write_json
from core.taggers.base.tagger import ModelFolderError
from core.text import Document
from core.text.segmentation import sentences

FILE = "neighbours.json"
MOST_TEXTS = 20_000  # of a model: 15 MB of Chinese if all have the maximum of 256 characters
LONGEST = 256
CACHED = 8192  # cached results: every epoch looks up the same sentences


@dataclass(frozen=True)
class NeighbourConfig:
    """Options of a tagger that reads similar training sentences as context."""

    neighbours: int = option(0, "similar training sentences read beside each text", bounds=(0, 8))
    neighbour_length: int = option(64, "most characters of such a sentence", bounds=(8, LONGEST))


class Neighbours:
    """Sentences ranked by their similarity to a text (BM25), saved with the model that reads them.

    Args:
        texts: distinct sentences. count: the number of neighbours of a text.
    """

    def __init__(self, texts: Sequence[str], count: int) -> None:
        self.texts = tuple(texts)
        self._count = count
        self._index: Bm25Index[int] = Bm25Index()
        for number, text in enumerate(self.texts):
            self._index.add(number, text)
        self._index.apply_pending()
        self._cache: dict[str, tuple[str, ...]] = {}

    @classmethod
    def of_documents(cls, documents: Iterable[Document], count: int, length: int) -> Neighbours:
        """The sentences of the training documents, cut to ``length`` characters.

        Of more than `MOST_TEXTS` sentences only every second, third, … is kept, so that all parts of a corpus
        are represented.
        """
        excerpts = {
            document.text[start:end].strip()[:length]: None
            for document in documents
            for start, end in sentences(document.text)
        }
        texts = [text for text in excerpts if text]
        step = -(-len(texts) // MOST_TEXTS) or 1
        return cls(texts[::step], count)

    def of(self, text: str) -> tuple[str, ...]:
        """The neighbours of ``text``, most similar first; fewer, or none, if few are similar.

        A sentence that occurs in the text is not a neighbour, so that no training sentence is its own
        context.
        """
        neighbours = self._cache.get(text)
        if neighbours is None:
            hits = self._index.search(text, self._count, lambda number: self.texts[number] not in text)
            neighbours = tuple(self.texts[hit.key] for hit in hits)
            if len(self._cache) >= CACHED:
                self._cache.clear()
            self._cache[text] = neighbours
        return neighbours

    def save(self, folder: Path) -> None:
        """Write the sentences as JSON."""
        write_json(folder / FILE, list(self.texts))

    @classmethod
    def load(cls, folder: Path, count: int) -> Neighbours:
        """Read what ``save`` wrote.

        Raises:
            ModelFolderError: the file is missing, or holds something else; says what.
        """
        texts = read_json(folder / FILE)
        if not isinstance(texts, list) or len(texts) > MOST_TEXTS:
            raise ModelFolderError(
                "{path} must be a list of at most {most} texts; {hint}",
                path=folder / FILE,
                most=MOST_TEXTS,
                hint=HINT,
            )
        if not all(isinstance(text, str) and len(text) <= LONGEST for text in texts):
            raise ModelFolderError(
                "{path}: a text is no string, or too long; {hint}", path=folder / FILE, hint=HINT
            )
        return cls(texts, count)
