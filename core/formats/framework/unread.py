"""Text formats that are known and not read: refused by name, with a way in, and not taken for another."""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.text.message import Message, _


@dataclass(frozen=True, slots=True)
class UnreadFormat:
    """A format that is not read, and what to do instead; both phrased for use in a sentence."""

    name: Message
    advice: Message


_JSONL = _("convert it to JSONL with text and entities")
_COLUMNS = _("keep the columns of the token and of the tag, with a tab between them")
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
    (re.compile(r"#begin document\b"), UnreadFormat(_("CoNLL-2012"), _COLUMNS)),
    (
        re.compile(r"(#[^\n]*\n)*1(-\d+)?\t[^\t\n]+(\t[^\t\n]*){8}\n"),
        UnreadFormat(_("CoNLL-U"), _COLUMNS),
    ),
    (
        re.compile(r"(version:\s*[\"']?\d[^\n]*\n\s*)?nlu:\s*\n|## (intent|synonym|lookup|regex):"),
        UnreadFormat(_("Rasa training data"), _JSONL),
    ),
    (
        re.compile(r"(TOKEN\tNE-COARSE-LIT\t[^\n]*\n)"),
        UnreadFormat(_("HIPE TSV"), _COLUMNS),
    ),
)


def unread_format(head: str) -> UnreadFormat | None:
    """The known format that a text file with this beginning has and that is not read; else None."""
    head = head.lstrip("\ufeff")
    return next((kind for beginning, kind in _BEGINNINGS if beginning.match(head)), None)
