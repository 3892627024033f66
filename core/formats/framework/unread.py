"""Text formats that are known and not read: refused by name, with a way in, and not taken for another."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from core.runtime.message import Message, _

LEAST_ROWS, TABLE_SHARE = 3, 0.8


@dataclass(frozen=True, slots=True)
class UnreadFormat:
    """A format that is not read, and what to do instead; both phrased for use in a sentence."""

    name: Message
    advice: Message


_XML = UnreadFormat(
    _("XML"), _("save it as plain text (.txt), or export the annotations as JSONL with text and entities")
)

# What the beginning of a file looks like, the most telling first.
_BEGINNINGS: tuple[tuple[re.Pattern[str], UnreadFormat], ...] = (
    (
        re.compile(r"\s*(<!DOCTYPE\s+html|<html\b)", re.I),
        UnreadFormat(_("HTML"), _("save the page as plain text")),
    ),
    (re.compile(r"\s*<TEI\b|\s*<\?xml[^>]*\?>\s*<TEI\b"), UnreadFormat(_("TEI XML"), _XML.advice)),
    (re.compile(r"\s*(<\?xml[^>]*\?>(?!\s*<xmi:XMI\b)|<!DOCTYPE\b)"), _XML),
    (re.compile(r"\s*<(?!xmi:XMI\b)[A-Za-z_][\w.:-]*(\s[^<>]*)?>\s*</?[A-Za-z_!]"), _XML),
)


def unread_format(head: str) -> UnreadFormat | None:
    """The known format that a text file with this beginning has and that is not read; else None."""
    head = head.lstrip("\ufeff")
    return next((kind for beginning, kind in _BEGINNINGS if beginning.match(head)), None)


def table_columns(head: str) -> int:
    """The number of columns of a text file with this beginning, if it is a table with tabs; else 0.

    A table has at least three lines, four of five with the same number of tabs between other characters.
    """
    counts = Counter(line.strip().count("\t") for line in head.splitlines() if line.strip())
    if counts.total() < LEAST_ROWS:
        return 0
    tabs, lines = counts.most_common(1)[0]
    return tabs + 1 if tabs and lines >= TABLE_SHARE * counts.total() else 0
