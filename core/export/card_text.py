"""Pieces of the cards of models and data sets: Markdown of others' texts, tables, licences."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.export.errors import ExportError

# Identifiers of licences as the hub spells them: small letters, digits, dots and hyphens.
_LICENCE = re.compile(r"[a-z0-9][a-z0-9.\-]{0,59}")
# What Markdown and HTML would read as markup.
_MARKUP = re.compile(r"([\\`*_{}\[\]()#+!|~])")


def check_licence(licence: str) -> str:
    """An identifier of a licence, such as ``cc-by-4.0``.

    Raises:
        ExportError: it is none.
    """
    if not _LICENCE.fullmatch(licence):
        raise ExportError(
            "{licence} is no identifier of a licence; write it as the hub does, such as apache-2.0, "
            "cc-by-4.0 or other",
            licence=repr(licence),
        )
    return licence


def plain(text: str) -> str:
    """Somebody's text as one line of Markdown, none of it read as markup or HTML."""
    line = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;")
    return _MARKUP.sub(r"\\\1", line)


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of Markdown whose cells are Markdown already."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines) + "\n"
