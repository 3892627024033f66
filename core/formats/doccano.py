"""doccano's JSONL: ``[start, end, label]`` triples or the relation form, with offsets in three conventions.

Layout: doccano's own export code and tutorial (github.com/doccano/doccano, ``data_export``, ``data_import``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from functools import partial
from typing import Any, TextIO

from core.formats.doctor.offset_evidence import verdict
from core.formats.framework.attachments import (
    CHAINS,
    COMMENTS,
    Attachments,
    Relation,
    attachments_of,
    has_both_ends,
    keys_of,
    numbers_of,
)
from core.formats.framework.conventions import CODE_POINTS, UTF16, Convention
from core.formats.framework.errors import RecordError
from core.formats.framework.format import Holds, Losses, ReadOptions, WriteOptions, in_order
from core.formats.framework.source import Source
from core.formats.shapes.json_lines import Record, dump, id_value, label_field, objects_of, text_field
from core.formats.shapes.json_records import Given, JsonRecords, StandoffRecord
from core.formats.shapes.standoff import Mark, checked_mark
from core.text import Document

# Written into records that are not ASCII, where a reader would have to guess otherwise.
OFFSETS = "offsets"
_NAMED = {"code points": CODE_POINTS, "UTF-16 units": UTF16}
_TEXT_NAMES = ("text", "data")
_COMMENTS = ("Comments", "comments")
_LABEL_NAMES = ("label", "labels")


class Doccano(JsonRecords):
    """``{"id", "text", "label": [[start, end, label], …]}``, one per line; or ``labels``, ``entities``.

    The triples have no surfaces to check, and versions of doccano counted UTF-16 units, graphemes or code
    points. These differ only after characters above U+FFFF and clusters of several characters; if a file has
    any, the convention with the more plausible span boundaries is chosen, with a note. Relations of the
    relation form and comments are kept. Other fields go into ``meta``.
    """

    name = "doccano"
    title = "doccano JSONL"
    extensions = (".jsonl", ".json", ".json1")
    holds = Holds(
        discontinuous=True, relations=True, chains=True, comments=True, authors=True, ids=True, meta=True
    )
    label_fields = (*_LABEL_NAMES, "entities")
    confidence = 0.96

    def labels_read(self, record: Record) -> Collection[str]:
        """One field of triples, else the entities."""
        return (next((name for name in self.label_fields if name in record), ""),)

    @staticmethod
    def is_record(record: Record) -> bool:
        if not isinstance(record.get("text", record.get("data")), str):
            return False
        if isinstance(entities := record.get("entities"), list):
            return all(isinstance(item, dict) and "start_offset" in item for item in entities)
        label = record.get("label", record.get("labels"))
        return isinstance(label, list) and all(isinstance(item, list) and len(item) == 3 for item in label)

    def chosen_convention(self, source: Source, options: ReadOptions) -> Convention:
        """The given convention, else the most plausible one for the file's triples."""
        if options.offsets != "auto":
            return super().chosen_convention(source, options)
        return verdict(source, self.records(source.with_new_notes(), options))

    def record(self, given: Given) -> StandoffRecord:
        """Read one object."""
        record = given.record
        column = given.options.text_column
        text = text_field(record, *((column,) if column else _TEXT_NAMES))
        marks, numbers = _marks(record)
        comments, meta = _comments_and_meta(record, given.id_column)
        stated = record.get(OFFSETS)
        return given.standoff(
            given.id(given.id_column),
            text,
            marks,
            meta,
            relations=_relations(record.get("relations"), numbers, given.source),
            comments=comments,
            convention=_NAMED.get(stated) if isinstance(stated, str) else None,
        )

    def render(self, document: Document, options: WriteOptions) -> tuple[str, Losses]:
        """One line with offsets in code points; further fields are beside the text, as in doccano.

        The relation form is written for a document with relations, triples otherwise.
        """
        return self._rendered(document, bool(attachments_of(document).relations))

    def write(
        self, documents: Iterable[Document], target: TextIO, options: WriteOptions | None = None
    ) -> Losses:
        """Documents in one form, because doccano takes one field of a file for its labels.

        The relation form is written if a document has relations. Holds all documents in memory to know.
        """
        corpus = list(documents)
        in_relation_form = any(attachments_of(document).relations for document in corpus)
        lost: Counter[str] = Counter()
        for document in corpus:
            line, losses = self._rendered(document, in_relation_form)
            lost.update(losses)
            target.write(line)
        return in_order(lost)

    def _rendered(self, document: Document, in_relation_form: bool) -> tuple[str, Losses]:
        lost = self.general_losses(document)
        attached = attachments_of(document)
        keys = keys_of(document.spans)
        relations = [relation for relation in attached.relations if has_both_ends(relation, keys)]
        if len(relations) < len(attached.relations):
            lost["relations"] = len(attached.relations) - len(relations)
        record: Record = {"id": id_value(document.id), "text": document.text}
        form = _relation_form(document, relations) if in_relation_form else {"label": _triples_of(document)}
        record |= form
        if not document.text.isascii():
            record[OFFSETS] = "code points"
        kept = {name: value for name, value in _further(attached).items() if _is_kept(name)}
        # A field may also be replaced by the document's comments.
        if any(
            not _is_kept(name) or _reads_as_comments(name, value, kept) or kept[name] != value
            for name, value in (attached.rest or {}).items()
        ):
            lost["meta"] = 1
        return dump(record | kept), lost


