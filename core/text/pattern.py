"""User-written regular expressions that find spans, bounded in length, matches and time."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import regex

from core.runtime.message import Message, ToldValueError, _
from core.text.span import Span

LONGEST_PATTERN = 500
MOST_MATCHES = 1_000  # of one pattern in one text
# Limit of the expanded length of a pattern. The regex module expands repetitions, so compiling
# ((a{100}){100}){100} would take minutes and all memory, and no time limit applies to compiling.
MOST_COPIES = 300_000
ENTITY = "entity"  # name of the group that is the span
TOO_MUCH = _("the pattern is nested too deeply or repeats too often")
# {3}, {3,} and {3,5}; with blanks inside, which a flag allows.
_COUNTS = regex.compile(r"\{\s*(\d[\d\s]*)[,}]")


class PatternError(ToldValueError):
    """A pattern cannot be used.

    Args:
        reason: what is wrong. position: where in the pattern, from 0, or None.
    """

    def __init__(self, reason: str | Message, position: int | None = None, **values: object) -> None:
        reason = _(reason, **values)
        self.reason, self.position = reason, position
        if position is not None:
            reason = _(
                "{reason} at character {position} of the pattern", reason=reason, position=position + 1
            )
        super().__init__(reason)


@dataclass(frozen=True, slots=True)
class PatternMatches:
    """The result of a pattern search.

    Args:
        spans: distinct, in order. cut: whether there may be more than ``MOST_MATCHES``.
        timed_out: whether the time ran out; ``spans`` holds the matches until then.
    """

    spans: tuple[Span, ...] = ()
    cut: bool = False
    timed_out: bool = False


def check_pattern(pattern: object) -> str:
    """``pattern`` if it can be used.

    Raises:
        PatternError: not a string, empty, too long, or no regular expression; says where.
    """
    if not isinstance(pattern, str):
        raise PatternError("a pattern is a text, got {kind}", kind=type(pattern).__name__)
    if not pattern:
        raise PatternError("the pattern is empty")
    if len(pattern) > LONGEST_PATTERN:
        raise PatternError(
            "the pattern has {length} characters; {longest} are allowed",
            length=len(pattern),
            longest=LONGEST_PATTERN,
        )
    try:
        pattern.encode()
    except UnicodeEncodeError as error:
        raise PatternError("half of a surrogate pair occurs", error.start) from None
    if _copies(pattern) > MOST_COPIES:
        raise PatternError(TOO_MUCH)
    _compiled(pattern)
    return pattern


def find(pattern: str, label: str, text: str, *, seconds: float) -> PatternMatches:
    """The spans of ``label`` that ``pattern`` finds in ``text``, as Python's ``re`` writes patterns.

    The span is the group named ``entity`` if there is one, else the first group, else the whole match; a
    match in which that group is empty or did not participate gives no span.

    Args:
        seconds: approximate time limit.

    Raises:
        PatternError: as ``check_pattern``.
    """
    check_pattern(pattern)
    compiled = _compiled(pattern)
    group: str | int = ENTITY if ENTITY in compiled.groupindex else min(compiled.groups, 1)
    spans: dict[tuple[int, int], Span] = {}
    try:
        # concurrent releases the GIL, so that other users are not blocked.
        for match in compiled.finditer(text, timeout=seconds, concurrent=True):
            start, end = match.span(group)
            if start < 0 or start == end:
                continue
            if len(spans) == MOST_MATCHES:
                return PatternMatches(tuple(spans.values()), cut=True)
            spans[start, end] = Span(start, end, label)
    except TimeoutError:
        return PatternMatches(tuple(spans.values()), timed_out=True)
    except (MemoryError, RecursionError) as error:
        raise PatternError("the pattern needs too much memory on this text") from error
    return PatternMatches(tuple(spans.values()))


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> regex.Pattern[str]:
    try:
        return regex.compile(pattern)
    except regex.error as error:
        reason = Message("{reason}", values={"reason": error.msg})
        raise PatternError(reason, getattr(error, "pos", None)) from None
    except (RecursionError, OverflowError, MemoryError) as error:
        raise PatternError(TOO_MUCH) from error


def _copies(pattern: str) -> int:
    """An upper bound on the expanded length of a pattern: as if all repetition counts were nested.

    The exact length would need a full parser.
    """
    least = (int("".join(count.split())[:9]) for count in _COUNTS.findall(pattern))
    return len(pattern) * math.prod(max(1, count) for count in least)
