"""Random, balanced assignment of every document to ``overlap`` people, in increments.

Pure functions; `core.store.project.assignments` reads and writes the tables.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping, Sequence

from core.store.db.errors import PeopleError

Hands = dict[int, frozenset[str]]  # by document: who has it


def deal(
    documents: Sequence[int],
    people: Collection[str],
    overlap: int,
    *,
    held: Mapping[int, Collection[str]] | None = None,
    begun: Collection[tuple[int, str]] = (),
    again: bool = False,
    seed: int = 0,
) -> Hands:
    """Compute who gets which document.

    Every document gets exactly ``overlap`` people, or all who have begun it if they are more. Loads differ by
    at most one as far as begun documents and (unless ``again``) earlier assignments allow.

    Args:
        held: current assignments; anyone not in ``people`` loses documents they have not begun.
        begun: fixed assignments, as (document, person).
        again: also reassign documents that nobody has begun, to even out the loads.

    Raises:
        PeopleError: fewer people than ``overlap``, or none.
    """
    people = sorted(set(people))
    if not people:
        raise PeopleError("Choose at least one person to assign documents to.")
    if not 1 <= overlap <= len(people):
        raise PeopleError(
            "{overlap} people cannot annotate each document: only {people} take part. Add people, or "
            "choose a smaller number.",
            overlap=overlap,
            people=len(people),
        )
    table = _Table(people, overlap, frozenset(begun), random.Random(seed))  # noqa: S311 - no secret
    table.keep_held(documents, held or {})
    table.fill()
    table.balance(again)
    return {document: frozenset(hands) for document, hands in table.hands.items()}


class _Table:
    """Assignments in progress."""

    def __init__(
        self, people: list[str], overlap: int, begun: frozenset[tuple[int, str]], chance: random.Random
    ) -> None:
        self.overlap, self.begun, self.chance = overlap, begun, chance
        self.load = dict.fromkeys(people, 0)
        self.hands: dict[int, set[str]] = {}
        self.fresh: set[tuple[int, str]] = set()

    def keep_held(self, documents: Sequence[int], held: Mapping[int, Collection[str]]) -> None:
        """Keep begun documents, and of the other assignments as many as ``overlap`` allows."""
        for document in documents:
            hands = set(held.get(document, ()))
            self.hands[document] = {who for who in hands if (document, who) in self.begun or who in self.load}
            for who in self.hands[document] & self.load.keys():
                self.load[who] += 1
        for document, hands in self.hands.items():
            while len(hands) > self.overlap and (loose := self._movable(document)):
                self._drop(document, max(loose, key=lambda who: self.load[who]))

    def fill(self) -> None:
        """Give each document to the people with the smallest loads."""
        order = list(self.hands)
        self.chance.shuffle(order)
        for document in order:
            hands = self.hands[document]
            free = [who for who in self.load if who not in hands]
            self.chance.shuffle(free)
            free.sort(key=lambda who: self.load[who])
            for who in free[: max(0, self.overlap - len(hands))]:
                hands.add(who)
                self.load[who] += 1
                self.fresh.add((document, who))

    def balance(self, again: bool) -> None:
        """Move documents from the largest to the smallest loads while that evens them out."""
        movable: dict[str, list[int]] = {who: [] for who in self.load}
        for document in self.hands:
            for who in self._movable(document):
                if again or (document, who) in self.fresh:
                    movable[who].append(document)
        for cards in movable.values():
            self.chance.shuffle(cards)
        while self._move_one(movable):
            pass

    def _move_one(self, movable: dict[str, list[int]]) -> bool:
        by_load = sorted(self.load, key=lambda who: (self.load[who], who))
        for rich in reversed(by_load):
            for poor in by_load:
                if self.load[rich] - self.load[poor] < 2:
                    break
                for at, document in enumerate(movable[rich]):
                    if poor not in self.hands[document]:
                        movable[poor].append(movable[rich].pop(at))
                        self._drop(document, rich)
                        self.hands[document].add(poor)
                        self.load[poor] += 1
                        return True
        return False

    def _movable(self, document: int) -> list[str]:
        return sorted(
            who for who in self.hands[document] if who in self.load and (document, who) not in self.begun
        )

    def _drop(self, document: int, who: str) -> None:
        self.hands[document].discard(who)
        self.load[who] -= 1
