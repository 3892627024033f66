"""How fast people work: hours at work without the pauses, documents and spans an hour."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.store.review.activity import Array, Saves

PAUSE = 5 * 60_000  # ms between two saves of a person from which on they were away
DAY = 86_400_000
LEAST_HOURS = 1 / 12  # of work before a speed is told: five minutes


@dataclass(frozen=True, slots=True)
class Pace:
    """Work of some people over some days.

    Args:
        hours: at work. documents: different ones saved in, by day and person. finished: made done.
        spans: added.
    """

    hours: float
    documents: int
    finished: int
    spans: int

    @property
    def documents_per_hour(self) -> float | None:
        """None with less than five minutes of work."""
        return self.documents / self.hours if self.hours >= LEAST_HOURS else None

    @property
    def spans_per_hour(self) -> float | None:
        """None with less than five minutes of work."""
        return self.spans / self.hours if self.hours >= LEAST_HOURS else None


def pace(saves: Saves, chosen: Array | None = None) -> Pace:
    """The pace over all saves, or over those that ``chosen`` ``[N]`` holds true.

    Time at work is the sum of the times between two saves of one person that are at most five minutes apart;
    longer ones are pauses. What came before the first save after a pause is not seen, so each such save
    counts with that person's mean time between saves.
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
        known = mine & went_on
        if known.any():
            spent[mine & ~went_on] = gaps[known].mean()
    return spent
