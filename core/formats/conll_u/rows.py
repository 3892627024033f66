"""The rows of a sentence of CoNLL-U: words, multiword tokens and empty nodes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from core.formats.conll_u.cells import Misc, misc_of
from core.formats.framework.errors import RecordError
from core.formats.shapes.io_tags import with_prefix
from core.formats.shapes.rows import checked_tag
from core.text.tag_schemes import SchemeName

_CELLS = 10
_COMMENT = re.compile(r"#\s*(sent_id|text|global\.Entity)\s*=\s?(.*)")


@dataclass(frozen=True, slots=True)
class Survey:
    """What the whole file shows: its scheme, whether its tags have prefixes, and whether documents begin."""

    scheme: SchemeName
    prefixed: bool
    documents: bool
    entities: bool


@dataclass
class Sentence:
    """Lines of a sentence, comments included, with the number of the first."""

    line: int
    lines: list[str]

    def comment(self, name: str) -> str | None:
        """The value of a comment; None without."""
        for line in self.lines:
            if line[:1] != "#":
                break
            found = _COMMENT.match(line)
            if found and found[1] == name:
                return found[2]
        return None


@dataclass
class Rows:
    """The rows of a sentence: tokens as they stand in the text, and the syntactic words."""

    forms: list[str] = field(default_factory=list)
    misc: list[Misc] = field(default_factory=list)
    words: list[int] = field(default_factory=list)  # of each word the place of its token
    tags: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    brackets: list[tuple[str, int, bool, int]] = field(default_factory=list)  # value, word, empty node, line


def rows_of(sentence: Sentence, survey: Survey) -> Rows:
    """The rows of a sentence.

    Raises:
        RecordError: a row has too few cells, no word, or another number than that which follows.
    """
    rows = Rows()
    forms, kept, words, tags, lines = rows.forms, rows.misc, rows.words, rows.tags, rows.lines
    covered = 0  # the last word of the multiword token being read
    for line, row in enumerate(sentence.lines, sentence.line):
        if row[0] == "#":
            continue
        cells = row.split("\t")
        if len(cells) != _CELLS:
            raise RecordError(
                "line {line}: the number of cells in {row} should be {count}, and its word not empty",
                line=line,
                row=repr(row[:40]),
                count=_CELLS,
            )
        number, form = cells[0], cells[1]
        if not form.strip(" "):
            raise RecordError("line {line}: the row has no word", line=line)
        misc = misc_of(cells[9])
        count = len(words)
        empty = False
        if number == str(count + 1):
            if count >= covered:
                forms.append(form)
                kept.append(misc)
            words.append(len(forms) - 1)
            tags.append(_tag(misc.tag, survey, line) if misc.tag else "O")
            lines.append(line)
        elif _is_range(number, count) and count >= covered:
            covered = int(number.partition("-")[2])
            forms.append(form)
            kept.append(misc)
            continue
        elif number.startswith(f"{count}.") and number.partition(".")[2].isdecimal():
            empty = True
        else:
            raise _misnumbered(number, line)
        if misc.entity:
            rows.brackets.append((misc.entity, len(words) - (not empty), empty, line))
    if len(words) < covered:
        raise _misnumbered(f"…-{covered}", sentence.line)
    return rows


def _is_range(number: str, count: int) -> bool:
    """Whether a number is that of a multiword token after ``count`` words."""
    first, _, last = number.partition("-")
    return first == str(count + 1) and last.isdecimal() and len(last) < 10 and int(last) > count


def _misnumbered(number: str, line: int) -> RecordError:
    return RecordError(
        "line {line}: {number} does not follow the number of the row above it",
        line=line,
        number=repr(number[:40]),
    )


def _tag(tag: str, survey: Survey, line: int) -> str:
    return checked_tag(tag if survey.prefixed else with_prefix(tag), survey.scheme, line)
