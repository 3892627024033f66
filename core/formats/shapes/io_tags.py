"""Tags without prefixes (IO): the label itself on every token of a span, ``O`` outside.

Neighbours of one label are one span: nothing in the tags says where a second one begins.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from core.formats.shapes.rows import is_tag
from core.text import Span

OUTSIDE = "O"
_NUMBER = re.compile(r"-?[0-9]+")


def is_number(tag: str) -> bool:
    """Whether a tag is a number, which stands for a label that the file does not name."""
    return _NUMBER.fullmatch(tag) is not None


def with_prefix(tag: str) -> str:
    """The tag with ``I-`` before a bare label; one that has a prefix stays as it is."""
    return tag if is_tag(tag) else f"I-{tag}"


def bare(spans: Sequence[Span], count: int) -> list[str]:
    """The tags of flat spans over ``count`` tokens."""
    tags = [OUTSIDE] * count
    for span in spans:
        tags[span.start : span.end] = [span.label] * len(span)
    return tags


def joined(spans: Sequence[Span]) -> int:
    """How many flat spans, in reading order, touch another of their label and so are read as one."""
    touching = [left.end == right.start and left.label == right.label for left, right in pairwise(spans)]
    return sum(before or after for before, after in zip([False, *touching], [*touching, False], strict=True))


def relabelled(spans: Sequence[Span], lost: Counter[str]) -> list[Span]:
    """The spans with labels that are no tags and no numbers; changed ones are counted in ``lost``."""
    renamed = [Span(span.start, span.end, _told_apart(span.label)) for span in spans]
    lost["labels"] += sum(old.label != new.label for old, new in zip(spans, renamed, strict=True))
    return renamed


def _told_apart(label: str) -> str:
    return f"_{label}" if is_tag(label) or is_number(label) else label
