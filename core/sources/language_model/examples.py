"""Finished documents that resemble a text, by BM25: the examples a language model is shown."""

from __future__ import annotations

from collections.abc import Sequence

from core.retrieval import Bm25Index
from core.text import Document

LONGEST = 1_500  # characters of an example


class Examples:
    """The finished documents of a project that are short enough to be examples."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._documents = [document for document in documents if 0 < len(document.text) <= LONGEST]
        self._index: Bm25Index[int] = Bm25Index()
        for number, document in enumerate(self._documents):
            self._index.add(number, document.text)
        self._index.apply_pending()

    def like(self, text: str, count: int) -> list[Document]:
        """At most ``count`` documents, the most similar last; where too few share a term, first ones fill up.

        The text itself is never among them.
        """
        if count <= 0:
            return []
        hits = self._index.search(text, count, lambda key: self._documents[key].text != text)
        chosen = [hit.key for hit in hits]
        others = (
            number
            for number, document in enumerate(self._documents)
            if number not in chosen and document.text != text
        )
        chosen += [number for number, _ in zip(others, range(count - len(chosen)), strict=False)]
        return [self._documents[number] for number in reversed(chosen)]
