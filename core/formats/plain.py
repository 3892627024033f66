"""Plain text: one document per line, per block between blank lines, or per file."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.formats.framework.errors import RecordError
from core.formats.framework.format import Format, Holds, Losses, ReadOptions, Refusal, WriteOptions
from core.formats.framework.source import Source, legal_text
from core.runtime.message import message_of
from core.text import Document

_BREAK = re.compile(r"[\r\n]")
_BLANK_LINES = re.compile(r"\n(?=[^\S\n]*\n)")


class Plain(Format):
    """Text without labels. Blank lines only separate; blanks inside lines are kept."""

    name = "plain"
    title = "Plain text"
    extensions = (".txt", ".text", ".md")
    holds = Holds(spans=False, nested=False, crossing=False, line_breaks=False, empty_texts=False)

    def sniff(self, head: str) -> float:
        """Weak, because any file may be plain text."""
        return 0.1

    def read(self, source: Source, options: ReadOptions) -> Iterator[Document | Refusal]:
        """One document per ``options.unit``."""
        prefix = options.id_prefix or source.name
        for ordinal, (number, text) in enumerate(_PIECES[options.unit](source), 1):
            identifier = prefix if options.unit == "file" else f"{prefix}-{ordinal}"
            try:
                yield Document(identifier, legal_text(text))
            except RecordError as error:
                yield Refusal(
                    number, message_of(error), text + ("\n\n" if options.unit == "paragraph" else "\n")
                )

    def render(self, document: Document, options: WriteOptions) -> tuple[str, Losses]:
        """A line, or a block and a blank line; blank texts are left out."""
        lost = self.general_losses(document)
        text = document.text.replace("\0", " ")
        if options.blocks:
            # Blank lines inside or at the edges would end the document.
            text = _BLANK_LINES.sub(" ", text.replace("\r", " "))
            text = re.sub(
                r"\A(?:[^\S\n]*\n)+|(?:\n[^\S\n]*)+\Z", lambda match: match[0].replace("\n", " "), text
            )
        else:
            text = _BREAK.sub(" ", text)
        if not text.strip():
            return "", {**lost, "documents": 1}
        if text != document.text:
            lost["texts"] = 1
        return text + ("\n\n" if options.blocks else "\n"), lost


def _lines(source: Source) -> Iterator[tuple[int, str]]:
    return ((number, line) for number, line in source.lines() if line.strip())


def _blocks(source: Source) -> Iterator[tuple[int, str]]:
    block: list[str] = []
    first = 0
    for number, line in source.lines():
        if line.strip():
            first = first if block else number
            block.append(line)
        elif block:
            yield first, "\n".join(block)
            block = []
    if block:
        yield first, "\n".join(block)


def _whole(source: Source) -> Iterator[tuple[int, str]]:
    """The lines of the file as one text, without blank lines at its ends."""
    lines = [line for _, line in source.lines()]
    filled = [at for at, line in enumerate(lines) if line.strip()]
    if filled:
        yield filled[0] + 1, "\n".join(lines[filled[0] : filled[-1] + 1])


_PIECES = {"line": _lines, "paragraph": _blocks, "file": _whole}
