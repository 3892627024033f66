"""Any file of records under a mapping: the reader of files that no format knows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from core.formats.framework.conventions import CODE_POINTS, Convention, every_convention
from core.formats.framework.conventions import by_name as convention_by_name
from core.formats.framework.errors import FormatError, RecordError
from core.formats.framework.format import EVERYTHING, ReadOnlyFormat, ReadOptions, Refusal
from core.formats.framework.source import Notes, Source, legal_text
from core.formats.mapping.field_path import has, value_at, without
from core.formats.mapping.field_values import list_in, single, words_in
from core.formats.mapping.guess import complete
from core.formats.mapping.mapping import Mapping
from core.formats.mapping.records import RawRecord, first_values, raw_records
from core.formats.shapes.io_tags import with_prefix
from core.formats.shapes.json_lines import Record, label_field
from core.formats.shapes.rows import begins, checked_tag, is_tag, note_malformed, scheme_of
from core.formats.shapes.standoff import Mark, Standoff, checked_mark
from core.formats.shapes.standoff import Record as StandoffRecord
from core.formats.shapes.token_spans import Tokenised, tokenised
from core.formats.shapes.tokens import aligned
from core.runtime.message import message_of
from core.text.tag_schemes import Malformed, SchemeName, decode
from core.text.tokens import TOKENS

NAME = "mapped"
DOCUMENT_LABELS = "document_labels"
_SPLITS = {"training": "train", "valid": "dev", "val": "dev", "validation": "dev", "development": "dev"}
_OUTSIDE = "O"


class Mapped(Standoff, ReadOnlyFormat):
    """Records whose fields a `Mapping` names, given by ``ReadOptions.mapping``.

    A record that the mapping does not fit is refused with its line and the field. Fields that are not mapped
    go into ``meta``.
    """

    name = NAME
    title = "Fields mapped by hand"
    extensions = ()
    holds = EVERYTHING
    fallbacks = every_convention()

    def sniff(self, head: str) -> float:
        """Never: a mapping is given."""
        return 0.0

    def read(self, source: Source, options: ReadOptions) -> Iterator[Any]:
        """One document per record or group.

        Raises:
            FormatError: no mapping is given, it can read nothing, or no record has a field that it names.
        """
        mapping = options.mapping or Mapping()
        mapping.check()
        if options.offsets == "auto" and mapping.offsets != "auto" and not _counts_tokens(mapping):
            options = replace(options, offsets=mapping.offsets)
        yield from super().read(source, options)

    def records(self, source: Source, options: ReadOptions) -> Iterator[StandoffRecord | Refusal]:
        """One record per record of the file, as the mapping reads it."""
        if options.mapping is None:
            raise FormatError("say which field holds what: --map text=FIELD,spans=FIELD")
        mapping = completed(source, options.mapping)
        reader = _Reader(mapping, source, options)
        for number, raw in enumerate(raw_records(source, mapping), 1):
            if isinstance(raw.value, RecordError):
                yield Refusal(raw.line, raw.value.message, raw.raw)
                continue
            try:
                yield reader.record(number, raw, raw.value)
            except (RecordError, ValueError) as error:
                yield Refusal(raw.line, message_of(error), raw.raw)


def completed(source: Source, mapping: Mapping) -> Mapping:
    """The mapping with the fields of its spans filled in from the first records.

    Raises:
        FormatError: no record has a field that it names, or the fields of spans cannot be told.
    """
    records = first_values(source, mapping)
    if records:
        for path in mapping.paths():
            if not any(has(record, path) for record in records):
                names = list(dict.fromkeys(name for record in records for name in record))
                raise FormatError(
                    "{name}: no record has the field {path}; the fields are {names}",
                    name=source.path.name,
                    path=repr(path),
                    names=[*map(repr, names[:20]), *["…"] * (len(names) > 20)],
                )
    mapping = complete(mapping, records)
    items = [item for record in records for item in list_in(value_at(record, mapping.spans)) or []] if (
        mapping.spans
    ) else []  # fmt: skip
    missing = [name for name in ("start", "end", "label") if not getattr(mapping, name)]
    if items and missing:
        raise FormatError(
            "{name}: which field of a span in {spans} holds its {missing}? Name it as {missing}=FIELD",
            name=source.path.name,
            spans=repr(mapping.spans),
            missing=missing[0],
        )
    return mapping


class _Reader:
    """Reads the records of one file."""

    def __init__(self, mapping: Mapping, source: Source, options: ReadOptions) -> None:
        self.mapping = mapping
        self.notes: Notes = source.notes
        self.malformed: Malformed = options.malformed
        self.prefix = options.id_prefix or source.name
        self.layers = [_Layer.over(path, first_values(source, mapping)) for path in mapping.tags]

    def record(self, number: int, raw: RawRecord, record: Record) -> StandoffRecord:
        """One record with offsets as the file has them, or in code points where it numbers tokens.

        Raises:
            RecordError: a mapped field holds something else, or tokens, tags and text do not fit each other.
        """
        mapping = self.mapping
        text = self._text(record)
        units = self._tokens(record, text)
        if text is None:
            assert units is not None  # `Mapping.check`: there are tokens then
            text = units.text
        marks = [mark for layer in self.layers for mark in self._tagged(layer, record, units, raw.line)]
        convention: Convention | None = CODE_POINTS if self.layers else None
        spans = list(self._spans(record))
        if spans and units is not None and mapping.tokens and (not mapping.text or _counts_tokens(mapping)):
            marks += [mark for span in spans if (mark := self._by_tokens(span, units)) is not None]
            convention = CODE_POINTS
        elif self.layers and spans:
            raise RecordError("the mapping names both tags and spans; name one of the two")
        else:
            marks += spans
        marks = list(dict.fromkeys(marks))
        return StandoffRecord(
            raw.line,
            self._id(record, number),
            text,
            marks,
            self._meta(record, units),
            convention=convention,
            raw=raw.raw,
        )

    def _text(self, record: Record) -> str | None:
        path = self.mapping.text
        if not path:
            return None
        value = value_at(record, path)
        if self.mapping.group:
            value = single(value)
        if value is None:
            raise RecordError("there is no text at {path}", path=repr(path))
        if not isinstance(value, str):
            raise RecordError(
                "{path} should be a text, but it is {value}", path=repr(path), value=f"{value!r:.60}"
            )
        return legal_text(value)

    def _tokens(self, record: Record, text: str | None) -> Tokenised | None:
        """The tokens; the characters where only the text is mapped, and tags are."""
        path = self.mapping.tokens
        if not path:
            if text is None or not self.layers:
                return None
            return Tokenised(text, [(place, place + 1) for place in range(len(text))])
        tokens = words_in(value_at(record, path), path)
        filled = [token for token in tokens if token]
        if text is not None and (known := len(aligned(text, filled))) < len(filled):
            raise RecordError(
                "the token {token} of {path} is not where it should be in the text; leave the text out of "
                "the mapping to join the tokens instead",
                token=f"{filled[known]!r:.40}",
                path=repr(path),
            )
        return tokenised(tokens, text)

    def _tagged(self, layer: _Layer, record: Record, units: Tokenised | None, line: int) -> Iterator[Mark]:
        assert units is not None  # there is a text or there are tokens
        tags = words_in(value_at(record, layer.path), layer.path, number_of="tags")
        if len(tags) != len(units.extents):
            raise RecordError(
                "{path} has {tags} tags for {units} tokens or characters; there should be one for each",
                path=repr(layer.path),
                tags=len(tags),
                units=len(units.extents),
            )
        spelled = [layer.spelled(tag, line) for tag in tags]
        if not layer.iob1:
            note_malformed(
                spelled, layer.scheme, self.malformed, self.notes, lambda _: line, tags.__getitem__
            )
        how: Malformed = "repair" if layer.iob1 else self.malformed
        for span in decode(spelled, layer.scheme, how):
            extent = units.extent(span.start, span.end, span.label)
            if extent is not None:
                yield Mark(*extent, label_field(span.label))

    def _spans(self, record: Record) -> Iterator[Mark]:
        mapping = self.mapping
        if mapping.rows_are_spans:
            columns = [value_at(record, path) or [] for path in (mapping.start, mapping.end, mapping.label)]
            surfaces = value_at(record, mapping.surface) if mapping.surface else [None] * len(columns[0])
            for start, end, label, surface in zip(*columns, surfaces, strict=True):
                if start != "" or end != "":
                    yield checked_mark(start, end, label, surface)
            return
        if not mapping.spans:
            return
        value = value_at(record, mapping.spans)
        items = [] if value in (None, "") else list_in(value)
        if items is None:
            raise RecordError(
                "{path} should be a list of spans, but it is {value}",
                path=repr(mapping.spans),
                value=f"{value!r:.60}",
            )
        for item in items:
            yield from self._marks(item)

    def _marks(self, item: Any) -> Iterator[Mark]:
        mapping = self.mapping
        for path in (mapping.start, mapping.end, mapping.label):
            if not has(item, path):
                raise RecordError(
                    "a span of {spans} has no {path}: {item}",
                    spans=repr(mapping.spans),
                    path=repr(path),
                    item=f"{item!r:.60}",
                )
        labels = value_at(item, mapping.label)
        surface = value_at(item, mapping.surface) if mapping.surface else None
        score = item.get("score") if isinstance(item, dict) and type(item.get("score")) is float else None
        for label in labels if isinstance(labels, list) else [labels]:
            yield checked_mark(
                value_at(item, mapping.start), value_at(item, mapping.end), label, surface, score
            )

    def _by_tokens(self, span: Mark, units: Tokenised) -> Mark | None:
        convention = (
            convention_by_name(self.mapping.offsets) if self.mapping.offsets != "auto" else CODE_POINTS
        )
        first = span.start - convention.one_based
        after = span.end - convention.one_based + convention.inclusive
        extent = units.extent(first, after, span.label)
        return None if extent is None else span._replace(start=extent[0], end=extent[1])

    def _id(self, record: Record, number: int) -> str:
        value = single(value_at(record, self.mapping.id or self.mapping.group)) if (
            self.mapping.id or self.mapping.group
        ) else None  # fmt: skip
        if value is None or value == "" or isinstance(value, (dict, list)):
            return f"{self.prefix}-{number}"
        return legal_text(str(value))

    def _meta(self, record: Record, units: Tokenised | None) -> Record:
        mapping = self.mapping
        rest = without(record, mapping.paths())
        if mapping.group:
            rest = {
                name: value for name, cells in rest.items() if (value := _common(cells)) not in (None, "")
            }
        labels = [
            label_field(label)
            for path in mapping.labels
            for label in _several(value_at(record, path))
            if label not in (None, "")
        ]
        if labels:
            rest[DOCUMENT_LABELS] = list(dict.fromkeys(labels))
        if mapping.split:
            split = single(value_at(record, mapping.split))
            if isinstance(split, str) and split.strip():
                rest["split"] = _SPLITS.get(split.strip().lower(), split.strip())
        if mapping.tokens and units is not None:
            rest.pop(TOKENS, None)
            rest |= units.meta
        return rest


class _Layer:
    """One field of tags: its scheme, and whether its labels have prefixes."""

    def __init__(self, path: str, scheme: SchemeName, bare: bool, iob1: bool) -> None:
        self.path = path
        self.scheme = scheme
        self.bare = bare
        self.iob1 = iob1

    @classmethod
    def over(cls, path: str, records: Sequence[Record]) -> _Layer:
        """What the tags of the first records are."""
        rows: list[list[str]] = []
        for record in records:
            try:
                rows.append(words_in(value_at(record, path), path))
            except (RecordError, ValueError):
                continue
        tags = [tag for row in rows for tag in row if tag != _OUTSIDE]
        bare = bool(tags) and not any(map(is_tag, tags))
        if bare:
            return cls(path, "BIO", True, True)
        legal = [[tag for tag in row if is_tag(tag)] for row in rows]
        prefixes = {tag[0] for tag in tags if is_tag(tag)}
        alone = Counter(what for row in legal for what in begins(row))
        iob1 = prefixes <= {"B", "I"} and alone["I alone"] > 0 and alone["B alone"] == 0
        return cls(path, scheme_of(prefixes), False, iob1)

    def spelled(self, tag: str, line: int) -> str:
        """The tag in the layer's scheme.

        Raises:
            RecordError: it is none.
        """
        tag = tag.strip() or _OUTSIDE
        if self.bare:
            return _OUTSIDE if tag in (_OUTSIDE, "_", "-") else with_prefix(label_field(tag))
        return checked_tag(tag, self.scheme, line)


def _counts_tokens(mapping: Mapping) -> bool:
    return bool(mapping.tokens) and (not mapping.text or mapping.offsets.startswith("tokens"))


def _same(line: int, position: int) -> int:
    """The line of every position of a record."""
    return line


def _several(value: Any) -> list[Any]:
    found = list_in(value)
    return [value] if found is None else found


def _common(cells: Any) -> Any:
    """What a column has on all rows of a group; None where they differ."""
    if not isinstance(cells, list):
        return cells
    distinct = {str(cell) for cell in cells if cell not in (None, "")}
    return single(cells) if len(distinct) == 1 else None
