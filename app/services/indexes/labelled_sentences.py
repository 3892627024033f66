"""Annotated sentences similar to a given one: an index of the project's finished documents.

Sentences come from finished documents outside the trash, from the annotator's own version in projects with
individual versions, and from the same split: test documents are shown beside test documents only, dev beside
dev, and training documents beside training documents, so that neither training nor test labels imitate the
other.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

from core.retrieval import Bm25Index
from core.store.annotation import finished
from core.store.db.payload import HELD_OUT
from core.store.db.workspace import Workspace
from core.text import Span
from core.text.segmentation import sentences

MOST_SENTENCES = 100_000  # per index, from the newest documents; 50,000 take 43 MiB (docs/results.md)
LONGEST = 400  # longer sentences are cut
Place = tuple[int, int, int]  # document, start, end


@dataclass(frozen=True, slots=True)
class Similar:
    """An annotated sentence: document, offsets, text, and spans relative to the sentence."""

    document: int
    name: str
    start: int
    text: str
    spans: tuple[Span, ...]
    score: float


class LabelledSentences:
    """The sentences of a project's finished documents; thread-safe.

    Args:
        user: whose versions; None: the gold annotation.
    """

    def __init__(self, workspace: Workspace, project_id: int, user: str | None = None) -> None:
        self._workspace, self._project, self._user = workspace, project_id, user
        self._updating = threading.Lock()
        self._index: Bm25Index[Place] = Bm25Index()
        self._places: dict[int, list[Place]] = {}
        self._splits: dict[int, str] = {}
        self._size = 0
        self.ready = False

    def update(self) -> int:
        """Read documents finished, reopened, deleted or restored. One thread at a time.

        Raises:
            CancelledError: the workspace is being closed.
        """
        with self._updating:
            now = finished.splits(self._workspace, self._project, self._user)
            gone = [id_ for id_ in self._places if id_ not in now]
            for id_ in gone:
                self._size -= len(self._places[id_])
                for place in self._places.pop(id_):
                    self._index.remove(place)
            fresh = [id_ for id_ in now if id_ not in self._places]
            if self._size < MOST_SENTENCES:
                for id_, text in finished.texts(self._workspace, fresh):
                    self._workspace.background.pause()
                    self._take(id_, text)
                    if self._size >= MOST_SENTENCES:
                        break
            self._splits = now
            if gone or fresh or not self.ready:
                self._index.apply_pending()
            self.ready = True
            return len(gone) + len(fresh)

    def find(self, sentence: str, count: int, *, but: int, split: str) -> list[Similar]:
        """The annotated sentences most similar to ``sentence``, best first, each text once.

        Args:
            but: the sentence's document. split: of that document.
        """
        stripped = sentence.strip()
        hits = self._index.search(stripped, 3 * count, self._fits(but, split))
        annotated = finished.read(self._workspace, self._project, {hit.key[0] for hit in hits}, self._user)
        similar: dict[str, Similar] = {}
        for (id_, start, end), score in hits:
            document = annotated.get(id_)
            if document is None or side_of(document.split) != side_of(split):
                continue  # changed since the index was read
            spans = tuple(
                Span(span.start - start, span.end - start, span.label)
                for span in document.spans
                if start <= span.start and span.end <= end
            )
            text = document.text[start:end]
            similar.setdefault(text, Similar(id_, document.name, start, text, spans, score))
            if len(similar) == count:
                break
        return list(similar.values())

    def _fits(self, but: int, split: str) -> Callable[[Place], bool]:
        splits, side = self._splits, side_of(split)
        return lambda place: place[0] != but and side_of(splits.get(place[0], "")) == side

    def _take(self, id_: int, text: str) -> None:
        places: list[Place] = []
        for start, end in sentences(text):
            piece = text[start:end]
            start, end = start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())
            if end > start and len(places) + self._size < MOST_SENTENCES:
                place = (id_, start, min(end, start + LONGEST))
                places.append(place)
                self._index.add(place, text[place[1] : place[2]])
        self._places[id_] = places
        self._size += len(places)


def side_of(split: str) -> str:
    """``dev`` and ``test`` as they are, ``taught`` for train and none; "" for an unknown split."""
    if split in HELD_OUT:
        return split
    return "taught" if split in ("train", "none") else ""
