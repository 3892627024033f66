"""The records of a large XML file one after another, each with its line, checked while it is parsed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from core.formats.framework.errors import FormatError, RecordError
from core.formats.framework.source import Source
from core.formats.shapes.safe_xml import fault_of, guarded
from core.runtime.message import message_of

_BLOCK = 1 << 16


class XmlRecord(NamedTuple):
    """One element: its first line (from 1), itself or why it cannot be read, and its text."""

    line: int
    element: Element | None
    error: RecordError | None
    raw: str


def xml_records(source: Source, tag: str) -> Iterator[XmlRecord]:
    """Every element called ``tag``, not looking into one for others.

    An error ends the file: what follows it is one record that cannot be read. A file without an end of its
    outermost element is whole if its last record is, as are files of refused records.

    Raises:
        FormatError: no record stands before the error.
    """
    with source.open() as stream:
        content = stream.read().lstrip("\ufeff").encode("utf-8", "surrogateescape")
    records = _Records(content, tag)
    done = 0
    try:
        for record in records.parsed():
            done += 1
            yield record
    except RecordError as error:
        if not done:
            raise FormatError("{name}: {reason}", name=source.path.name, reason=message_of(error)) from None
        rest = content[records.place :].decode("utf-8", "surrogateescape")
        yield XmlRecord(1 + content.count(b"\n", 0, records.place), None, error, rest or " ")


class _Records:
    """A parser that builds the elements of one name.

    Attributes:
        line: where the record that is being read begins. place: the same in bytes of the file.
    """

    def __init__(self, content: bytes, tag: str) -> None:
        self.line, self.place = 1, 0
        self._content = content
        self._tag = tag
        self._builder: TreeBuilder | None = None
        self._inside = 0
        self._found: list[XmlRecord] = []
        self._parser = guarded(self._begun, self._ended, external_subset=True)
        self._parser.buffer_text = True
        self._parser.CharacterDataHandler = self._text

    def parsed(self) -> Iterator[XmlRecord]:
        """The records.

        Raises:
            RecordError: the file is not XML that is read; names the line.
        """
        try:
            for start in range(0, len(self._content), _BLOCK):
                self._parser.Parse(self._content[start : start + _BLOCK], False)
                yield from self._found
                self._found.clear()
            self._parser.Parse(b"", True)
        except expat.ExpatError as error:
            yield from self._found
            self._found.clear()
            is_cut_off = expat.ErrorString(error.code) == "no element found"
            if not (is_cut_off and self.place and not self._inside):
                raise fault_of(error) from None
        except RecordError:
            yield from self._found
            self._found.clear()
            raise

    def _begun(self, name: str, attributes: dict[str, str]) -> None:
        if not self._inside:
            if name != self._tag:
                return
            self._builder = TreeBuilder()
            self.line, self.place = self._parser.CurrentLineNumber, self._parser.CurrentByteIndex
        self._inside += 1
        assert self._builder is not None
        self._builder.start(name, attributes)

    def _text(self, text: str) -> None:
        if self._inside and self._builder is not None:
            self._builder.data(text)

    def _ended(self, name: str) -> None:
        if not self._inside or self._builder is None:
            return
        self._builder.end(name)
        self._inside -= 1
        if self._inside:
            return
        end = self._content.find(b">", self._parser.CurrentByteIndex) + 1
        raw = self._content[self.place : end].decode("utf-8", "surrogateescape")
        self._found.append(XmlRecord(self.line, self._builder.close(), None, raw + "\n"))
        self._builder = None
        self.place = end
