"""UIMA CAS as INCEpTION exports it, in XMI and JSON, by dkpro-cassis: one file per document.

Layout: OMG XMI as Apache UIMA writes it ("UIMA References", XMI CAS serialization), and UIMA's JSON CAS
(github.com/apache/uima-uimaj-io-jsoncas). Offsets in the files are UTF-16 units; cassis converts them.
"""

from __future__ import annotations

import io
import json
import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from core.formats.cas.chains import add_chains, chains_in, is_link
from core.formats.cas.types import (
    NAMED_ENTITY,
    RELATION,
    TYPES_FILE,
    cassis,
    content_of,
    json_types,
    new_cas,
    new_types,
    types_above,
    unknown_types,
)
from core.formats.framework.attachments import Relation, attachments_of, has_both_ends, keys_of, to_meta
from core.formats.framework.errors import FormatError, RecordError
from core.formats.framework.format import Holds, Losses, ReadOptions, Refusal, WriteOptions, in_order
from core.formats.framework.source import FolderSource, Source, legal_text
from core.formats.shapes.attributes import IDENTIFIER, is_bare, link_of
from core.formats.shapes.file_per_document import FilePerDocument
from core.formats.shapes.safe_xml import NOT_XML, check_xml
from core.formats.shapes.standoff import outside_text
from core.runtime.message import _, damage_of
from core.text import Document, EntityLink, OffsetError, Span, SpanKey, sort_spans

_NOT_A_CAS = _("this is not a UIMA CAS that can be read; export it again")
_ENDS = (("Governor", "Dependent"), ("source", "target"))


class Cas(FilePerDocument):
    """One CAS per document. Reads named entities, or annotations of custom layers if there are none."""

    holds = Holds(relations=True, chains=True, links=True, ids=True)

    def read(self, source: Source, options: ReadOptions) -> Iterator[Document | Refusal]:
        """One document per file."""
        assert isinstance(source, FolderSource)  # matches ``reads``
        cassis()
        for path in self.paths(source):
            try:
                content = content_of(path)
                cas = self.load(content, path, source)
                identifier, annotator = source.identify(path)
                yield _document(cas, identifier, annotator, source)
            except (RecordError, OffsetError) as error:
                if source.is_single:  # the only file
                    raise FormatError("{name}: {reason}", name=path.name, reason=error) from None
                yield Refusal(
                    1,
                    _("{name}: {reason}", name=path.name, reason=error),
                    path.read_text("utf-8", "replace") or " ",
                )

    @abstractmethod
    def paths(self, source: FolderSource) -> list[Path]:
        """The files that hold a document."""

    @abstractmethod
    def load(self, content: bytes, path: Path, source: FolderSource) -> Any:
        """The CAS in a file's content.

        Raises:
            RecordError: there is none.
        """

    @abstractmethod
    def dump(self, cas: Any) -> str:
        """Serialise a CAS."""

    def clean(self, text: str) -> str:
        """The text without characters that the file cannot hold; the length is unchanged."""
        return text

    def files(self, document: Document, options: WriteOptions) -> tuple[list[str], Losses]:
        """One file."""
        lost: Counter[str] = Counter(self.general_losses(document))
        text = self.clean(document.text)
        lost["texts"] += text != document.text
        attached = attachments_of(document)
        cas = new_cas(bool(attached.chains))
        cas.sofa_string, cas.sofa_mime = text, "text/plain"
        entity, relation_type = cas.typesystem.get_type(NAMED_ENTITY), cas.typesystem.get_type(RELATION)
        made: dict[SpanKey, Any] = {}
        for span in document.spans:
            label = self.clean(span.label)
            lost["labels"] += label != span.label
            annotation = entity(begin=span.start, end=span.end, value=label)
            if span.link is not None:
                annotation.identifier = self.clean(span.link.id)
                lost["links"] += annotation.identifier != span.link.id or not is_bare(span.link)
            cas.add(annotation)
            made.setdefault(span.key, annotation)
        keys = keys_of(document.spans)
        for relation in attached.relations:
            name = self.clean(relation.type)
            complete = has_both_ends(relation, keys)
            lost["relations"] += not complete or name != relation.type
            if complete:
                source, target = made[relation.source], made[relation.target]
                ends = {"Governor": source, "Dependent": target}
                cas.add(relation_type(begin=target.begin, end=target.end, label=name, **ends))
        lost["chains"] += add_chains(cas, attached.chains, self.clean) if attached.chains else 0
        return [self.dump(cas)], in_order(lost)


class CasXmi(Cas):
    """``.xmi`` files and their ``TypeSystem.xml``."""

    name = "cas_xmi"
    title = "UIMA CAS XMI (INCEpTION)"
    endings = required_extensions = (".xmi",)

    def sniff(self, head: str) -> float:
        """Sure of its root element."""
        return 0.99 if re.match(r"\s*<(\?xml[^>]*\?>\s*<)?xmi:XMI\b", head.lstrip("\ufeff")) else 0.0

    def recognises(self, source: Source) -> float:
        """Sure if there is an ``.xmi`` file."""
        return 0.97 if isinstance(source, FolderSource) and source.files(".xmi") else 0.0

    def paths(self, source: FolderSource) -> list[Path]:
        """Every ``.xmi`` file, else the single file given."""
        files = source.files(".xmi")
        return files or ([source.path] if source.is_single else [])

    def load(self, content: bytes, path: Path, source: FolderSource) -> Any:
        """The CAS with the nearest type system; without one, unknown types are left out."""
        check_xml(content)
        types = types_above(path, source)
        known = types or new_types(True)
        if types is None and (unknown := unknown_types(content, known)):
            counted = ", ".join(f"{name} ({count})" for name, count in unknown.items())
            source.notes.add(
                "types",
                f"{path.name}: there is no {TYPES_FILE} beside it, so annotations of types that only it "
                f"describes were left out: {counted}",
            )
        try:
            return cassis().load_cas_from_xmi(io.BytesIO(content), known, lenient=True)
        except FormatError:
            raise
        except Exception:  # cassis lets any exception of a bad file through
            raise RecordError(_NOT_A_CAS) from None

    def dump(self, cas: Any) -> str:
        """XMI."""
        return str(cas.to_xmi())

    def clean(self, text: str) -> str:
        """Characters that XML cannot hold become blanks."""
        return NOT_XML.sub(" ", text)

    def common_files(self) -> dict[str, bytes]:
        """The type system."""
        return {TYPES_FILE: new_types(True).to_xml().encode("utf-8")}


