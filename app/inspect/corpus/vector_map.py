"""Projected vectors of a project's spans or characters, for the Embeddings tab."""

from __future__ import annotations

import random
from collections import OrderedDict
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from app.services.session import Session
from core.inspection.corpus.error_analysis import PARTS
from core.inspection.representations.map_points import MapPoint, character_points, span_points
from core.store.run.predicted import PredictedDocument, predicted_documents, stamp

if TYPE_CHECKING:
    import numpy as np

    from core.inspection.representations.projection import Projection

UNITS = ("span", "character")
MOST_DOCUMENTS = 2000
MOST_POINTS = 3000
MOST_T_SNE_POINTS = 1000  # t-SNE is slower than linear in the points
READ_AT_ONCE = 64  # documents per turn of the shared tagger
KEPT = 6  # sets of vectors cached in a session; 3000 of 768 dimensions are 9 MB
MEMORY = "vector-maps"
Progress = Callable[[str, int, int], None]


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
        progress: called with the step (``answering``, ``reading`` or ``projecting``), the number done, and
            the total.

    Raises:
        TooFewVectors: fewer than three points. KeyError: the tagger has no such layer.
    """
    from core.inspection.representations.projection import neighbour_embedding, principal_components

    documents = _sample_documents(session, asked, progress)
    key = (asked, stamp(session.workspace, session.project_id, asked.run))
    kept = _memory(session)
    if key not in kept:
        kept[key] = _read(session, asked, documents, progress)
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


def _sample_documents(
    session: Session, asked: Asked, progress: Progress
) -> tuple[list[PredictedDocument], int]:
    """A seeded sample of the labelled documents, with predictions, and their total number."""

    def read() -> tuple[list[PredictedDocument], int]:
        splits = [split for part in asked.parts for split in PARTS[part]]
        documents = list(predicted_documents(session.workspace, session.project_id, asked.run, splits))
        chosen = _sampled(documents, MOST_DOCUMENTS, "documents")
        return sorted(chosen, key=lambda document: document.document_id), len(documents)

    chosen, count = read()
    missing = [document.document_id for document in chosen if document.predicted is None]
    if not missing:
        return chosen, count
    session.workbench.taggers.predict(
        session.project_id, asked.run, missing, lambda done, total: progress("answering", done, total)
    )
    return read()


def _read(
    session: Session, asked: Asked, sample: tuple[list[PredictedDocument], int], progress: Progress
) -> Vectors:
    import numpy as np

    from core.inspection.representations.states import span_vectors

    documents, count = sample
    points = span_points(documents) if asked.unit == "span" else character_points(documents)
    chosen = _sampled(points, MOST_POINTS, "points")
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
    return Vectors(tuple(chosen), values, len(documents), count, len(points))


def _sampled(items: Collection[Any], most: int, seed: str) -> list[Any]:
    """At most so many of the items, in a reproducible random order."""
    # Seeding by text is defined by hashing, so the sample is the same on every platform and version.
    return random.Random(seed).sample(list(items), min(most, len(items)))  # noqa: S311
