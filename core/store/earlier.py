"""What people decided about a surface elsewhere in a project, ready to be asked while a document is opened.

The index is kept in memory and follows the store: counts by surface of labelled spans, of rejections, and of
places in looked-at text left without a label, from the current annotation of every document outside the
trash. Reading a project the first time takes seconds for tens of thousands of documents; afterwards only
documents that changed are read again, and those in which a surface stands that is new. Asking it reads
nothing but memory.
"""

from __future__ import annotations

import json
import threading
from array import array
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from core.store import judged_documents, text_index
from core.store.projects import checked_id
from core.store.span_json import load_spans
from core.store.workspace import Workspace
from core.text import Document, Span
from core.text.looked import is_looked_at, looked_regions

LONGEST_SURFACE = 60  # longer ones do not come again
MOST_FOUND = 2_000  # in one text
HEAD = 2  # characters by which surfaces are looked up
CHUNK = 2_000
BLOCK = 512  # documents whose changes are looked for together
MOST_ASKED = 200  # surfaces that are new at once, each looked for in the text index
UNTOUCHED = "0:"  # the stamp of a document nobody has worked on
LEFT = ""  # in a label's place: no label
Key = tuple[str, str]  # surface, label


@dataclass(frozen=True, slots=True)
class Decisions:
    """How often a surface was labelled so, was labelled otherwise, and had this label rejected.

    ``left``: how often it stands, without any label over it, in text that people have looked at.
    """

    labelled: int = 0
    otherwise: int = 0
    rejected: int = 0
    left: int = 0

    @property
    def confidence(self) -> float:
        """``n / (n + m + r + u + 1)``: n times labelled so, m otherwise, r times rejected, u times left so.

        The share of decisions for the label, with one more decision against it than there were (Laplace's
        caution about what was seen rarely): 1/2 after one time, 9/10 after nine and no other decision.
        """
        return self.labelled / (self.labelled + self.otherwise + self.rejected + self.left + 1)

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
        self._of_document: dict[int, tuple[str, array[int]]] = {}  # its stamp, numbers counted for it
        self._left_in: dict[int, array[int]] = {}  # by document, numbers counted for what was left
        self._fresh: set[str] = set()  # surfaces not looked for yet in the documents read before
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
            self._look_for_what_was_left([id_ for id_, _ in changed])
            self._stamps = stamps
            return len(changed) + len(gone)

    def find(self, text: str, *, but: int | None = None) -> list[Span]:
        """Where surfaces labelled elsewhere occur in a text, each label with its confidence as the score.

        Only labels that were given more often than rejected or left out are suggested, and of occurrences of
        one label in each other only the longest; others may overlap.

        Args:
            but: the document the text is of: its own decisions do not count.
        """
        with self._lock:
            own = self._own(but)
            found: list[Span] = []
            reached: dict[str, int] = {}
            for start, end in self._occurrences(text):
                surface = text[start:end]
                for label in sorted(self._by_surface[surface] - {LEFT}):
                    decisions = self._decisions(surface, label, own)
                    against = decisions.rejected + decisions.left
                    if decisions.labelled > against and end > reached.get(label, 0):
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
        heads, known, end = self._heads, self._by_surface, len(text)
        for start in range(end):
            # Every character of a text comes by here: heads of two, then of one.
            lengths = heads.get(text[start : start + HEAD]) if start + HEAD <= end else None
            if lengths is not None:
                for length in sorted(lengths, reverse=True) if len(lengths) > 1 else lengths:
                    if start + length <= end and text[start : start + length] in known:
                        yield start, start + length
            if text[start] in heads:
                yield start, start + 1

    def _own(self, document_id: int | None) -> Counter[int]:
        if document_id is None or document_id not in self._of_document:
            return Counter()
        return Counter([*self._of_document[document_id][1], *self._left_in.get(document_id, ())])

    def _decisions(self, surface: str, label: str, own: Counter[int]) -> Decisions:
        def count(other: str, rejected: bool) -> int:
            number = self._numbers.get(((surface, other), rejected))
            return 0 if number is None else self._counts[number] - own[number]

        labels = self._by_surface.get(surface, ())
        otherwise = sum(count(other, False) for other in labels if other != label)
        return Decisions(count(label, False), otherwise, count(label, True), count(LEFT, True))

    def _read_stamps(self) -> tuple[dict[int, tuple[int, ...]], tuple[str, ...]]:
        """Of every block a few numbers that differ when an annotation in it does; the project's
        labels and what was made of them."""
        with self._workspace.reading() as db:
            rows = db.execute(
                "SELECT id / :block, count(*), sum(revision), sum(id * (revision + 1) % 1000003), "
                "coalesce(sum(marks), 0) FROM documents LEFT JOIN (SELECT document_id, "
                'sum((start * 31 + "end" + 1) % 1000003) AS marks FROM looked GROUP BY 1) '
                "ON document_id = id WHERE project_id = :project AND trashed IS NULL GROUP BY 1",
                {"block": BLOCK, "project": self._project},
            ).fetchall()
            names = db.execute(
                # A change is carried in steps that move no revision: its end is told too.
                "SELECT name FROM labels WHERE project_id = :project UNION ALL "
                "SELECT id || state || coalesce(undone, '') FROM label_changes WHERE project_id = :project",
                {"project": self._project},
            )
            return {row[0]: tuple(row)[1:] for row in rows}, tuple(sorted(row[0] for row in names))

    def _changed(self, blocks: Sequence[int]) -> tuple[list[tuple[int, str]], list[int]]:
        """Documents of some blocks to read with their stamp, and numbers of those that are no more.

        A stamp is the revision, and what is marked as looked at, which moves none.
        """
        now: dict[int, str] = {}
        with self._workspace.reading() as db:
            for block in blocks:
                now.update(
                    (row[0], row[1])
                    for row in db.execute(
                        "SELECT id, revision || ':' || coalesce((SELECT group_concat(start || '-' || "
                        "\"end\") FROM looked WHERE document_id = id), '') "
                        "FROM documents WHERE project_id = ? AND trashed IS NULL "
                        "AND id BETWEEN ? AND ?",
                        (self._project, block * BLOCK, block * BLOCK + BLOCK - 1),
                    )
                )
        held = self._of_document
        changed = [
            (id_, stamp)
            for id_, stamp in now.items()
            if (stamp != UNTOUCHED or id_ in held) and (id_ not in held or held[id_][0] != stamp)
        ]
        wanted = set(blocks)
        return changed, [id_ for id_ in held if id_ // BLOCK in wanted and id_ not in now]

    def _look_for_what_was_left(self, changed: Sequence[int]) -> None:
        """Count, in documents that changed and in others with a surface that is new, what has no label."""
        wanted = {id_ for id_ in changed if id_ in self._of_document}
        fresh, self._fresh = self._fresh, set()
        older = self._of_document.keys() - wanted
        if len(fresh) > MOST_ASKED:
            wanted |= older
        elif fresh and older:
            with self._workspace.reading() as db:
                for surface in fresh:
                    wanted.update(older & set(text_index.hits(db, self._project, surface, trashed=False)))
        ids = sorted(wanted)
        for start in range(0, len(ids), CHUNK):
            some = ids[start : start + CHUNK]
            found = dict(judged_documents.several(self._workspace, self._project, some))
            refused = self._refused(some)
            for id_ in some:
                document = found.get(id_)
                places = self._occurrences(document.text) if document else ()
                left = unlabelled(document, places, refused.get(id_, ())) if document else []
                with self._lock:
                    self._forget_left(id_)
                    numbers = array("l", [self._number(((surface, LEFT), True)) for surface in left])
                    self._left_in[id_] = self._more(numbers)

    def _refused(self, ids: Sequence[int]) -> dict[int, set[tuple[int, int]]]:
        """Where something was rejected: that is counted as such."""
        with self._workspace.reading() as db:
            rows = db.execute(
                "SELECT id, rejected FROM documents WHERE rejected != '[]' "
                "AND id IN (SELECT value FROM json_each(?))",
                (json.dumps(list(ids)),),
            ).fetchall()
        return {row[0]: {(span.start, span.end) for span in load_spans(row[1])} for row in rows}

    def _read(self, wanted: Sequence[tuple[int, str]]) -> None:
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
        for id_, stamp in wanted:
            with self._lock:
                self._forget(id_)
                self._count(id_, stamp, found[id_])

    def _count(self, document_id: int, stamp: str, items: Iterable[tuple[Key, bool]]) -> None:
        numbers = array("l", [self._number(item) for item in items])
        self._of_document[document_id] = (stamp, self._more(numbers))

    def _more(self, numbers: array[int]) -> array[int]:
        for number in numbers:
            if not self._counts[number]:
                self._stands(number)
            self._counts[number] += 1
        return numbers

    def _less(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            self._counts[number] -= 1
            if not self._counts[number]:
                self._falls(number)

    def _forget(self, document_id: int) -> None:
        self._forget_left(document_id)
        self._less(self._of_document.pop(document_id, ("", ()))[1])

    def _forget_left(self, document_id: int) -> None:
        self._less(self._left_in.pop(document_id, ()))

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
            self._fresh.add(surface)
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


def unlabelled(
    document: Document, places: Iterable[tuple[int, int]], but: Collection[tuple[int, int]] = ()
) -> list[str]:
    """The surfaces at these places that people looked at and left: no character of them lies under a span.

    Args:
        but: places that do not count.
    """
    regions = looked_regions(document)
    if regions == ():
        return []
    under = bytearray(len(document.text))
    for span in document.spans:
        under[span.start : span.end] = b"\1" * len(span)
    return [
        document.text[start:end]
        for start, end in places
        if (start, end) not in but and is_looked_at(regions, start, end) and under.find(1, start, end) < 0
    ]
