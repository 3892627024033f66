"""Agreement on links: whether two annotators link the spans that both have to the same entry."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from core.agreement.reliability_data import ReliabilityData
from core.agreement.result import NO_LINKS, Reason
from core.agreement.tallies import Array, Tallies, safe_divide, tally_table
from core.text import EntityLink, Span


def has_links(data: ReliabilityData) -> bool:
    """Whether any annotator has linked a span."""
    return any(
        span.link is not None
        for document in data.shared
        for spans in document.versions.values()
        for span in spans
    )


def link_agreement(data: ReliabilityData, pairs: Iterable[int], label: str | None = None) -> Tallies:
    """The share of equal links among spans that both annotators have and at least one has linked.

    Equal are links with the same id, of sources that are the same or unknown, and two that say there is no
    entry (NIL). A link and none are not equal; spans that neither has linked say nothing. Several pairs are
    summed, as precision of linked mentions is over mentions (Hachey, Radford, Nothman, Honnibal and Curran,
    Evaluating Entity Linking with Wikipedia, Artificial Intelligence 194, 2013, section 3).

    Args:
        pairs: indices into the data's pairs. label: restricts the spans; None for all.
    """
    names = [tuple(data.annotators[place] for place in data.pairs[pair]) for pair in pairs]
    equal, compared = np.zeros(len(data.shared)), np.zeros(len(data.shared))
    for at, document in enumerate(data.shared):
        for first, second in names:
            if first in document.versions and second in document.versions:
                both = _both(document.versions[first], document.versions[second], label)
                compared[at] += len(both)
                equal[at] += sum(are_equal(*links) for links in both)
    rows, nothing = np.arange(len(data.shared)), np.zeros(len(data.shared), dtype=np.int64)
    table = tally_table(len(data.shared), (rows, nothing, equal, 1), (rows, nothing, compared, 1))
    return Tallies(table, _share, _undefined_reason)


def are_equal(first: EntityLink | None, second: EntityLink | None) -> bool:
    """Whether two annotators mean the same entry; a link and none are not equal."""
    return first is not None and second is not None and first.same(second)


def _both(
    left: Sequence[Span], right: Sequence[Span], label: str | None
) -> list[tuple[EntityLink | None, EntityLink | None]]:
    """The two links of every span that both have and at least one has linked."""
    links = {span.key: span.link for span in left if label is None or span.label == label}
    pairs = ((links[span.key], span.link) for span in right if span.key in links)
    return [pair for pair in pairs if pair != (None, None)]


def _share(totals: Array) -> Array:
    return safe_divide(totals[..., 0], totals[..., 1])


def _undefined_reason(totals: Array) -> Reason:
    return NO_LINKS
