"""Projected vectors of a project's spans or characters, for the Embeddings tab."""

from __future__ import annotations

import random
from array import array
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, Any, TypeVar

from app.services.session import Session
from core.inspection.corpus.error_analysis import PARTS
from core.inspection.representations.map_points import MapPoint, character_points, span_points
from core.store.run.predicted import PredictedDocument, PredictedDocuments, predicted_documents, stamp

if TYPE_CHECKING:
    import numpy as np

    from core.inspection.representations.projection import Projection

UNITS = ("span", "character")
MOST_DOCUMENTS = 2000
MOST_CHARACTERS = 10_000_000  # of these together; a single longer document is read all the same
MOST_POINTS = 3000
MOST_T_SNE_POINTS = 1000  # t-SNE is slower than linear in the points
READ_AT_ONCE = 64  # documents per turn of the shared tagger
KEPT = 6  # sets of vectors cached in a session; 3000 of 768 dimensions are 9 MB
MEMORY = "vector-maps"
Progress = Callable[[str, int, int], None]
Key = tuple["Asked", tuple[object, ...]]  # with the stamp of the documents and the predictions
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Asked:
    """A map request: ``unit`` of ``UNITS``, ``layer`` of ``run``, and splits."""

    run: str
    layer: str
    unit: str
    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Vectors:
    """Points in seeded random order with their vectors, ``[N, D]``.

    Args:
        documents, all_documents: numbers of documents read and in total.
        all_points: number of points in the documents read.
    """

    points: tuple[MapPoint, ...]
    values: np.ndarray
    documents: int
    all_documents: int
    all_points: int


@dataclass(frozen=True, slots=True)
class VectorMap:
    """A projection with the description of its points."""

    asked: Asked
    points: tuple[MapPoint, ...]
    projection: Projection
    vectors: Vectors


def vector_map(session: Session, asked: Asked, method: str, progress: Progress) -> VectorMap:
    """Compute and project vectors; vectors of the same documents are cached.

    Args:
        progress: called with the step (``choosing``, ``answering``, ``reading`` or ``projecting``), the
            number done, and the total; may raise to stop.

    Raises:
        TooFewVectors: fewer than three points. KeyError: the tagger has no such layer.
    """
    from core.inspection.representations.projection import neighbour_embedding, principal_components

    key = asked, stamp(session.workspace, session.project_id, asked.run)
    kept = _memory(session)
    if key not in kept:
        ids, count = _sampled_ids(session, asked, progress)
        key, documents = _predicted(session, asked, ids, progress)
        kept[key] = _read(session, asked, documents, count, progress)
        while len(kept) > KEPT:
            kept.popitem(last=False)
    kept.move_to_end(key)
    vectors: Vectors = kept[key]
    shown = MOST_T_SNE_POINTS if method == "tsne" else MOST_POINTS
    progress("projecting", 0, 1)
    project = neighbour_embedding if method == "tsne" else principal_components
    return VectorMap(asked, vectors.points[:shown], project(vectors.values[:shown]), vectors)


def layers_of(session: Session, run: str) -> list[str]:
    """The layers whose vectors can be drawn; none if the tagger has no hidden states.

    Raises:
        AppError, NotFound, ModelFolderError: the run cannot be loaded.
    """
    from core.inspection.representations.states import layer_names

    with session.workbench.taggers.tagger(session.project_id, run) as tagger:
        return layer_names(tagger)


def _memory(session: Session) -> OrderedDict[Any, Vectors]:
    memory = session.memory.get(MEMORY)
    if not isinstance(memory, OrderedDict):
        memory = session.memory[MEMORY] = OrderedDict()
    return memory


def _documents(session: Session, asked: Asked) -> PredictedDocuments:
    splits = [split for part in asked.parts for split in PARTS[part]]
    return predicted_documents(session.workspace, session.project_id, asked.run, splits)


def _sampled_ids(session: Session, asked: Asked, progress: Progress) -> tuple[list[int], int]:
    """The ids of a seeded sample of the labelled documents, ascending, and the number of all of them."""
    ids, lengths = array("q"), array("q")
    told = partial(progress, "choosing")
    for document in replace(_documents(session, asked), progress=told):
        ids.append(document.document_id)
        lengths.append(len(document.document.text))
    chosen = _sampled(range(len(ids)), MOST_DOCUMENTS, "documents")
    characters = accumulate(lengths[at] for at in chosen)
    fitting = max(1, sum(length <= MOST_CHARACTERS for length in characters))
    return sorted(ids[at] for at in chosen[:fitting]), len(ids)


def _predicted(
    session: Session, asked: Asked, ids: Sequence[int], progress: Progress
) -> tuple[Key, list[PredictedDocument]]:
    """These documents, predicted by the run where they were not, and the cache key of what is read here."""
    documents = _documents(session, asked)
    while True:
        key = asked, stamp(session.workspace, session.project_id, asked.run)
        found = list(documents.of(ids).values())
        missing = [document.document_id for document in found if document.predicted is None]
        if not missing:
            return key, found
        taggers = session.workbench.taggers
        taggers.predict(session.project_id, asked.run, missing, partial(progress, "answering"))


def _read(
    session: Session, asked: Asked, documents: Sequence[PredictedDocument], count: int, progress: Progress
) -> Vectors:
    """The vectors of a sample of points of these documents.

    Args:
        documents: the sample. count: of all labelled documents.
    """
    import numpy as np

    from core.inspection.representations.states import span_vectors

    points = span_points if asked.unit == "span" else character_points
    chosen, all_points = _chosen(lambda: points(documents), MOST_POINTS, "points")
    places: dict[int, list[int]] = {}
    for number, point in enumerate(chosen):
        places.setdefault(point.document_id, []).append(number)
    wanted = [document for document in documents if document.document_id in places]
    values: np.ndarray | None = None
    for at in range(0, len(wanted), READ_AT_ONCE):
        progress("reading", at, len(wanted))
        part = wanted[at : at + READ_AT_ONCE]
        rows = [places[document.document_id] for document in part]
        extents = [[(chosen[row].start, chosen[row].end) for row in document_rows] for document_rows in rows]
        with session.workbench.taggers.tagger(session.project_id, asked.run) as tagger:
            vectors = span_vectors(tagger, [document.document for document in part], extents, asked.layer)
        if values is None:
            values = np.zeros((len(chosen), vectors.shape[1]), dtype=np.float32)
        values[[row for document_rows in rows for row in document_rows]] = vectors
    if values is None:
        values = np.zeros((0, 0), dtype=np.float32)
    return Vectors(tuple(chosen), values, len(documents), count, all_points)


def _chosen(items: Callable[[], Iterable[Item]], most: int, seed: str) -> tuple[list[Item], int]:
    """At most so many of the items, in a reproducible random order, and the number of all; no other is held.

    Args:
        items: begins them anew; it is called twice.
    """
    count = sum(1 for _item in items())
    places = {at: place for place, at in enumerate(_sampled(range(count), most, seed))}
    found = {places[at]: item for at, item in enumerate(items()) if at in places}
    return [found[place] for place in sorted(found)], count


def _sampled(numbers: range, most: int, seed: str) -> list[int]:
    """At most so many of the numbers, in a reproducible random order."""
    # Seeding by text is defined by hashing, so the sample is the same on every platform and version.
    return random.Random(seed).sample(numbers, min(most, len(numbers)))  # noqa: S311
