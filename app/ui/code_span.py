"""A name inside Markdown: whatever a person wrote stays text, as a code span that nothing in it can end.

The names of projects, labels, people, runs, files and words come from people, files and backups. Gradio
cleans the HTML that Markdown becomes, but an image in it would still be fetched from wherever it points.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

# Marks that turn the reading direction of what follows them: the line would be read otherwise than it is.
_TURNS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_BREAKS = frozenset("\n\r\t\v\f\x1c\x1d\x1e\x1f\x85\u2028\u2029")


def code_span(name: object, *, in_table: bool = False) -> str:
    """``name`` as inline code (CommonMark 6.1): its fence is longer than any run of backticks inside.

    Line breaks become blanks; controls, halves of surrogate pairs and marks that turn the reading direction
    become U+FFFD; two dollar signs full-width ones, for gradio takes formulas out of a text before it looks
    for code; an empty name a dash.

    Args:
        in_table: in a cell, where a bar would end the cell and the code with it; it becomes a full-width one.
    """
    text = "".join(_shown(sign) for sign in str(name)).strip().replace("$$", "\uff04\uff04") or "–"
    if in_table:
        text = text.replace("|", "\uff5c")
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    room = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{room}{text}{room}{fence}"


def code_spans(names: Iterable[object]) -> str:
    """Several names, one code span each."""
    return ", ".join(map(code_span, names))


def _shown(sign: str) -> str:
    if sign in _BREAKS:
        return " "
    return "\ufffd" if sign in _TURNS or unicodedata.category(sign) in ("Cc", "Cs") else sign
