"""CMeEE's text: a text and its spans per line, separated by bars, ends inclusive (CHIP 2020, track 1)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.formats.framework.conventions import Convention
from core.formats.framework.errors import RecordError
from core.formats.framework.format import Holds, Losses, ReadOptions, Refusal, WriteOptions
from core.formats.framework.source import Source, legal_text
from core.formats.shapes.standoff import Mark, Record, Standoff
from core.runtime.message import message_of
from core.text import Document

_BAR = "|||"
_BREAK = re.compile(r"[\r\n\0]")
_ENTITY = re.compile(r"\s*([0-9]{1,9})\s+([0-9]{1,9})\s+(\S.*)", re.DOTALL)


class Cmeee(Standoff):
    """``text|||first    last    label|||…|||``, one per line, as CMeEE (CHIP 2020) was published."""

    name = "cmeee"
    title = "CMeEE text"
    extensions = (".txt",)
    holds = Holds(line_breaks=False)
    convention = Convention(inclusive=True)
    sorts_spans = True

    def sniff(self, head: str) -> float:
        """The share of lines that end in a bar and have only spans between bars."""
        lines = [line for line in head.split("\n") if line.strip()]
        fitting = sum(_is_record(line.rstrip()) for line in lines)
        return 0.97 * fitting / len(lines) if lines else 0.0

    def records(self, source: Source, options: ReadOptions) -> Iterator[Record | Refusal]:
        """One record per line."""
        prefix = options.id_prefix or source.name
        records = ((number, line) for number, line in source.lines() if line.strip())
        for ordinal, (number, line) in enumerate(records, 1):
            try:
                text, *entities = line.split(_BAR)
                marks = [_mark(entity) for entity in entities if entity.strip()]
                yield Record(number, f"{prefix}-{ordinal}", legal_text(text), marks, raw=line + "\n")
            except RecordError as error:
                yield Refusal(number, message_of(error), line + "\n")

    def render(self, document: Document, options: WriteOptions) -> tuple[str, Losses]:
        """One line; line breaks become blanks, and ambiguous bars full-width ones."""
        lost = self.general_losses(document)
        text = _without_bars(_BREAK.sub(" ", document.text))
        if text != document.text:
            lost["texts"] = 1
        labels = [_without_bars(_BREAK.sub("_", span.label).strip() or "_") for span in document.spans]
        renamed = sum(span.label != label for span, label in zip(document.spans, labels, strict=True))
        if renamed:
            lost["labels"] = renamed
        entities = [
            f"{span.start}    {span.end - 1}    {label}{_BAR}"
            for span, label in zip(document.spans, labels, strict=True)
        ]
        return f"{text}{_BAR}{''.join(entities)}\n", lost


def _mark(entity: str) -> Mark:
    match = _ENTITY.fullmatch(entity)
    if match is None:
        raise RecordError(
            "expected first, last and label between bars, got {entity}", entity=f"{entity!r:.60}"
        )
    first, last, label = int(match[1]), int(match[2]), match[3].rstrip()
    if last < first:
        raise RecordError(
            "span {label} {first}-{last} (end inclusive) ends before it begins",
            label=label,
            first=first,
            last=last,
        )
    return Mark(first, last, legal_text(label))


def _is_record(line: str) -> bool:
    _, *entities = line.split(_BAR)
    return line.endswith(_BAR) and all(_ENTITY.fullmatch(entity) for entity in entities[:-1])


def _without_bars(text: str) -> str:
    """The text with full-width bars if it could be taken to hold separators; the length is unchanged."""
    return text.replace("|", "\uff5c") if _BAR in text or text.endswith("|") else text