def _further(attached: Attachments) -> Record:
    """The fields beside text and spans; plain comments on the document go into doccano's field."""
    further = dict(attached.rest or {})
    if attached.discontinuous:
        further["discontinuous"] = [entity.to_json() for entity in attached.discontinuous]
    if attached.chains:
        further[CHAINS] = [chain.to_json() for chain in attached.chains]
    if attached.comments and not any(comment.span or comment.more for comment in attached.comments):
        further["Comments"] = [comment.text for comment in attached.comments]
    elif attached.comments:
        further[COMMENTS] = [comment.to_json() for comment in attached.comments]
    who = {"annotator": attached.annotator, "annotated_at": attached.annotated_at}
    return further | {name: value for name, value in who.items() if value}


def _triples_of(document: Document) -> list[list[Any]]:
    return [[span.start, span.end, span.label] for span in document.spans]


def _relation_form(document: Document, relations: list[Relation]) -> Record:
    number = numbers_of(document.spans)
    return {
        "entities": [
            {"id": index, "start_offset": span.start, "end_offset": span.end, "label": span.label}
            for index, span in enumerate(document.spans)
        ],
        "relations": [
            {
                "id": index,
                "from_id": number[relation.source],
                "to_id": number[relation.target],
                "type": relation.type,
            }
            for index, relation in enumerate(relations)
        ],
    }


def _is_kept(name: str) -> bool:
    return name not in ("id", OFFSETS, "entities", "relations", *_TEXT_NAMES, *_LABEL_NAMES)


def _reads_as_comments(name: str, value: Any, written: Record) -> bool:
    """Whether a further field would be read as doccano's comments."""
    return name in _COMMENTS and _are_comments(value) and not _are_stored_comments(written.get(COMMENTS))


def _are_comments(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) and item for item in value)


def _are_stored_comments(value: Any) -> bool:
    """Whether these are comments in the form of a document's meta."""
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)


def _marks(record: Record) -> tuple[list[Mark], dict[Any, int]]:
    """The spans, and the number of each that has an id for relations."""
    if "entities" in record and not any(name in record for name in _LABEL_NAMES):
        entities = objects_of(record["entities"], "entities")
        marks = [
            _mark(item.get("start_offset"), item.get("end_offset"), item.get("label")) for item in entities
        ]
        return marks, {str(item["id"]): number for number, item in enumerate(entities) if "id" in item}
    items: Any = next((record[name] for name in _LABEL_NAMES if name in record), None) or []
    if not isinstance(items, list):
        raise RecordError(
            "'label' should be a list of [start, end, label], but it is {items}", items=f"{items!r:.60}"
        )
    for item in items:
        if not isinstance(item, list) or len(item) != 3:
            raise RecordError("a label should be [start, end, label], but it is {item}", item=f"{item!r:.60}")
    return [_mark(start, end, label) for start, end, label in items], {}


_mark = partial(checked_mark, names=("a start", "an end"))


def _relations(items: Any, numbers: dict[Any, int], source: Source) -> list[tuple[str, int, int]]:
    if not items:
        return []
    relations = []
    for item in objects_of(items, "relations"):
        start, end = numbers.get(str(item.get("from_id"))), numbers.get(str(item.get("to_id")))
        if start is None or end is None:
            source.notes.add("relations", f"relation {item!r:.80} names a span the record does not have")
            continue
        relations.append((label_field(item.get("type")), start, end))
    return relations


def _comments_and_meta(record: Record, identifier: str) -> tuple[list[tuple[str, None]], Record]:
    meta = {name: value for name, value in record.items() if name != identifier and _is_kept(name)}
    comments: list[tuple[str, None]] = []
    if _are_stored_comments(meta.get(COMMENTS)):
        return comments, meta  # written by us, so there are no others
    for name in _COMMENTS:
        if _are_comments(meta.get(name)):
            comments += [(item, None) for item in meta.pop(name)]
    return comments, meta
