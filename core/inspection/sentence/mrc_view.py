"""The predictions of a tagger with one query per label, and how they change with the queries."""

from __future__ import annotations

from dataclasses import dataclass

from core.taggers.base.trace import Array, MrcTrace, Trace


@dataclass(frozen=True, slots=True)
class BoundariesView:
    """Probabilities of span boundaries.

    Args:
        labels: of the queries, ``[Q]``. tokens: ``[T]``.
        starts, ends: probability that a span starts, or ends, at a token, ``[Q, T]``; with ``is_change`` the
            difference of two probabilities.
    """

    labels: tuple[str, ...]
    tokens: tuple[str, ...]
    starts: Array
    ends: Array
    is_change: bool


@dataclass(frozen=True, slots=True)
class MatchView:
    """Probabilities of spans for one query.

    Args:
        label, query: the label and its query. tokens: ``[T]``.
        match: probability of every span, ``[T, T]``, row = first character, column = last; NaN if it was not
            scored. With ``is_change`` the difference of two probabilities.
    """

    label: str
    query: str
    tokens: tuple[str, ...]
    match: Array
    is_change: bool


def boundaries_view(trace: Trace, minus: Trace | None = None) -> BoundariesView:
    """Starts and ends for all queries of a trace, or their difference to those of ``minus``."""
    mrc = _mrc(trace)
    starts, ends = mrc.start, mrc.end
    if minus is not None:
        starts, ends = starts - _mrc(minus).start, ends - _mrc(minus).end
    return BoundariesView(mrc.labels, trace.tokens, starts, ends, minus is not None)


def match_view(trace: Trace, query: int, minus: Trace | None = None) -> MatchView:
    """The match for one query of a trace, or its difference to that of ``minus``.

    Raises:
        IndexError: there is no such query.
    """
    mrc = _mrc(trace)
    if not 0 <= query < len(mrc.queries):
        raise IndexError(f"query {query} of {len(mrc.queries)}")
    match = mrc.matrix(query)
    if minus is not None:
        match = match - _mrc(minus).matrix(query)
    return MatchView(mrc.labels[query], mrc.queries[query], trace.tokens, match, minus is not None)


def _mrc(trace: Trace) -> MrcTrace:
    assert trace.mrc is not None
    return trace.mrc
