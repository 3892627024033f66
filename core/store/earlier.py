"""What people decided about a surface elsewhere in a project, ready to be asked while a document is opened.

The index is kept in memory and follows the store: counts of labelled spans and of rejections by surface, from
the current annotation of every document outside the trash. Reading a project the first time takes seconds for
tens of thousands of documents; afterwards only documents whose revision moved are read again. Asking it reads
nothing but memory.
"""

from __future__ import annotations

import json
import threading
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from core.store.projects import checked_id
from core.store.span_json import load_spans
from core.store.workspace import Workspace
from core.text import Span

LONGEST_SURFACE = 60  # longer ones do not come again
MOST_FOUND = 2_000  # in one text
HEAD = 2  # characters by which surfaces are looked up
CHUNK = 2_000
BLOCK = 512  # documents whose changes are looked for together
Key = tuple[str, str]  # surface, label


@dataclass(frozen=True, slots=True)
class Decisions:
    """How often a surface was labelled so, was labelled otherwise, and had this label rejected."""

    labelled: int = 0
    otherwise: int = 0
    rejected: int = 0

    @property
    def confidence(self) -> float:
        """``n / (n + m + r + 1)``: n times labelled so, m times otherwise, r times rejected.

        The share of decisions for the label, with one more decision against it than there were (Laplace's
        caution about what was seen rarely): 1/2 after one time, 9/10 after nine and no other decision.
        """
        return self.labelled / (self.labelled + self.otherwise + self.rejected + 1)

    @property
    def trust(self) -> float:
        """``(n + 1) / (n + r + 1)`` for a rule somebody wrote (a typed word, a pattern), which begins at 1.

        A surface it is wrong about fades: 1/2 after one rejection, 1/3 after two; acceptance brings it back.
        """
        return (self.labelled + 1) / (self.labelled + self.rejected + 1)


