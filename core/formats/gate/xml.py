"""GATE XML, as GATE Developer and GATE Cloud save a document: one file per document.

Layout: GATE's user guide, "GATE's native XML format" (gate.ac.uk/userguide). Annotations name nodes, which
stand in the text, so no unit of offsets matters; GATE itself counts UTF-16 units.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element

from core.formats.framework.attachments import ANNOTATOR
from core.formats.framework.conventions import CODE_POINTS, Convention
from core.formats.framework.errors import FormatError, RecordError
from core.formats.framework.format import Holds, ReadOnlyFormat, ReadOptions, Refusal
from core.formats.framework.source import FolderSource, Notes, Source, legal_text
from core.formats.shapes.json_lines import label_field
from core.formats.shapes.safe_xml import PROLOG, tree_of
from core.formats.shapes.standoff import Mark, Record, Standoff
from core.runtime.message import _

_BEGINNING = re.compile(PROLOG + r"<GateDocument\b")
_MARKUP = "original markups"  # the set of what was HTML or XML before
# Types that GATE's own tools make of every text: structure, not entities.
_STRUCTURE = frozenset(
    (
        "token", "spacetoken", "default_token", "sentence", "split", "lookup", "paragraph", "document",
        "nounchunk", "verbgroup", "vg", "tempnp", "unknown", "morph", "syntaxtreenode", "dependency",
    )
)  # fmt: skip
_OF_GATE = re.compile(
    r"gate\.|MimeType$|docNewLineType$"
)  # features of a document that say how it was loaded


class GateXml(ReadOnlyFormat, Standoff):
    """``<GateDocument>`` with ``<TextWithNodes>`` and ``<AnnotationSet>``s, of which all are read.

    An annotation is a span labelled with its type, and its features are attributes. Tokens, sentences and
    other structure that GATE makes, the original markup, and annotations without characters are left out,
    with a note.
    """

    name = "gate_xml"
    title = "GATE XML"
    extensions = (".xml",)
    reads = "folder"
    required_extensions = (".xml",)
    holds = Holds(ids=True)

    def sniff(self, head: str) -> float:
        """Sure of its root element."""
        return 0.99 if _BEGINNING.match(head.lstrip("\ufeff")) else 0.0

    def recognises(self, source: Source) -> float:
        """Sure if an ``.xml`` file has its root element."""
        if not isinstance(source, FolderSource):
            return 0.0
        return 0.95 * any(_is_gate(path) for path in source.files(".xml")[:50])

    def chosen_convention(self, source: Source, options: ReadOptions) -> Convention:
        """Nodes stand in the text."""
        return CODE_POINTS

    def records(self, source: Source, options: ReadOptions) -> Iterator[Record | Refusal]:
        """One record per file."""
        assert isinstance(source, FolderSource)  # matches ``reads``
        paths = [path for path in source.files(".xml") if source.is_single or _is_gate(path)]
        for path in paths or [source.path] * source.is_single:
            content = path.read_bytes()
            identifier, annotator = source.identify(path)
            try:
                yield _record(content, identifier, annotator, source.notes)
            except RecordError as error:
                if source.is_single:  # the only file
                    raise FormatError("{name}: {reason}", name=path.name, reason=error) from None
                yield Refusal(
                    1,
                    _("{name}: {reason}", name=path.name, reason=error),
                    content.decode("utf-8", "replace") or " ",
                )


def _is_gate(path: Path) -> bool:
    with path.open("rb") as stream:
        start = stream.read(4096)
    return b"<GateDocument" in start.replace(b"\0", b"")  # also in UTF-16


def _record(content: bytes, identifier: str, annotator: str, notes: Notes) -> Record:
    """The record of one file.

    Raises:
        RecordError: it is no GATE document, or an annotation names a node that the text does not have.
    """
    root = _root(content)
    body = root.find("TextWithNodes")
    if body is None:
        raise RecordError("there is no element {name}", name="TextWithNodes")
    text, places = _text_and_nodes(body)
    marks: dict[tuple[int, int, str], Mark] = {}
    attributes: dict[tuple[str, str, tuple[int, int, str]], None] = {}
    left: Counter[str] = Counter()
    sets: dict[str, None] = {}
    for group in root.iterfind("AnnotationSet"):
        name = group.get("Name", "")
        for annotation in group.iterfind("Annotation"):
            kind = annotation.get("Type", "")
            if name.lower() == _MARKUP or kind.lower() in _STRUCTURE:
                left[kind if name.lower() != _MARKUP else name] += 1
                continue
            start, end = (_place(annotation, end, places) for end in ("StartNode", "EndNode"))
            if start == end:
                notes.add(
                    "empty", f"{identifier}: an annotation {kind!r:.40} without characters was left out"
                )
                continue
            mark = Mark(start, end, label_field(kind))
            key = (start, end, mark.label)
            sets[name] = None
            marks.setdefault(key, mark)
            attributes |= {(*pair, key): None for pair in _features(annotation)}
    if left:
        kinds = ", ".join(f"{count} {kind}" for kind, count in left.most_common())
        notes.add("structure", f"{identifier}: no entities, left out: {kinds}"[:200])
    if len(sets) > 1:
        names = ", ".join(name or "the default set" for name in sets)
        notes.add("sets", f"{identifier}: several annotation sets became one: {names}"[:200])
    numbers = {key: number for number, key in enumerate(marks)}
    meta = {
        name: value for name, value in _features(root, "GateDocumentFeatures/") if not _OF_GATE.match(name)
    }
    if annotator:
        meta[ANNOTATOR] = annotator
    return Record(
        1,
        identifier,
        text,
        list(marks.values()),
        meta,
        attributes=[(name, value, numbers[key], None) for name, value, key in attributes],
        convention=CODE_POINTS,
        raw=content.decode("utf-8", "replace"),
    )


def _root(content: bytes) -> Element:
    root = tree_of(content)
    if root.tag != "GateDocument":
        raise RecordError("the outermost element should be {name}", name="GateDocument")
    return root


def _text_and_nodes(body: Element) -> tuple[str, dict[str, int]]:
    """The text, and where every node stands in it."""
    chunks = [body.text or ""]
    places: dict[str, int] = {}
    length = len(chunks[0])
    for node in body:
        places[node.get("id", "")] = length
        chunks.append(node.tail or "")
        length += len(chunks[-1])
    return legal_text("".join(chunks)), places


def _place(annotation: Element, end: str, places: dict[str, int]) -> int:
    name = annotation.get(end, "")
    if name not in places:
        raise RecordError(
            "the annotation {id} names the node {node}, which is not in the text",
            id=f"{annotation.get('Id', '')!r:.40}",
            node=f"{name!r:.40}",
        )
    return places[name]


def _features(element: Element, path: str = "") -> Iterator[tuple[str, str]]:
    """Name and value of every feature that has both."""
    for feature in element.iterfind(f"{path}Feature"):
        name, value = feature.findtext("Name"), feature.findtext("Value")
        if name and value:
            yield legal_text(name), legal_text(value)
