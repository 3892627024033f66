"""A refusal of what goes beyond a limit, and how many there have been."""

from __future__ import annotations

import math
from collections import Counter

from app.i18n import Message, _, counted
from app.services.errors import AppError

# By the name of the limit, since the process began; names of people are not in it.
REFUSED: Counter[str] = Counter()


class OverLimit(AppError):
    """Somebody asked for more than a limit allows.

    Args:
        limit: its name, for the metrics. seconds: after which it is worth another try; None for what no
            waiting makes smaller, such as a text.
    """

    def __init__(
        self, limit: str, template: str | Message, /, *, seconds: float | None = None, **values: object
    ) -> None:
        super().__init__(template, **values)
        self.limit = limit
        self.seconds = None if seconds is None else max(1, math.ceil(seconds))
        REFUSED[limit] += 1

    @property
    def status(self) -> int:
        """Of HTTP: 429 Too Many Requests, or 413 Content Too Large."""
        return 413 if self.seconds is None else 429

    @property
    def headers(self) -> dict[str, str]:
        """Of HTTP: when to try again."""
        return {} if self.seconds is None else {"Retry-After": str(self.seconds)}


def waiting_time(seconds: float) -> Message:
    """A wait in words: in seconds, beyond two minutes in minutes."""
    if seconds <= 120:
        return counted.seconds(max(1, math.ceil(seconds)))
    return counted.minutes(math.ceil(seconds / 60))


def too_many_requests(seconds: float) -> OverLimit:
    """The refusal of a request."""
    return OverLimit(
        "requests",
        _("You have asked more often than this server allows. Try again in {time}."),
        seconds=seconds,
        time=waiting_time(seconds),
    )
