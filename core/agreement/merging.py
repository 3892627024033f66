"""Several versions of one document made into one: what differs, and what a merge strategy takes of it.

A version is what one voter says: a person, or a tagger that was given a vote. Where a person has not looked,
that they marked nothing is no answer: it counts neither for nor against what somebody else marked there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from core.text import Span, sort_spans
from core.text.looked import Region, is_looked_at, joined

Strategy = Literal["unanimous", "majority", "threshold"]
STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)
Kind = Literal["agreed", "missing", "unseen", "boundary", "label", "mixed"]
Key = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class Version:
    """What one voter says about a document; ``looked``: the stretches they looked at, None for all of it."""

    voter: str
    spans: tuple[Span, ...]
    looked: tuple[Region, ...] | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """One span and who has it, in the order of the versions; nobody where a reviewer made it.

    ``silent``: who has it not, and has not looked at all of it either.
    """

    span: Span
    voters: tuple[str, ...]
    silent: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Difference:
    """Spans that are different answers to one question, in reading order.

    ``kind``: agreed (every voter has it), missing (one answer is "nothing"), unseen (whoever has it not, has
    not looked there), boundary (same label), label (same stretch of text), mixed.
    """

    kind: Kind
    candidates: tuple[Candidate, ...]


def votes_needed(strategy: Strategy, voters: int, threshold: int | None = None) -> int:
    """How many of ``voters`` must have a span: all, more than half, or ``threshold``.

    Raises:
        ValueError: no voters, no such strategy, or a threshold outside 1 to ``voters``.
    """
    if voters < 1:
        raise ValueError("there are no versions to merge")
    if strategy == "unanimous":
        return voters
    if strategy == "majority":
        return voters // 2 + 1
    if strategy != "threshold":
        raise ValueError(f"a merge strategy is one of {', '.join(STRATEGIES)}, got {strategy!r}")
    is_number = isinstance(threshold, int) and not isinstance(threshold, bool)
    if not is_number or not 1 <= threshold <= voters:  # type: ignore[operator]
        raise ValueError(f"the threshold is a number of voters from 1 to {voters}, got {threshold!r}")
    return threshold  # type: ignore[return-value]


def candidates(versions: Sequence[Version], extra: Iterable[Span] = ()) -> tuple[Candidate, ...]:
    """Every span that somebody has, with who has it, in reading order.

    Args:
        extra: spans to list even where no version has them (those a reviewer decided on).
    """
    spans = {span.key for version in versions for span in version.spans} | {span.key for span in extra}
    has = {version.voter: {span.key for span in version.spans} for version in versions}
    if len(has) != len(versions):
        raise ValueError("two versions of one voter cannot be merged")
    ordered = sort_spans(Span(*key) for key in spans)
    return tuple(
        Candidate(
            span,
            tuple(voter for voter, keys in has.items() if span.key in keys),
            tuple(one.voter for one in versions if span.key not in has[one.voter] and not _saw(one, span)),
        )
        for span in ordered
    )


def unseen(versions: Sequence[Version], length: int) -> tuple[Region, ...]:
    """The stretches of a text of ``length`` characters that nobody has looked at, in order."""
    if any(version.looked is None for version in versions):
        return ()
    seen = joined(region for version in versions for region in version.looked or ())
    starts, ends = (0, *(end for _, end in seen)), (*(start for start, _ in seen), length)
    return joined(zip(starts, ends, strict=True))


def merge(versions: Sequence[Version], strategy: Strategy, threshold: int | None = None) -> tuple[Span, ...]:
    """The spans that enough versions have, of those that looked there, exactly as they have them.

    With a threshold of half the voters or less, two answers to one question may both be taken.

    Raises:
        ValueError: as ``votes_needed``; a voter has two versions.
    """
    votes_needed(strategy, len(versions), threshold)
    return tuple(
        one.span
        for one in candidates(versions)
        if len(one.voters) >= _needed(strategy, len(versions) - len(one.silent), threshold)
    )


def _needed(strategy: Strategy, answers: int, threshold: int | None) -> int:
    return votes_needed(strategy, answers, None if threshold is None else min(threshold, answers))


def differences(versions: Sequence[Version], extra: Iterable[Span] = ()) -> tuple[Difference, ...]:
    """All candidates in groups; those of a group are answers to one question.

    Two spans are such answers where they overlap and no voter has both: who marked both, meant both. Spans
    that every voter has are a group of their own.
    """
    found = candidates(versions, extra)
    everyone = len(versions)
    groups: list[list[Candidate]] = []
    for one in found:
        if len(one.voters) == everyone:
            groups.append([one])
            continue
        touching = [
            group
            for group in groups
            if any(len(other.voters) < everyone and _are_alternatives(one, other) for other in group)
        ]
        joined = [other for group in touching for other in group] + [one]
        groups = [group for group in groups if group not in touching] + [joined]
    made = [_difference(group, everyone) for group in groups]
    return tuple(sorted(made, key=lambda one: _place(one.candidates[0])))


def settle(
    versions: Sequence[Version],
    decided: Mapping[Key, bool],
    strategy: Strategy,
    threshold: int | None = None,
) -> tuple[Span, ...]:
    """The merged spans: what was decided as it was decided, the rest by the strategy.

    Args:
        decided: by span, whether it was accepted; may name spans that no version has.

    Raises:
        ValueError: as ``merge``.
    """
    taken = {span.key for span in merge(versions, strategy, threshold)}
    taken -= {key for key, is_accepted in decided.items() if not is_accepted}
    taken |= {key for key, is_accepted in decided.items() if is_accepted}
    return sort_spans(Span(*key) for key in taken)


def _saw(version: Version, span: Span) -> bool:
    return is_looked_at(version.looked, span.start, span.end)


def _are_alternatives(one: Candidate, other: Candidate) -> bool:
    return one.span.overlaps(other.span) and not set(one.voters) & set(other.voters)


def _difference(group: Sequence[Candidate], everyone: int) -> Difference:
    ordered = tuple(sorted(group, key=_place))
    return Difference(_kind(ordered, everyone), ordered)


def _kind(group: Sequence[Candidate], everyone: int) -> Kind:
    if len(group) == 1:
        (one,) = group
        if len(one.voters) == everyone:
            return "agreed"
        return "unseen" if one.voters and len(one.voters) + len(one.silent) == everyone else "missing"
    if len({(one.span.start, one.span.end) for one in group}) == 1:
        return "label"
    return "boundary" if len({one.span.label for one in group}) == 1 else "mixed"


def _place(one: Candidate) -> tuple[int, int, str]:
    return one.span.start, -one.span.end, one.span.label
