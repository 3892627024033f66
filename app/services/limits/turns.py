"""Fair queueing for taggers: each person has one request running at a time, the longest waiting first.

A question that waits holds a thread of the server, of which there are forty, and a save needs one too. So
only so many may wait; whoever comes then is told to try again.
"""

from __future__ import annotations

import threading
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from app.i18n import _
from app.services.limits.refusals import OverLimit

SOON = 5.0  # seconds in which a question is answered as a rule

# Set in a thread of its own, such as that of long work, which keeps nobody's save waiting.
patient: ContextVar[bool] = ContextVar("patient", default=False)


@dataclass(frozen=True, slots=True, eq=False)
class _Place:
    """A use of a tagger, had or waited for."""

    who: Hashable
    patient: bool


class Turns:
    """Lets in those who have waited longest, one of each person at a time; thread-safe.

    Long work, whose threads are ``patient``, never has all of several turns: questions then wait for
    questions alone, each of which is soon answered.

    Args:
        at_once: how many may be in. each: of one person, in or waiting; None for any number.
        everybody: of all people, in or waiting. Those who are ``patient`` always may wait.
    """

    def __init__(self, at_once: int, each: int | None = None, everybody: int | None = None) -> None:
        self._at_once, self._each, self._everybody = at_once, each, everybody
        self._in: list[_Place] = []
        self._waiting: list[_Place] = []  # the first first
        self._bounded: list[Hashable] = []  # whoever holds a thread of the server
        self._free = threading.Condition()
        self._mine = threading.local()

    @contextmanager
    def turn(self, who: Hashable) -> Iterator[None]:
        """Wait for a turn and hold it in the block; a thread that already holds one does not wait again.

        Raises:
            OverLimit: too many wait, of this person or of all.
        """
        if getattr(self._mine, "has", False):
            yield
            return
        place = _Place(who, patient.get())
        with self._free:
            if not place.patient:
                self._check(who)
                self._bounded.append(who)
            self._waiting.append(place)
            try:
                self._free.wait_for(lambda: self._next() is place)
                self._in.append(place)
            except BaseException:
                self._leave(place)
                raise
            finally:
                self._waiting.remove(place)
                self._free.notify_all()
        self._mine.has = True
        try:
            yield
        finally:
            self._mine.has = False
            with self._free:
                self._in.remove(place)
                self._leave(place)
                self._free.notify_all()

    def ahead(self, who: Hashable, uncounted: Hashable = None) -> int:
        """How many others come before the first question of ``who`` that waits; 0 if none waits for them.

        Args:
            uncounted: is no other.
        """
        with self._free:
            if any(place.who == who for place in self._in):
                return 0
            places = [place.who for place in self._waiting]
            if who not in places:
                return 0
            others = {place.who for place in self._in}.union(places[: places.index(who)])
            return len(others - {uncounted})

    def _next(self) -> _Place | None:
        """The next place: the longest waiting of a person who holds no turn."""
        if len(self._in) >= self._at_once:
            return None
        inside = {place.who for place in self._in}
        works = sum(place.patient for place in self._in)
        room = self._at_once == 1 or works < self._at_once - 1  # for long work
        may = (place for place in self._waiting if place.who not in inside and (room or not place.patient))
        return next(may, None)

    def _check(self, who: Hashable) -> None:
        if self._each is not None and self._bounded.count(who) >= self._each:
            raise OverLimit(
                "questions",
                _(
                    "Your earlier questions are still being worked on. Wait until they are answered, then "
                    "try again."
                ),
                seconds=SOON,
            )
        if self._everybody is not None and len(self._bounded) >= self._everybody:
            raise OverLimit(
                "questions",
                _("Many people are asking the tagger at this moment. Try again in a few seconds."),
                seconds=SOON,
            )

    def _leave(self, place: _Place) -> None:
        if not place.patient:
            self._bounded.remove(place.who)
