"""Annotation speed: working hours without pauses, documents and spans per hour."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.store.review.activity import Array, Saves

PAUSE = 5 * 60_000  # ms between two saves above which the interval is a pause
DAY = 86_400_000
LEAST_HOURS = 1 / 12  # ms of work needed for a speed: five minutes


@dataclass(frozen=True, slots=True)
class Pace:
    """Work of some people on some days.

    Args:
        hours: working hours. documents: distinct ones saved, by day and person. finished: marked done.
        spans: added.
    """

    hours: float
    documents: int
    finished: int
    spans: int

    @property
    def documents_per_hour(self) -> float | None:
        """None for less than five minutes of work."""
        return self.documents / self.hours if self.hours >= LEAST_HOURS else None

    @property
    def spans_per_hour(self) -> float | None:
        """None for less than five minutes of work."""
        return self.spans / self.hours if self.hours >= LEAST_HOURS else None


def pace(saves: Saves, chosen: Array | None = None) -> Pace:
    """The pace over all saves, or those where ``chosen`` ``[N]`` is true.

    Working time is the sum of a person's intervals between saves of at most five minutes; longer ones are
    pauses. The first save after a pause counts as the person's mean interval.
    """
    which = np.ones(len(saves.at), dtype=bool) if chosen is None else chosen
    days = saves.at[which] // DAY
    worked = len(
        set(zip(saves.user[which].tolist(), days.tolist(), saves.document[which].tolist(), strict=True))
    )
    return Pace(
        float(times(saves)[which].sum()) / 3_600_000,
        worked,
        int(saves.finished[which].sum()),
        int(saves.added[which].sum()),
    )


def times(saves: Saves) -> Array:
    """``[N]``, the milliseconds of work that led to each save."""
    gaps = np.diff(saves.at, prepend=0).astype(float)
    went_on = np.r_[False, saves.user[1:] == saves.user[:-1]] & (gaps <= PAUSE) if len(gaps) else gaps > 0
    spent = np.where(went_on, gaps, 0.0)
    for user in range(len(saves.users)):
        mine = saves.user == user
        intervals = mine & went_on
        if intervals.any():
            spent[mine & ~went_on] = gaps[intervals].mean()
    return spent
