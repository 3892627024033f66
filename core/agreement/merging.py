"""Merging of several versions of a document: their differences, and merge strategies.

A version belongs to one voter: an annotator, or a tagger with a vote. Outside an annotator's annotated
regions the absence of a span counts neither for nor against the spans of others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from core.runtime.message import ToldValueError
from core.text import EntityLink, Span, SpanKey, sort_spans
from core.text.annotated_regions import Region, is_annotated, joined

Strategy = Literal["unanimous", "majority", "threshold"]
STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)
Kind = Literal["unanimous", "missing", "unseen", "boundary", "label", "mixed"]


@dataclass(frozen=True, slots=True)
class Version:
    """One voter's version of a document; ``annotated``: the annotated regions, None for all of it."""

    voter: str
    spans: tuple[Span, ...]
    annotated: tuple[Region, ...] | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """One span and its voters, in the order of the versions; no voters if a reviewer made it.

    ``silent``: voters without it who have not annotated all of its region.
    """

    span: Span
    voters: tuple[str, ...]
    silent: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Difference:
    """Competing spans, in reading order.

    ``kind``: unanimous (every voter has it), missing (some voter lacks it), unseen (those who lack it have
    not annotated there), boundary (same label), label (same extent), mixed.
    """

    kind: Kind
    candidates: tuple[Candidate, ...]


def votes_needed(strategy: Strategy, voters: int, threshold: int | None = None) -> int:
    """The number of ``voters`` that must have a span: all, more than half, or ``threshold``.

    Raises:
        ValueError: no voters, no such strategy, or a threshold outside 1 to ``voters``.
    """
    if voters < 1:
        raise ToldValueError("there are no versions to merge")
    if strategy == "unanimous":
        return voters
    if strategy == "majority":
        return voters // 2 + 1
    if strategy != "threshold":
        raise ToldValueError(
            "a merge strategy is one of {strategies}, got {strategy}",
            strategies=STRATEGIES,
            strategy=repr(strategy),
        )
    is_number = isinstance(threshold, int) and not isinstance(threshold, bool)
    if not is_number or not 1 <= threshold <= voters:  # type: ignore[operator]
        raise ToldValueError(
            "the threshold is a number of voters from 1 to {voters}, got {threshold}",
            voters=voters,
            threshold=repr(threshold),
        )
    return threshold  # type: ignore[return-value]


def candidates(versions: Sequence[Version], extra: Iterable[Span] = ()) -> tuple[Candidate, ...]:
    """Every span of any version with its voters, in reading order.

    Args:
        extra: spans to list even if no version has them (those a reviewer decided on).
    """
    spans = {span.key for version in versions for span in version.spans} | {span.key for span in extra}
    has = {version.voter: {span.key for span in version.spans} for version in versions}
    if len(has) != len(versions):
        raise ToldValueError("two versions of one voter cannot be merged")
    ordered = sort_spans(Span(*key, link=agreed_link(versions, key)) for key in spans)
    return tuple(
        Candidate(
            span,
            tuple(voter for voter, keys in has.items() if span.key in keys),
            tuple(v.voter for v in versions if span.key not in has[v.voter] and not _annotates(v, span)),
        )
        for span in ordered
    )


def links_of(versions: Sequence[Version], key: SpanKey) -> list[tuple[str, EntityLink | None]]:
    """The link that each voter who has the span gave it, None for none, in the order of the versions."""
    return [(one.voter, span.link) for one in versions for span in one.spans if span.key == key]


def agreed_link(versions: Sequence[Version], key: SpanKey) -> EntityLink | None:
    """The link that more of the voters who linked the span gave it than any other; None if there is no such.

    Two links to one entry, of which one does not name its source, are one link: the one with a source.
    """
    given = [link for _, link in links_of(versions, key) if link is not None]
    votes = [(sum(link.same(other) for other in given), bool(link.source), link) for link in given]
    if not votes:
        return None
    most, _, best = max(votes, key=lambda vote: vote[:2])
    return best if all(link.same(best) for count, _, link in votes if count == most) else None


def unseen(versions: Sequence[Version], length: int) -> tuple[Region, ...]:
    """The regions of a text of ``length`` characters that nobody has annotated, in order."""
    if any(version.annotated is None for version in versions):
        return ()
    seen = joined(region for version in versions for region in version.annotated or ())
    starts, ends = (0, *(end for _, end in seen)), (*(start for start, _ in seen), length)
    return joined(zip(starts, ends, strict=True))


def merge(versions: Sequence[Version], strategy: Strategy, threshold: int | None = None) -> tuple[Span, ...]:
    """The spans that enough versions have, of those whose annotated regions include them.

    With a threshold of half the voters or less, two competing spans may both be kept.

    Raises:
        ValueError: as ``votes_needed``; a voter has two versions.
    """
    votes_needed(strategy, len(versions), threshold)
    return tuple(
        candidate.span
        for candidate in candidates(versions)
        if len(candidate.voters) >= _needed(strategy, len(versions) - len(candidate.silent), threshold)
    )


def _needed(strategy: Strategy, answers: int, threshold: int | None) -> int:
    return votes_needed(strategy, answers, None if threshold is None else min(threshold, answers))


def differences(versions: Sequence[Version], extra: Iterable[Span] = ()) -> tuple[Difference, ...]:
    """All candidates, grouped into competing spans.

    Two spans compete if they overlap and no voter has both: a voter with both meant both. A span that every
    voter has is a group of its own.
    """
    spans = candidates(versions, extra)
    everyone = len(versions)
    groups: list[list[Candidate]] = []
    for candidate in spans:
        if len(candidate.voters) == everyone:
            groups.append([candidate])
            continue
        touching = [
            group
            for group in groups
            if any(len(other.voters) < everyone and _are_alternatives(candidate, other) for other in group)
        ]
        joined = [other for group in touching for other in group] + [candidate]
        groups = [group for group in groups if group not in touching] + [joined]
    made = [_difference(group, everyone) for group in groups]
    return tuple(sorted(made, key=lambda difference: _place(difference.candidates[0])))


def _annotates(version: Version, span: Span) -> bool:
    return is_annotated(version.annotated, span.start, span.end)


def _are_alternatives(candidate: Candidate, other: Candidate) -> bool:
    return candidate.span.overlaps(other.span) and not set(candidate.voters) & set(other.voters)


def _difference(group: Sequence[Candidate], everyone: int) -> Difference:
    ordered = tuple(sorted(group, key=_place))
    return Difference(_kind(ordered, everyone), ordered)


def _kind(group: Sequence[Candidate], everyone: int) -> Kind:
    if len(group) == 1:
        voters, silent = group[0].voters, group[0].silent
        if len(voters) == everyone:
            return "unanimous"
        return "unseen" if voters and len(voters) + len(silent) == everyone else "missing"
    if len({(candidate.span.start, candidate.span.end) for candidate in group}) == 1:
        return "label"
    return "boundary" if len({candidate.span.label for candidate in group}) == 1 else "mixed"


def _place(candidate: Candidate) -> tuple[int, int, str]:
    return candidate.span.start, -candidate.span.end, candidate.span.label
