"""BioC XML: a collection of documents with passages, annotations and relations.

Layout: BioC.dtd (bioc.sourceforge.net), and the files of PubTator Central.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element
from xml.sax.saxutils import escape, quoteattr

from core.formats.bioc.reading import BiocFormat
from core.formats.bioc.structure import Annotation, Bioc, Infons, Passage, Tie
from core.formats.bioc.writing import structure_of
from core.formats.framework.errors import RecordError
from core.formats.framework.format import Losses, ReadOptions, Refusal, WriteOptions
from core.formats.framework.source import Source
from core.formats.shapes.json_lines import offset_field
from core.formats.shapes.safe_xml import NOT_XML, PROLOG
from core.formats.shapes.standoff import Record
from core.formats.shapes.xml_records import xml_records
from core.runtime.message import _, message_of
from core.text import Document

_BEGINNING = re.compile(PROLOG + r"<collection\b[^>]*>\s*<(?:source|date|key|infon|document)\b")
_HEADER = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE collection SYSTEM "BioC.dtd">\n'
    "<collection><source>LatticeLens</source><date></date><key></key>\n"
)
_RETURN = {"\r": "&#13;"}  # a parser would make a line feed of it


class BiocXml(BiocFormat):
    """``<collection><document><passage><annotation><location offset="0" length="5"/>``; one document each.

    The document type of BioC is accepted and the file that it names never opened.
    """

    name = "bioc_xml"
    title = "BioC XML"
    extensions = (".xml", ".bioc")

    def sniff(self, head: str) -> float:
        """Sure of a collection that begins with its source or a document."""
        return 0.99 if _BEGINNING.match(head.lstrip("\ufeff")) else 0.0

    def records(self, source: Source, options: ReadOptions) -> Iterator[Record | Refusal]:
        """One record per document."""
        prefix = options.id_prefix or source.name
        for ordinal, (line, element, error, raw) in enumerate(xml_records(source, "document"), 1):
            try:
                if error is not None:
                    raise error
                assert element is not None  # there is one without an error
                found = _document(element)
            except RecordError as problem:
                yield Refusal(line, message_of(problem), raw)
                continue
            yield self.record(found, line, f"{prefix}-{ordinal}", raw, source.notes, options)

    def refused_header(self, source: Source) -> str:
        """The beginning of a collection; its end may be missing."""
        return _HEADER

    def header(self, options: WriteOptions) -> str:
        """The beginning of the collection."""
        return _HEADER

    def footer(self, options: WriteOptions) -> str:
        """Its end."""
        return "</collection>\n"

    def render(self, document: Document, options: WriteOptions) -> tuple[str, Losses]:
        """One document, an element on a line."""
        found, lost = structure_of(document, self, _clean)
        lines = ["<document>", _element("id", found.id), *_infons(found.infons)]
        # Annotations have the offsets of the document, so they may stand in any passage.
        for number, passage in enumerate(found.passages):
            offset, text = passage.pieces[0]
            lines += ["<passage>", *_infons(passage.infons), _element("offset", str(offset))]
            lines.append(_element("text", text))
            if not number:
                lines += [_annotation(annotation) for annotation in found.annotations]
                lines += [_relation(tie) for tie in found.ties]
            lines.append("</passage>")
        return "\n".join([*lines, "</document>"]) + "\n", lost


def _clean(text: str) -> str:
    return NOT_XML.sub(" ", text)


def _element(name: str, text: str) -> str:
    return f"<{name}>{escape(text, _RETURN)}</{name}>"


def _infons(infons: Infons) -> list[str]:
    return [f"<infon key={quoteattr(key)}>{escape(value, _RETURN)}</infon>" for key, value in infons.items()]


def _annotation(annotation: Annotation) -> str:
    places = (f'<location offset="{start}" length="{length}"/>' for start, length in annotation.places)
    inside = "".join([*_infons(annotation.infons), *places, _element("text", annotation.text or "")])
    return f'<annotation id="{annotation.id}">{inside}</annotation>'


def _relation(tie: Tie) -> str:
    nodes = (f'<node refid="{name}" role="{role}"/>' for name, role in tie.nodes)
    return f'<relation id="{tie.id}">{"".join([*_infons(tie.infons), *nodes])}</relation>'


def _document(element: Element) -> Bioc:
    """The structure of an element.

    Raises:
        RecordError: an offset or a length is no number.
    """
    found = Bioc(element.findtext("id") or "", _infons_of(element))
    _collect(element, found)
    for child in element.iterfind("passage"):
        sentences = child.findall("sentence")
        pieces = [(_offset(part), part.findtext("text") or "") for part in sentences]
        text = child.findtext("text")
        if text is not None or not sentences:
            pieces = [(_offset(child), text or "")]
        found.passages.append(Passage(_infons_of(child), tuple(pieces)))
        for part in (child, *sentences):
            _collect(part, found)
    return found


def _collect(element: Element, found: Bioc) -> None:
    """Add the annotations and relations of a document, a passage or a sentence."""
    for child in element:
        if child.tag == "annotation":
            places = [
                (_number(place.get("offset"), "offset"), _number(place.get("length"), "length"))
                for place in child.iterfind("location")
            ]
            found.annotations.append(
                Annotation(child.get("id", ""), _infons_of(child), tuple(places), child.findtext("text"))
            )
        elif child.tag == "relation":
            nodes = [(node.get("refid", ""), node.get("role", "")) for node in child.iterfind("node")]
            found.ties.append(Tie(child.get("id", ""), _infons_of(child), tuple(nodes)))


def _infons_of(element: Element) -> Infons:
    return {child.get("key", ""): child.text or "" for child in element if child.tag == "infon"}


def _offset(element: Element) -> int:
    return _number(element.findtext("offset"), "offset")


def _number(value: str | None, what: str) -> int:
    return offset_field(value, _("an offset") if what == "offset" else _("a length"))
