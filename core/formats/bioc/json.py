"""BioC JSON: the structure of BioC XML in JSON, as PubTator and NCBI's services give it.

Layout: github.com/bionlplab/bioc and PubTator's "BioC JSON". Besides a collection, an array of collections,
PubTator's ``{"PubTator3": […]}`` and a document on every line are read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from core.formats.bioc.reading import BiocFormat
from core.formats.bioc.structure import Annotation, Bioc, Infons, Passage, Tie
from core.formats.bioc.writing import structure_of
from core.formats.framework.errors import RecordError
from core.formats.framework.format import Losses, ReadOptions, Refusal, WriteOptions
from core.formats.framework.source import Source
from core.formats.shapes.json_lines import id_field, objects_of, offset_field, text_field
from core.formats.shapes.json_records import ArrayFormat
from core.formats.shapes.json_values import elements
from core.formats.shapes.standoff import Record
from core.runtime.message import _, message_of
from core.text import Document

_LISTS = ("documents", "PubTator3")
_START = re.compile(r'\s*\{[^\[]*?"(?:documents|PubTator3)"\s*:\s*')
_PASSAGES = re.compile(r'(?<!\\)"passages"\s*:\s*\[')
_OTHERS = re.compile(r'(?<!\\)"(?:infons|offset|annotations)"\s*:')


class BiocJson(ArrayFormat, BiocFormat):
    """``{"documents": [{"id", "passages": [{"offset", "text", "annotations": […]}]}]}``."""

    name = "bioc_json"
    opening = '{"source": "LatticeLens", "date": "", "key": "", "infons": {}, "documents": '
    closing = "}\n"
    title = "BioC JSON"
    extensions = (".json", ".jsonl")

    def sniff(self, head: str) -> float:
        """Sure of documents with passages and infons."""
        is_json = head.lstrip("\ufeff \t\r\n")[:1] in ("{", "[")
        return 0.99 if is_json and _PASSAGES.search(head) and _OTHERS.search(head) else 0.0

    def records(self, source: Source, options: ReadOptions) -> Iterator[Record | Refusal]:
        """One record per document."""
        prefix = options.id_prefix or source.name
        for ordinal, (line, value, error) in enumerate(_documents(source), 1):
            raw = (value if error is not None else json.dumps(value, ensure_ascii=False)) + "\n"
            try:
                if error is not None:
                    raise error
                found = _document(value)
            except RecordError as problem:
                yield Refusal(line, message_of(problem), raw)
                continue
            yield self.record(found, line, f"{prefix}-{ordinal}", raw, source.notes, options)

    def element(self, document: Document, options: WriteOptions) -> tuple[Any, Losses]:
        """The object of one document."""
        found, lost = structure_of(document, self, lambda text: text)
        passages = [
            {
                "infons": passage.infons,
                "offset": passage.pieces[0][0],
                "text": passage.pieces[0][1],
                "sentences": [],
                # They have the offsets of the document, so they may stand in any passage.
                "annotations": [] if number else [_annotation(one) for one in found.annotations],
                "relations": [],
            }
            for number, passage in enumerate(found.passages)
        ]
        value = {
            "id": found.id,
            "infons": found.infons,
            "passages": passages,
            "relations": [_relation(tie) for tie in found.ties],
        }
        return value, lost


def _annotation(annotation: Annotation) -> dict[str, Any]:
    return {
        "id": annotation.id,
        "infons": annotation.infons,
        "text": annotation.text,
        "locations": [{"offset": start, "length": length} for start, length in annotation.places],
    }


def _relation(tie: Tie) -> dict[str, Any]:
    nodes = [{"refid": name, "role": role} for name, role in tie.nodes]
    return {"id": tie.id, "infons": tie.infons, "nodes": nodes}


def _documents(source: Source) -> Iterator[tuple[int, Any, RecordError | None]]:
    """Line, value, and why it cannot be read, of every document; with an error the value is its text."""
    with source.open() as stream:
        start = _START.match(stream.read(1 << 16).lstrip("\ufeff"))
    for line, value, error, raw in elements(source, start.end() if start else 0):
        if start and (isinstance(value, str) or (error is not None and raw.lstrip()[:1] in (":", "}"))):
            return  # behind the list of documents
        if error is not None:
            yield line, raw, error
            continue
        lists = [
            value[name] for name in _LISTS if isinstance(value, dict) and isinstance(value.get(name), list)
        ]
        for item in lists[0] if lists else [value]:
            yield line, item, None


def _document(value: Any) -> Bioc:
    """The structure of a JSON value.

    Raises:
        RecordError: it is no document of BioC.
    """
    if not isinstance(value, dict):
        raise RecordError("a document should be an object, but it is {found}", found=f"{value!r:.60}")
    found = Bioc(id_field(value, "id", ""), _infons(value))
    _collect(value, found)
    for passage in objects_of(value.get("passages"), "passages"):
        sentences = objects_of(passage.get("sentences") or [], "sentences")
        pieces = [(_offset(part), _text(part)) for part in sentences]
        if isinstance(passage.get("text"), str) and (passage["text"] or not sentences):
            pieces = [(_offset(passage), _text(passage))]
        found.passages.append(Passage(_infons(passage), tuple(pieces)))
        for part in (passage, *sentences):
            _collect(part, found)
    return found


def _collect(value: dict[str, Any], found: Bioc) -> None:
    """Add the annotations and relations of a document, a passage or a sentence."""
    for item in objects_of(value.get("annotations") or [], "annotations"):
        places = [
            (_number(place, "offset"), _number(place, "length"))
            for place in objects_of(item.get("locations") or [], "locations")
        ]
        text = item.get("text")
        found.annotations.append(
            Annotation(
                str(item.get("id", "")), _infons(item), tuple(places), text if isinstance(text, str) else None
            )
        )
    for item in objects_of(value.get("relations") or [], "relations"):
        nodes = [
            (str(node.get("refid", "")), str(node.get("role", "")))
            for node in objects_of(item.get("nodes") or [], "nodes")
        ]
        found.ties.append(Tie(str(item.get("id", "")), _infons(item), tuple(nodes)))


def _infons(value: dict[str, Any]) -> Infons:
    """The infons of an object; those that are no texts as JSON."""
    infons = value.get("infons") or {}
    if not isinstance(infons, dict):
        raise RecordError("'infons' should be an object, but it is {found}", found=f"{infons!r:.60}")
    return {
        name: item if isinstance(item, str) else json.dumps(item, ensure_ascii=False)
        for name, item in infons.items()
        if item is not None
    }


def _text(value: dict[str, Any]) -> str:
    return text_field(value, "text") if value.get("text") is not None else ""


def _offset(value: dict[str, Any]) -> int:
    return _number(value, "offset")


def _number(value: dict[str, Any], name: str) -> int:
    return offset_field(value.get(name), _("an offset") if name == "offset" else _("a length"))
