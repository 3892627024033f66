"""Earlier decisions on surfaces in a project, for suggestions.

Keeps counts of labelled, rejected and unlabelled surfaces in memory, from the current gold annotations
outside the trash or, with individual versions, from one annotator's. The first read takes seconds for tens of
thousands of documents; updates read only changed documents and those with a new surface.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Sequence

from core.store.db.workspace import Workspace
from core.store.document import text_index
from core.store.label.ids import read_names
from core.store.project.projects import checked_id
from core.store.suggest.decision_counts import DecisionCounts, Decisions
from core.store.suggest.decision_sources import BLOCK, DecisionSource, Gold, OwnVersions, Stamps
from core.text import Document, Span
from core.text.annotated_regions import annotated_regions, is_annotated

CHUNK = 2_000
MOST_ASKED = 200  # new surfaces per update, each searched in the text index


class EarlierDecisions:
    """Earlier decisions of one project; thread-safe.

    Args:
        workspace: whose store. project_id: whose documents.
        user: whose own versions; None: the gold annotation.
    """

    def __init__(self, workspace: Workspace, project_id: int, user: str | None = None) -> None:
        self._workspace = workspace
        self._project = checked_id(project_id)
        self._source: DecisionSource = (
            Gold(workspace, project_id) if user is None else OwnVersions(workspace, project_id, user)
        )
        self._updating = threading.Lock()
        self._counts = DecisionCounts()
        self._held: dict[int, str] = {}  # stamps of counted documents
        self._stamps: Stamps | None = None  # stamps of blocks
        self._labels: tuple[str, ...] = ()

    @property
    def ready(self) -> bool:
        """Whether the project has been read once."""
        return self._stamps is not None

    def update(self) -> int:
        """Read changed documents; returns their number. One thread at a time."""
        with self._updating:
            stamps, labels = self._source.stamps(), self._read_labels()
            before = self._stamps or {}
            if labels != self._labels:  # renaming a label does not change revisions
                self._forget(list(self._held))
                before, self._labels = {}, labels
            blocks = [block for block in {**before, **stamps} if before.get(block) != stamps.get(block)]
            changed, gone = self._changed(blocks)
            self._forget(gone)
            ids = list(changed)
            for start in range(0, len(ids), CHUNK):
                some = ids[start : start + CHUNK]
                decided = self._source.decided(some)
                for id_ in some:
                    self._counts.put(id_, decided.get(id_, ()))
                    self._held[id_] = changed[id_]
            self._count_unlabelled(ids)
            self._stamps = stamps
            return len(changed) + len(gone)

    def find(self, text: str, *, but: int | None = None) -> list[Span]:
        """As `DecisionCounts.find`."""
        return self._counts.find(text, but=but)

    def of(self, surface: str, label: str, *, but: int | None = None) -> Decisions:
        """Decisions on a surface and a label in all documents but one."""
        return self._counts.of(surface, label, but=but)

    def _forget(self, ids: Sequence[int]) -> None:
        self._counts.forget(ids)
        for id_ in ids:
            del self._held[id_]

    def _read_labels(self) -> tuple[str, ...]:
        """The project's current labels."""
        with self._workspace.reading() as db:
            names = read_names(db, self._project)
        return tuple(f"{id_} {name}" for id_, name in names.items())

    def _changed(self, blocks: Sequence[int]) -> tuple[dict[int, str], list[int]]:
        """Changed documents of some blocks with their stamps, and ids of deleted ones."""
        now = self._source.stamped(blocks)
        wanted = set(blocks)
        changed = {id_: stamp for id_, stamp in now.items() if self._held.get(id_) != stamp}
        return changed, [id_ for id_ in self._held if id_ // BLOCK in wanted and id_ not in now]

    def _count_unlabelled(self, changed: Sequence[int]) -> None:
        """Count unlabelled surfaces in changed documents and in those with a new surface."""
        wanted = set(changed)
        fresh = self._counts.pop_new_surfaces()
        older = self._held.keys() - wanted
        if len(fresh) > MOST_ASKED:
            wanted |= older
        elif fresh and older:
            with self._workspace.reading() as db:
                for surface in fresh:
                    wanted.update(older & set(text_index.hits(db, self._project, surface).numbers))
        ids = sorted(wanted)
        for start in range(0, len(ids), CHUNK):
            some = ids[start : start + CHUNK]
            left = {
                id_: unlabelled(document, self._counts.occurrences(document.text), refused)
                for id_, document, refused in self._source.judged(some)
            }
            for id_ in some:
                self._counts.put_unlabelled(id_, left.get(id_, ()))


def unlabelled(
    document: Document, places: Iterable[tuple[int, int]], but: Collection[tuple[int, int]] = ()
) -> list[str]:
    """The surfaces at these offsets that are in annotated regions and do not overlap any span.

    Args:
        but: offsets to ignore.
    """
    regions = annotated_regions(document)
    if regions == ():
        return []
    under = bytearray(len(document.text))
    for span in document.spans:
        under[span.start : span.end] = b"\1" * len(span)
    return [
        document.text[start:end]
        for start, end in places
        if (start, end) not in but and is_annotated(regions, start, end) and under.find(1, start, end) < 0
    ]
