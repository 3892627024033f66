"""DyGIE++'s JSON lines: sentences of tokens, with token numbers over the whole document, ends inclusive.

Layout: DyGIE++'s documentation, ``doc/data.md`` (github.com/dwadden/dygiepp). Its reader refuses fields it
does not know unless their names begin with ``_``.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from typing import Any

from core.formats.framework.attachments import Link, attachments_of, has_both_ends, keys_of
from core.formats.framework.conventions import CODE_POINTS
from core.formats.framework.errors import RecordError
from core.formats.framework.format import Format, Holds, Losses, WriteOptions
from core.formats.framework.source import Source
from core.formats.shapes.json_lines import Record, dump, label_field
from core.formats.shapes.json_records import Given, JsonRecords, StandoffRecord
from core.formats.shapes.standoff import Mark
from core.formats.shapes.token_spans import (
    Numbers,
    Tokenised,
    are_tokens,
    items_of,
    note_empty,
    tokenised,
    triples_of,
    written_tokens,
)
from core.runtime.message import _
from core.text import Document, SpanKey
from core.text.segmentation import sentences
from core.text.tokens import TOKENS, Extent

_TEXT = "_text"
_DATASET = "latticelens"
_FIELDS = ("doc_key", "sentences", "ner", "relations", "clusters", _TEXT)


class Dygie(JsonRecords):
    """``{"doc_key", "sentences": [[tokens]], "ner": [[[first, last, label]]], "relations", "clusters"}``.

    One document per line; ``ner`` and ``relations`` (``[first, last, first, last, label]``) are by sentence,
    ``clusters`` are chains of coreference. Without ``ner`` the predictions (``predicted_ner``) are read, with
    a note; scores are ignored.
    """

    name = "dygie"
    title = "DyGIE++ JSONL (sentences, ner, relations, clusters)"
    extensions = (".jsonl", ".json")
    holds = Holds(relations=True, chains=True, ids=True)
    label_fields = ("ner", "predicted_ner")
    confidence = 0.98

    @staticmethod
    def is_record(record: Record) -> bool:
        listed = record.get("sentences")
        return (
            isinstance(listed, list)
            and all(map(are_tokens, listed))
            and any(isinstance(record.get(name), list) for name in ("ner", "predicted_ner", "clusters"))
        )

    def record(self, given: Given) -> StandoffRecord:
        """Read one object."""
        record = given.record
        found = _tokens(record)
        taken = set(_FIELDS) | ({"dataset"} if record.get("dataset") == _DATASET else set())
        if "ner" not in record and isinstance(record.get("predicted_ner"), list):
            given.note(
                "predicted", f"line {given.line}: the predictions were read, because there is no 'ner'"
            )
            ner, relations = record["predicted_ner"], record.get("predicted_relations")
            taken |= {"predicted_ner", "predicted_relations"}
        else:
            ner, relations = record.get("ner"), record.get("relations")
        marks: list[Mark] = []
        places: dict[tuple[int, int], int] = {}
        for first, last, label in triples_of(_by_sentence(ner, "ner")):
            extent = found.extent_to(first, last, label)
            if extent is None:
                note_empty(given.source, given.line, label)
                continue
            places.setdefault(extent, len(marks))
            marks.append(Mark(*extent, label))
        meta = given.rest(*taken)
        return given.standoff(
            given.id("doc_key"),
            found.text,
            marks,
            meta | found.meta,
            relations=_relations(
                given.source, given.line, found, _by_sentence(relations, "relations"), places
            ),
            chains=_chains(found, record.get("clusters")),
            convention=CODE_POINTS,
        )

    def render(self, document: Document, options: WriteOptions) -> tuple[str, Losses]:
        """One line; sentences end where the text says, but not inside a span or a relation."""
        attached = attachments_of(document)
        keys = keys_of(document.spans)
        relations = [relation for relation in attached.relations if has_both_ends(relation, keys)]
        # A relation names places, so that its end is read as the first span there.
        first: dict[Extent, SpanKey] = {}
        for span in document.spans:
            first.setdefault((span.start, span.end), span.key)
        exact = sum(
            all(first[end[:2]] == end for end in (relation.source, relation.target)) for relation in relations
        )
        links = [link for chain in attached.chains for link in chain.links]
        needed: list[Extent] = [(span.start, span.end) for span in document.spans]
        needed += [(link.start, link.end) for link in links]
        extents = written_tokens(document, needed)
        numbers = Numbers(extents)
        lost = self._losses(document)
        if exact < len(attached.relations):
            lost["relations"] = len(attached.relations) - exact
        # Clusters hold places only.
        worded = sum(any(link.type or link.relation for link in chain.links) for chain in attached.chains)
        if worded:
            lost["chains"] = worded

        def pair(start: int, end: int) -> list[int]:
            return [numbers.first(start), numbers.last(end)]

        # Neither a span nor a relation may leave its sentence.
        tied = [
            (min(relation.source[0], relation.target[0]), max(relation.source[1], relation.target[1]))
            for relation in relations
        ]
        written = _sentences(document.text, extents, [*needed, *tied])
        number = [place for place, sentence in enumerate(written) for _token in sentence]
        ner: list[list[Any]] = [[] for _sentence in written]
        for span in document.spans:
            found = pair(span.start, span.end)
            ner[number[found[0]]].append([*found, span.label])
        related: list[list[Any]] = [[] for _sentence in written]
        for relation in relations:
            source, target = pair(*relation.source[:2]), pair(*relation.target[:2])
            related[number[source[0]]].append([*source, *target, relation.type])
        dataset = document.meta.get("dataset")
        record: Record = {
            "doc_key": document.id,
            "dataset": dataset if isinstance(dataset, str) and dataset else _DATASET,
            "sentences": written,
            "ner": ner,
            "relations": related,
            "clusters": [[pair(link.start, link.end) for link in chain.links] for chain in attached.chains],
            _TEXT: document.text,
        }
        return dump(record), lost

    def _losses(self, document: Document) -> Losses:
        dataset = document.meta.get("dataset")
        is_kept = isinstance(dataset, str) and dataset not in ("", _DATASET)
        return Format.general_losses(self, document, {TOKENS, "dataset"} if is_kept else {TOKENS})


def _sentences(text: str, extents: list[Extent], whole: list[Extent]) -> list[list[str]]:
    """The tokens by sentence, none of which ends inside one of the extents that are to stay whole."""
    waiting = deque(sorted(whole))
    reach = 0
    cuts = []
    for _start, end in sentences(text):
        while waiting and waiting[0][0] < end:
            reach = max(reach, waiting.popleft()[1])
        if reach <= end:
            cuts.append(end)
    by_sentence: dict[int, list[str]] = {}
    for start, end in extents:
        by_sentence.setdefault(bisect_right(cuts, start), []).append(text[start:end])
    return list(by_sentence.values())


def _tokens(record: Record) -> Tokenised:
    listed = record.get("sentences")
    if not isinstance(listed, list) or not all(map(are_tokens, listed)):
        raise RecordError(
            "'sentences' should be a list of lists of tokens, but it is {sentences}",
            sentences=f"{listed!r:.60}",
        )
    return tokenised([token for sentence in listed for token in sentence], record.get(_TEXT))


def _by_sentence(values: Any, field: str) -> list[Any]:
    """The items of all sentences.

    Raises:
        RecordError: they are not given by sentence.
    """
    listed = [] if values is None else values
    if not isinstance(listed, list) or not all(isinstance(items, list) for items in listed):
        raise RecordError(
            "{field} should be a list for every sentence, but it is {items}",
            field=repr(field),
            items=f"{values!r:.60}",
        )
    return [item for items in listed for item in items]


def _relations(
    source: Source, line: int, found: Tokenised, items: list[Any], places: dict[Extent, int]
) -> list[tuple[str, int, int]]:
    relations = []
    for item in items_of(items, 5, _("a relation"), "[start, end, start, end, label]"):
        label = label_field(item[4])
        ends = [found.extent_to(item[at], item[at + 1], label) for at in (0, 2)]
        head, tail = (places.get(extent) if extent else None for extent in ends)
        if head is None or tail is None:
            source.notes.add("relations", f"line {line}: the relation {item!r:.60} is not between spans")
        else:
            relations.append((label, head, tail))
    return relations


def _chains(found: Tokenised, clusters: Any) -> list[list[Link]]:
    chains = []
    for cluster in items_of(clusters, 0, _("a cluster"), "[[start, end], …]"):
        pairs = items_of(cluster, 2, _("a mention of a cluster"), "[start, end]")
        extents = [found.extent_to(first, last, "clusters") for first, last, *_more in pairs]
        links = [Link(*extent, "", "") for extent in extents if extent]
        if links:
            chains.append(links)
    return chains