class EarlierDecisions:
    """The decisions of one project; methods may be called from any thread.

    Args:
        workspace: whose store. project_id: whose documents.
    """

    def __init__(self, workspace: Workspace, project_id: int) -> None:
        self._workspace = workspace
        self._project = checked_id(project_id)
        self._updating = threading.Lock()
        self._lock = threading.Lock()  # held for the moment of a question or of a document's change
        self._keys: list[tuple[Key, bool]] = []  # what is counted, by number; True: a rejection
        self._numbers: dict[tuple[Key, bool], int] = {}
        self._counts: array[int] = array("l")
        self._of_document: dict[int, tuple[int, array[int]]] = {}  # revision, numbers counted for it
        self._by_surface: dict[str, set[str]] = defaultdict(set)  # labels that stand or are rejected
        self._heads: dict[str, Counter[int]] = defaultdict(Counter)  # head -> lengths of surfaces
        self._stamps: dict[int, tuple[int, ...]] | None = None  # of every block of documents
        self._labels: tuple[str, ...] = ()

    @property
    def ready(self) -> bool:
        """Whether the project has been read once."""
        return self._stamps is not None

    def update(self) -> int:
        """Read what changed since the last time; returns how many documents. One thread at a time does."""
        with self._updating:
            stamps, labels = self._read_stamps()
            before = self._stamps or {}
            if labels != self._labels:  # a label may have another name now, which moves no revision
                with self._lock:
                    self._forget_all()
                before, self._labels = {}, labels
            blocks = [block for block in {**before, **stamps} if before.get(block) != stamps.get(block)]
            changed, gone = self._changed(blocks)
            for id_ in gone:
                with self._lock:
                    self._forget(id_)
            for start in range(0, len(changed), CHUNK):
                self._read(changed[start : start + CHUNK])
            self._stamps = stamps
            return len(changed) + len(gone)

    def find(self, text: str, *, but: int | None = None) -> list[Span]:
        """Where surfaces labelled elsewhere occur in a text, each label with its confidence as the score.

        Only labels that were given more often than rejected are suggested, and of occurrences of one label in
        each other only the longest; others may overlap.

        Args:
            but: the document the text is of: its own decisions do not count.
        """
        with self._lock:
            own = self._own(but)
            found: list[Span] = []
            reached: dict[str, int] = {}
            for start, end in self._occurrences(text):
                surface = text[start:end]
                for label in sorted(self._by_surface[surface]):
                    decisions = self._decisions(surface, label, own)
                    if decisions.labelled > decisions.rejected and end > reached.get(label, 0):
                        reached[label] = end
                        found.append(Span(start, end, label, decisions.confidence))
                if len(found) >= MOST_FOUND:
                    break
            return found

    def of(self, surface: str, label: str, *, but: int | None = None) -> Decisions:
        """What was decided about a surface and a label in all documents but one."""
        with self._lock:
            return self._decisions(surface, label, self._own(but))

    def _occurrences(self, text: str) -> Iterator[tuple[int, int]]:
        """Longest first where several begin together."""
        heads = self._heads
        for start in range(len(text)):
            for size in range(min(HEAD, len(text) - start), 0, -1):
                lengths = heads.get(text[start : start + size])
                if lengths is None:
                    continue
                for length in sorted(lengths, reverse=True):
                    if start + length <= len(text) and text[start : start + length] in self._by_surface:
                        yield start, start + length

    def _own(self, document_id: int | None) -> Counter[int]:
        held = self._of_document.get(document_id) if document_id is not None else None
        return Counter(held[1]) if held else Counter()

    def _decisions(self, surface: str, label: str, own: Counter[int]) -> Decisions:
        def count(other: str, rejected: bool) -> int:
            number = self._numbers.get(((surface, other), rejected))
            return 0 if number is None else self._counts[number] - own[number]

        labels = self._by_surface.get(surface, ())
        otherwise = sum(count(other, False) for other in labels if other != label)
        return Decisions(count(label, False), otherwise, count(label, True))

    def _read_stamps(self) -> tuple[dict[int, tuple[int, ...]], tuple[str, ...]]:
        """Of every block a few numbers that differ when an annotation in it does; the project's
        labels and what was made of them."""
        with self._workspace.reading() as db:
            rows = db.execute(
                "SELECT id / ?, count(*), sum(revision), sum(id * (revision + 1) % 1000003) "
                "FROM documents WHERE project_id = ? AND trashed IS NULL GROUP BY 1",
                (BLOCK, self._project),
            ).fetchall()
            names = db.execute(
                # A change is carried in steps that move no revision: its end is told too.
                "SELECT name FROM labels WHERE project_id = :project UNION ALL "
                "SELECT id || state || coalesce(undone, '') FROM label_changes WHERE project_id = :project",
                {"project": self._project},
            )
            return {row[0]: tuple(row)[1:] for row in rows}, tuple(sorted(row[0] for row in names))

    def _changed(self, blocks: Sequence[int]) -> tuple[list[tuple[int, int]], list[int]]:
        """Documents of some blocks to read with their revision, and numbers of those that are no more."""
        now: dict[int, int] = {}
        with self._workspace.reading() as db:
            for block in blocks:
                now.update(
                    (row[0], row[1])
                    for row in db.execute(
                        "SELECT id, revision FROM documents WHERE project_id = ? AND trashed IS NULL "
                        "AND id BETWEEN ? AND ?",
                        (self._project, block * BLOCK, block * BLOCK + BLOCK - 1),
                    )
                )
        held = self._of_document
        changed = [
            (id_, revision)
            for id_, revision in now.items()
            if (revision or id_ in held) and (id_ not in held or held[id_][0] != revision)
        ]
        wanted = set(blocks)
        return changed, [id_ for id_ in held if id_ // BLOCK in wanted and id_ not in now]

    def _read(self, wanted: Sequence[tuple[int, int]]) -> None:
        ids = json.dumps([id_ for id_, _ in wanted])
        found: dict[int, list[tuple[Key, bool]]] = {id_: [] for id_, _ in wanted}
        with self._workspace.reading() as db:
            db.execute("BEGIN")  # spans and rejections of one moment
            try:
                spans = db.execute(
                    'SELECT s.document_id, substr(d.text, s.start + 1, s."end" - s.start), s.label '
                    "FROM spans s JOIN documents d ON d.id = s.document_id "
                    'WHERE s.document_id IN (SELECT value FROM json_each(?)) AND s."end" - s.start <= ?',
                    (ids, LONGEST_SURFACE),
                ).fetchall()
                rejections = db.execute(
                    "SELECT id, text, rejected FROM documents "
                    "WHERE id IN (SELECT value FROM json_each(?)) AND rejected != '[]'",
                    (ids,),
                ).fetchall()
            finally:
                db.execute("COMMIT")
        for document_id, surface, label in spans:
            found[document_id].append(((surface, label), False))
        for row in rejections:
            for span in load_spans(row["rejected"]):
                if len(span) <= LONGEST_SURFACE:
                    surface = row["text"][span.start : span.end]
                    found[row["id"]].append(((surface, span.label), True))
        for id_, revision in wanted:
            with self._lock:
                self._forget(id_)
                self._count(id_, revision, found[id_])

    def _count(self, document_id: int, revision: int, items: Iterable[tuple[Key, bool]]) -> None:
        numbers = array("l", [self._number(item) for item in items])
        for number in numbers:
            if not self._counts[number]:
                self._stands(number)
            self._counts[number] += 1
        self._of_document[document_id] = (revision, numbers)

    def _forget(self, document_id: int) -> None:
        for number in self._of_document.pop(document_id, (0, ()))[1]:
            self._counts[number] -= 1
            if not self._counts[number]:
                self._falls(number)

    def _forget_all(self) -> None:
        for id_ in list(self._of_document):
            self._forget(id_)

    def _number(self, item: tuple[Key, bool]) -> int:
        number = self._numbers.setdefault(item, len(self._keys))
        if number == len(self._keys):
            self._keys.append(item)
            self._counts.append(0)
        return number

    def _stands(self, number: int) -> None:
        (surface, label), _ = self._keys[number]
        if surface not in self._by_surface:
            self._heads[surface[:HEAD]][len(surface)] += 1
        self._by_surface[surface].add(label)

    def _falls(self, number: int) -> None:
        (surface, label), rejected = self._keys[number]
        other = self._numbers.get(((surface, label), not rejected))
        if other is not None and self._counts[other]:
            return
        self._by_surface[surface].discard(label)
        if not self._by_surface[surface]:
            del self._by_surface[surface]
            lengths = self._heads[surface[:HEAD]]
            lengths[len(surface)] -= 1
            if not lengths[len(surface)]:
                del lengths[len(surface)]
            if not lengths:
                del self._heads[surface[:HEAD]]
