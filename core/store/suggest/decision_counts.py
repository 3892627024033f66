"""In-memory counts of people's decisions on surfaces, by document.

Three kinds of decisions are counted: labelled surfaces, rejected labels, and surfaces left unlabelled in
annotated regions.
"""

from __future__ import annotations

import threading
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from operator import add

from core.text import Span

HEAD = 2  # characters by which surfaces are looked up
LEFT = ""  # in a label's place: no label
Key = tuple[str, str]  # surface, label
Decided = tuple[Key, bool]  # True: the label was rejected


@dataclass(frozen=True, slots=True)
class Decisions:
    """How often a surface has this label, has another one, and had this label rejected.

    ``left``: how often it occurs unlabelled in annotated regions.
    """

    labelled: int = 0
    otherwise: int = 0
    rejected: int = 0
    left: int = 0

    @property
    def confidence(self) -> float:
        """``n / (n + m + r + u + 1)``: n times this label, m another, r times rejected, u times unlabelled.

        The share of decisions for the label, with one pseudo-count against it: 1/2 after one, 9/10 after nine
        and no other decision.
        """
        return self.labelled / (self.labelled + self.otherwise + self.rejected + self.left + 1)

    @property
    def trust(self) -> float:
        """``(n + 1) / (n + r + 1)`` for a rule (a typed word, a pattern), which starts at 1.

        Rejections lower it to 1/2, 1/3, …; acceptance raises it again.
        """
        return (self.labelled + 1) / (self.labelled + self.rejected + 1)


class DecisionCounts:
    """Decisions by surface and label; any thread may read, one at a time may write."""

    def __init__(self) -> None:
        self._lock = threading.Lock()  # held briefly
        self._keys: list[Decided] = []  # what is counted, by number
        self._numbers: dict[Decided, int] = {}
        self._counts: array[int] = array("l")
        self._of_document: dict[int, array[int]] = {}  # numbers counted for it
        self._left_in: dict[int, array[int]] = {}  # by document, numbers counted for what was left
        self._fresh: set[str] = set()
        self._by_surface: dict[str, set[str]] = defaultdict(set)  # labels that stand or are rejected
        self._heads: dict[str, Counter[int]] = defaultdict(Counter)  # head -> lengths of surfaces

    def find(self, text: str, *, but: int | None = None) -> list[Span]:
        """Suggest labels for surfaces labelled elsewhere, with the confidence as score.

        Only labels given more often than rejected or left out are suggested. Of nested spans with one label
        only the longest stays; others may overlap.

        Args:
            but: the text's document, whose decisions do not count.
        """
        with self._lock:
            own_counts = self._counts_of(but)
            spans: list[Span] = []
            reached: dict[str, int] = {}
            suggested: dict[str, list[tuple[str, float]]] = {}  # a long text has the same surface many times
            for start, end in self.occurrences(text):
                surface = text[start:end]
                given = suggested.get(surface)
                if given is None:
                    given = suggested[surface] = list(self._suggested(surface, own_counts))
                for label, confidence in given:
                    if end > reached.get(label, 0):
                        reached[label] = end
                        spans.append(Span(start, end, label, confidence))
            return spans

    def of(self, surface: str, label: str, *, but: int | None = None) -> Decisions:
        """Decisions on a surface and a label in all documents but one."""
        with self._lock:
            return self._decisions(surface, label, self._counts_of(but))

    def occurrences(self, text: str) -> Iterator[tuple[int, int]]:
        """Occurrences of counted surfaces; at the same start, longest first."""
        heads, surfaces = self._heads, self._by_surface
        pairs = map(add, text, chain(text[1:], ("",)))
        starts = [
            at
            for at, (one, pair) in enumerate(zip(text, pairs, strict=True))
            if pair in heads or one in heads
        ]
        longest_first: dict[str, list[int]] = {}
        for start in starts:
            head = text[start : start + HEAD]
            lengths = longest_first.get(head)
            if lengths is None:
                # Of heads of two characters, then of the one that is a surface itself.
                lengths = longest_first[head] = sorted({*heads.get(head, ()), *heads.get(head[0], ())})[::-1]
            for length in lengths:
                surface = text[start : start + length]
                if len(surface) == length and surface in surfaces:
                    yield start, start + length

    def put(self, document_id: int, decided: Iterable[Decided]) -> None:
        """Replace the counts of a document's decisions."""
        with self._lock:
            self._forget(document_id)
            self._of_document[document_id] = self._increment(decided)

    def put_unlabelled(self, document_id: int, surfaces: Iterable[str]) -> None:
        """Replace the counts of a document's unlabelled surfaces."""
        with self._lock:
            self._decrement(self._left_in.pop(document_id, ()))
            self._left_in[document_id] = self._increment(((surface, LEFT), True) for surface in surfaces)

    def forget(self, document_ids: Iterable[int]) -> None:
        """Remove the counts of these documents."""
        for id_ in document_ids:
            with self._lock:
                self._forget(id_)

    def pop_new_surfaces(self) -> set[str]:
        """The surfaces counted for the first time since the last call."""
        fresh, self._fresh = self._fresh, set()
        return fresh

    def _counts_of(self, document_id: int | None) -> Counter[int]:
        if document_id is None or document_id not in self._of_document:
            return Counter()
        return Counter([*self._of_document[document_id], *self._left_in.get(document_id, ())])

    def _suggested(self, surface: str, excluded: Counter[int]) -> Iterator[tuple[str, float]]:
        """The labels given to a surface more often than rejected or left out, with their confidence."""
        for label in sorted(self._by_surface[surface] - {LEFT}):
            decisions = self._decisions(surface, label, excluded)
            if decisions.labelled > decisions.rejected + decisions.left:
                yield label, decisions.confidence

    def _decisions(self, surface: str, label: str, excluded: Counter[int]) -> Decisions:
        def count(other: str, rejected: bool) -> int:
            number = self._numbers.get(((surface, other), rejected))
            return 0 if number is None else self._counts[number] - excluded[number]

        labels = self._by_surface.get(surface, ())
        otherwise = sum(count(other, False) for other in labels if other != label)
        return Decisions(count(label, False), otherwise, count(label, True), count(LEFT, True))

    def _increment(self, decided: Iterable[Decided]) -> array[int]:
        numbers = array("l", [self._number(item) for item in decided])
        for number in numbers:
            if not self._counts[number]:
                self._add_label(number)
            self._counts[number] += 1
        return numbers

    def _decrement(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            self._counts[number] -= 1
            if not self._counts[number]:
                self._remove_label(number)

    def _forget(self, document_id: int) -> None:
        self._decrement(self._left_in.pop(document_id, ()))
        self._decrement(self._of_document.pop(document_id, ()))

    def _number(self, item: Decided) -> int:
        number = self._numbers.setdefault(item, len(self._keys))
        if number == len(self._keys):
            self._keys.append(item)
            self._counts.append(0)
        return number

    def _add_label(self, number: int) -> None:
        (surface, label), _ = self._keys[number]
        if surface not in self._by_surface:
            self._heads[surface[:HEAD]][len(surface)] += 1
            self._fresh.add(surface)
        self._by_surface[surface].add(label)

    def _remove_label(self, number: int) -> None:
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