class CasJson(Cas):
    """``.json`` files that include their types."""

    name = "cas_json"
    title = "UIMA CAS JSON (INCEpTION)"
    endings = required_extensions = (".json",)

    def sniff(self, head: str) -> float:
        """Sure if its characteristic field occurs early."""
        return (
            1.0 if head.lstrip("\ufeff \r\n\t").startswith("{") and '"%FEATURE_STRUCTURES"' in head else 0.0
        )

    def recognises(self, source: Source) -> float:
        """Sure if a ``.json`` file names the fields of a CAS."""
        return 0.97 if isinstance(source, FolderSource) and self.paths(source) else 0.0

    def paths(self, source: FolderSource) -> list[Path]:
        """Every ``.json`` file that is a CAS, else the single file given."""
        paths = [path for path in source.files(".json") if _names_structures(path)]
        return paths or ([source.path] if source.is_single else [])

    def load(self, content: bytes, path: Path, source: FolderSource) -> Any:
        """The CAS."""
        try:
            value = json.loads(content.decode("utf-8-sig"))
        except (ValueError, RecursionError) as error:
            raise RecordError("not JSON: {reason}", reason=damage_of(error)) from None
        for field in ("%FEATURE_STRUCTURES", "%TYPES"):
            if not isinstance(value, dict) or field not in value:
                raise RecordError("there is no field {field}", field=repr(field))
        text = io.BytesIO(content.removeprefix(b"\xef\xbb\xbf"))
        try:
            types = json_types(json.dumps(value["%TYPES"]))
            return cassis().load_cas_from_json(text, types, lenient=True, merge_typesystem=False)
        except Exception:  # as for XMI
            raise RecordError(_NOT_A_CAS) from None

    def dump(self, cas: Any) -> str:
        """JSON."""
        return str(cas.to_json())


def _names_structures(path: Path) -> bool:
    with path.open("rb") as stream:
        return b'"%FEATURE_STRUCTURES"' in stream.read(1 << 20)


def _document(cas: Any, identifier: str, annotator: str, source: Source) -> Document:
    text = cas.sofa_string
    if not isinstance(text, str):
        raise RecordError("the CAS holds no text")
    everything = cas.select_all_annotations()
    entities = [annotation for annotation in everything if _is_entity(annotation)]
    if not entities:
        entities = [annotation for annotation in everything if _is_custom_layer(annotation)]
    spans: list[Span] = []
    keys: dict[int, SpanKey] = {}
    for entity in entities:
        label = _label(entity)
        start, end = getattr(entity, "begin", None), getattr(entity, "end", None)
        if type(start) is not int or type(end) is not int or not 0 <= start < end <= len(text):
            raise outside_text(label, start, end, len(text))
        spans.append(Span(start, end, label, link=_link(entity)))
        keys[id(entity)] = spans[-1].key
    relations = [
        relation for annotation in everything if (relation := _relation(annotation, keys, source)) is not None
    ]
    chains, odd = chains_in(everything, len(text))
    if odd:
        source.notes.add("chains", f"{identifier}: {odd} links of chains have no first one; left out")
    meta = to_meta(relations=relations, chains=chains, annotator=annotator)
    return Document(identifier, legal_text(text), sort_spans(spans), meta)


def _is_entity(annotation: Any) -> bool:
    return str(annotation.type.name).endswith("NamedEntity") and hasattr(annotation, "value")


def _is_custom_layer(annotation: Any) -> bool:
    names = {feature.name for feature in annotation.type.all_features}
    ends = any(set(pair) <= names for pair in _ENDS)
    return (
        str(annotation.type.name).startswith(("webanno.custom.", "custom."))
        and not ends
        and "begin" in names
        and not is_link(annotation)
    )


def _label(annotation: Any) -> str:
    value = getattr(annotation, "value", None) or getattr(annotation, "label", None)
    if not isinstance(value, str):
        names = [feature.name for feature in annotation.type.features]
        texts = [getattr(annotation, name) for name in names if isinstance(getattr(annotation, name), str)]
        value = texts[0] if texts else ""
    cleaned = re.sub(r"[\t\r\n]+", " ", value).strip()
    return legal_text(cleaned or str(annotation.type.name).rpartition(".")[2])


def _link(annotation: Any) -> EntityLink | None:
    identifier = getattr(annotation, "identifier", None)
    return link_of(IDENTIFIER, legal_text(identifier), None) if isinstance(identifier, str) else None


def _relation(annotation: Any, keys: dict[int, SpanKey], source: Source) -> Relation | None:
    for start, end in _ENDS:
        ends = getattr(annotation, start, None), getattr(annotation, end, None)
        if None in ends:
            continue
        end_keys = keys.get(id(ends[0])), keys.get(id(ends[1]))
        if end_keys[0] is None or end_keys[1] is None:
            source.notes.add("relations", "relations between other things than entities were left out")
            return None
        return Relation(_label(annotation), end_keys[0], end_keys[1])
    return None
