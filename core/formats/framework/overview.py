"""Capabilities of each format; ``python -m core.formats.framework.overview`` prints docs/formats.md's
table."""

from __future__ import annotations

from core.formats.framework.format import LOSSES, Format
from core.formats.framework.registry import available, by_name

# Display names of the fields of ``Holds``.
_HELD = {
    "spans": "spans",
    "nested": "spans inside others",
    "crossing": "crossing spans",
    "discontinuous": "discontinuous spans",
    "relations": "relations",
    "chains": "chains of coreference",
    "comments": "comments",
    "authors": "annotator and time",
    "scores": "confidences",
    "links": "links",
    "ids": "ids",
    "meta": "further fields",
    "line_breaks": "line breaks",
    "empty_texts": "empty texts",
}

_OF_SPANS = (
    "nested", "crossing", "discontinuous", "relations", "chains", "comments", "authors", "scores", "links",
)  # fmt: skip


def formats_table() -> str:
    """One row per format: name, extensions, capabilities."""
    rows = ["| name | what it is | endings | holds | does not hold |", "|---|---|---|---|---|"]
    for name in available():
        format = by_name(name)
        endings = " ".join(f"`{ending}`" for ending in format.extensions)
        title = format.title if format.writes else f"{format.title}, only read"
        rows.append(f"| `{name}` | {title} | {endings} | {_words(format, True)} | {_words(format, False)} |")
    return "\n".join(rows)


def losses_table() -> str:
    """One row for each thing an export counts as lost."""
    rows = ["| counted as | what is lost |", "|---|---|"]
    return "\n".join(rows + [f"| `{name}` | {meaning} |" for name, meaning in LOSSES.items()])


def _words(format: Format, is_held: bool) -> str:
    words = [word for field, word in _HELD.items() if getattr(format.holds, field) is is_held]
    if not format.holds.spans:  # all depend on spans
        words = [word for word in words if word not in map(_HELD.get, _OF_SPANS)]
    return ", ".join(words) or "nothing"


if __name__ == "__main__":
    print(formats_table(), losses_table(), sep="\n\n")
