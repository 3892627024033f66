"""What the fields of a file seem to hold: their examples, and a first mapping for a person to mend."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.formats.entities_json import ENDS, LABELS, LISTS, STARTS, SURFACES
from core.formats.framework.source import Source
from core.formats.jsonl import TEXT_NAMES
from core.formats.mapping.field_path import has, path_of, steps_of, value_at
from core.formats.mapping.field_values import list_in
from core.formats.mapping.mapping import Mapping
from core.formats.mapping.records import first_values, kind_of
from core.formats.shapes.arrow_table import TAG_NAMES, TOKEN_NAMES
from core.formats.shapes.json_lines import Record
from core.formats.shapes.json_values import first_elements
from core.formats.shapes.prose import is_prose
from core.formats.shapes.rows import is_tag

EXAMPLES, LONGEST_EXAMPLE = 3, 80
_DEEPEST, _MOST_FIELDS = 4, 200
_ENOUGH = 0.9
_IDS = (
    "id",
    "_id",
    "doc_id",
    "docid",
    "document_id",
    "uid",
    "uuid",
    "guid",
    "pmid",
    "sent_id",
    "sentence_id",
)
_SPLITS = ("split", "subset", "partition", "fold")
_DOCUMENT_LABELS = ("label", "labels", "category", "categories", "class", "intent", "topic", "sentiment")
_GROUPS = ("sentence #", "sentence_id", "sent_id", "sentence", "sent", "doc_id", "document_id", "id")
_TEXTS = (
    *TEXT_NAMES,
    "文本",
    "正文",
    "内容",
    "句子",
    "评论",
    "sent",
    "raw_text",
    "originaltext",
    "utterance",
)
_TOKENS = (*TOKEN_NAMES, "token", "word", "form", "tokenized", "词")
_TAGS = (*TAG_NAMES, "tag", "label", "ner_tag", "bio", "iob", "标签")


@dataclass(frozen=True, slots=True)
class Field:
    """One field of the first records.

    Args:
        path: see ``field_path``. kind: ``text``, ``number``, ``texts`` or ``list`` (of anything else).
        examples: its first distinct values, shortened. count: in how many of the records it is.
    """

    path: str
    kind: str
    examples: tuple[str, ...]
    count: int


def fields_of(records: Sequence[Record]) -> list[Field]:
    """The fields of these records, those of objects inside objects too."""
    values: dict[str, list[Any]] = {}
    for record in records:
        for steps, value in _leaves(record, ()):
            path = path_of(steps)
            if path in values or len(values) < _MOST_FIELDS:
                values.setdefault(path, []).append(value)
    return [Field(path, _kind(found), _examples(found), len(found)) for path, found in values.items()]


def item_fields(records: Sequence[Record], spans: str) -> list[Field]:
    """The fields inside one span of the list at this path; of spans that are lists, their positions."""
    items = [item for record in records for item in list_in(value_at(record, spans)) or []]
    return fields_of(
        [
            item if isinstance(item, dict) else dict(_numbered(item))
            for item in items
            if isinstance(item, (dict, list))
        ]
    )


def guess_of(source: Source) -> Mapping:
    """The mapping that the first records of a file suggest; a person is to look at it.

    Raises:
        FormatError: the file has no records with fields.
    """
    inside = list_of_records(source)
    records = first_values(source, Mapping(records=inside))
    columns = kind_of(source) == "columns"
    guessed = replace(guess(records), records=inside)
    if kind_of(source) in ("csv", "tsv") and not guessed.spans and not guessed.tags:
        guessed = _of_token_rows(source, records) or guessed
    return replace(guessed, id="", split="") if columns else guessed


def guess(records: Sequence[Record]) -> Mapping:
    """What the fields of these records seem to hold; empty fields where nothing does."""
    fields = fields_of(records)
    tokens, tags = _token_fields(fields, records)
    text = _text_field(fields, records, exclude={tokens})
    spans = "" if tags else _span_field(fields, records, text)
    if not tags and text and not spans:
        tags = _character_tags(fields, records, text)
    mapping = Mapping(
        text=text if not tokens or text in ("text", "content") else "",
        tokens=tokens,
        tags=tags,
        spans=spans,
        id=_named(fields, _IDS, ("text", "number")),
        split=_named(fields, _SPLITS, ("text",)),
    )
    taken = {*mapping.paths()}
    labels = [field for field in fields if _name(field) in _DOCUMENT_LABELS and field.path not in taken]
    few = [field.path for field in labels if field.kind in ("text", "texts") and _is_category(field, records)]
    return complete(replace(mapping, labels=tuple(few[:1])), records)


def complete(mapping: Mapping, records: Sequence[Record]) -> Mapping:
    """The mapping with start, end, label and surface of its spans, where it leaves them empty.

    They are found by their names, and a surface by standing in the text. What is not found stays empty.
    """
    if not mapping.spans or (mapping.start and mapping.end and mapping.label):
        return mapping
    inner = item_fields(records, mapping.spans)
    numbers = [field.path for field in inner if field.kind == "number"]
    texts = [field.path for field in inner if field.kind in ("text", "texts")]
    start = mapping.start or _first_named(numbers, STARTS) or (numbers[0] if len(numbers) > 1 else "")
    end = mapping.end or _first_named(numbers, ENDS) or next((path for path in numbers if path != start), "")
    inside = [path for path in texts if _are_in_text(records, mapping, path)]
    others = [path for path in texts if path not in inside]
    label = mapping.label or _first_named(others, LABELS) or (others or _labels_first(texts) or [""])[0]
    surfaces = [path for path in inside if path != label]
    surface = mapping.surface or _first_named(surfaces, SURFACES) or (surfaces or [""])[0]
    return replace(mapping, start=start, end=end, label=label, surface=surface)


def _are_in_text(records: Sequence[Record], mapping: Mapping, path: str) -> bool:
    """Whether a field of spans holds a piece of the text in all of them."""
    pairs = [
        (value_at(item, path), value_at(record, mapping.text))
        for record in records
        for item in list_in(value_at(record, mapping.spans)) or []
        if mapping.text and has(item, path)
    ]
    return bool(pairs) and all(
        isinstance(piece, str) and isinstance(text, str) and piece in text for piece, text in pairs
    )


def _labels_first(paths: Sequence[str]) -> list[str]:
    return sorted(paths, key=lambda path: _last(path) not in LABELS)


def list_of_records(source: Source) -> str:
    """Where a file that is one object has its records: its list of objects with texts; empty if nowhere."""
    if kind_of(source) != "json":
        return ""
    head = source.head().lstrip("\ufeff \t\r\n")
    values = first_elements(head, 2)
    if not values and head.startswith("{"):  # one object that is longer than the head
        with source.open() as stream:
            values = first_elements(stream.read(), 2)
    if len(values) != 1 or not isinstance(values[0], dict) or head.startswith("["):
        return ""
    has_text = any(is_prose([value]) for value in values[0].values() if isinstance(value, str))
    lists = [name for name, items in values[0].items() if _are_records(items, has_text)]
    return path_of(lists) if len(lists) == 1 else ""


def _are_records(items: Any, has_text: bool) -> bool:
    """Whether these are objects with texts; beside a text, objects with two numbers are its spans."""
    if not isinstance(items, list) or not items or not all(isinstance(item, dict) for item in items):
        return False
    fields = fields_of(items[:EXAMPLES])
    are_spans = has_text and sum(field.kind == "number" for field in fields) > 1
    texts = [path for path in (field.path for field in fields) if is_prose(_texts(items[:EXAMPLES], path))]
    return not are_spans and bool(texts or any(field.kind == "texts" for field in fields))


def _of_token_rows(source: Source, records: Sequence[Record]) -> Mapping | None:
    """The mapping of a table with a token on each row, and a column that names the sentence."""
    fields = fields_of(records)
    group = _named(fields, _GROUPS, ("text", "number"))
    tokens = _named(fields, _TOKENS, ("text",))
    tags = [
        field.path
        for field in fields
        if field.path not in (group, tokens) and _tagged(records, field.path) >= _ENOUGH
    ]
    return Mapping(tokens=tokens, tags=tuple(tags[-1:]), group=group) if group and tokens and tags else None


def _token_fields(fields: Sequence[Field], records: Sequence[Record]) -> tuple[str, tuple[str, ...]]:
    """The field of tokens, and those that have a tag for each of them."""
    lists = [field for field in fields if field.kind in ("texts", "list")]

    def are_tags(path: str) -> bool:
        values = [list_in(value_at(record, path)) for record in records if has(record, path)]
        cells = [cell for value in values for cell in value or []]
        return bool(cells) and all(isinstance(cell, str) for cell in cells) and sum(
            map(is_tag, cells)
        ) >= _ENOUGH * len(cells)  # fmt: skip

    tags = [field.path for field in lists if are_tags(field.path)]
    tokens = [field.path for field in lists if field.kind == "texts" and field.path not in tags]
    named = _first_named(tokens, _TOKENS) or (tokens[0] if tokens and tags else "")
    if not named:
        return "", ()

    def as_long(path: str) -> bool:
        pairs = [(list_in(value_at(record, path)), list_in(value_at(record, named))) for record in records]
        return all(len(left or []) == len(right or []) for left, right in pairs)

    fitting = [path for path in tags if as_long(path)]
    bare = [
        path for path in tokens if path != named and _last(path) in _TAGS and as_long(path)
    ]  # labels without prefixes
    chosen = fitting or bare
    return (named, (_first_named(chosen, _TAGS) or chosen[-1],)) if chosen else (named, ())


def _character_tags(fields: Sequence[Field], records: Sequence[Record], text: str) -> tuple[str, ...]:
    """A list with as many tags as the text has characters."""
    for field in fields:
        pairs = [(list_in(value_at(record, field.path)), value_at(record, text)) for record in records]
        if field.kind == "texts" and all(
            isinstance(value, str) and tags is not None and len(tags) == len(value) for tags, value in pairs
        ):
            return (field.path,)
    return ()


def _text_field(fields: Sequence[Field], records: Sequence[Record], exclude: set[str]) -> str:
    """The field that is most like running text; never an id, a date, a status or a category."""
    texts = [field for field in fields if field.kind == "text" and field.path not in exclude]
    likely = [field.path for field in texts if is_prose(_texts(records, field.path))]
    for name in _TEXTS:
        for path in likely:
            if _last(path).lower() == name:
                return path
    named = [field.path for field in texts if _last(field.path).lower() in _TEXTS[: len(TEXT_NAMES)]]
    if not likely:
        return named[0] if named else ""
    return max(likely, key=lambda path: sum(map(len, _texts(records, path))) / len(_texts(records, path)))


def _span_field(fields: Sequence[Field], records: Sequence[Record], text: str) -> str:
    lists = [field.path for field in fields if field.kind == "list"]

    def are_spans(path: str) -> bool:
        items = [item for record in records for item in list_in(value_at(record, path)) or []]
        found = complete(Mapping(text=text, spans=path), records)
        return bool(items) and bool(found.start and found.end and found.label) and all(
            _is_place(value_at(item, found.start)) and _is_place(value_at(item, found.end)) for item in items
        )  # fmt: skip

    fitting = [path for path in lists if are_spans(path)]
    return _first_named(fitting, LISTS) or (fitting[0] if fitting else "")


def _is_place(value: Any) -> bool:
    return (type(value) is int and value >= 0) or (isinstance(value, str) and value.strip().isdecimal())


def _is_category(field: Field, records: Sequence[Record]) -> bool:
    values = [value_at(record, field.path) for record in records]
    flat = [each for value in values for each in (value if isinstance(value, list) else [value])]
    texts = [each for each in flat if isinstance(each, str) and each]
    return bool(texts) and max(map(len, texts)) <= 40 and not is_prose(texts)


def _named(fields: Sequence[Field], names: Sequence[str], kinds: Sequence[str]) -> str:
    return _first_named([field.path for field in fields if field.kind in kinds], names)


def _first_named(paths: Iterable[str], names: Sequence[str]) -> str:
    """The path whose last step is one of the names, the earlier names before the later ones."""
    paths = list(paths)
    for name in names:
        for path in paths:
            if _last(path).lower() == name.lower():
                return path
    return ""


def _name(field: Field) -> str:
    return _last(field.path).lower()


def _last(path: str) -> str:
    return steps_of(path)[-1].strip()


def _texts(records: Sequence[Record], path: str) -> list[str]:
    values = (value_at(record, path) for record in records)
    return [value for value in values if isinstance(value, str)]


def _tagged(records: Sequence[Record], path: str) -> float:
    """The share of the values at a path that are tags."""
    values = [str(value_at(record, path)) for record in records if has(record, path)]
    return sum(map(is_tag, values)) / len(values) if values else 0.0


def _leaves(value: Any, steps: tuple[str, ...]) -> Iterable[tuple[tuple[str, ...], Any]]:
    """Every value that is no object, with the steps to it; a list of records below the top is one value.

    A list with a single object is looked into as well: tools wrap what they export, as in ``annotations.0``.
    """
    if isinstance(value, dict) and (value or not steps) and len(steps) < _DEEPEST:
        for name, inner in value.items():
            yield from _leaves(inner, (*steps, str(name)))
        return
    yield steps, value
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict) and len(steps) < _DEEPEST:
        for name, inner in value[0].items():
            if isinstance(inner, (list, dict)):
                yield from _leaves(inner, (*steps, "0", str(name)))


def _kind(values: Sequence[Any]) -> str:
    filled = [value for value in values if value not in (None, "", [], {})]
    if not filled:
        return "list" if any(isinstance(value, list) for value in values) else "text"
    if all(isinstance(value, str) and list_in(value) is None for value in filled):
        return "number" if all(value.strip().isdecimal() for value in filled) else "text"
    if all(isinstance(value, (int, float)) for value in filled):
        return "number"
    lists = [list_in(value) for value in filled]
    if all(value is not None and all(isinstance(each, str) for each in value) for value in lists):
        return "texts"
    return "list"


def _examples(values: Sequence[Any]) -> tuple[str, ...]:
    written = (str(value) if isinstance(value, str) else repr(value) for value in values)
    short = (
        text if len(text) <= LONGEST_EXAMPLE else text[: LONGEST_EXAMPLE - 1] + "…"
        for text in (" ".join(text.split()) for text in written)
    )
    distinct: dict[str, None] = {}
    for text in short:
        if text:
            distinct.setdefault(text)
        if len(distinct) == EXAMPLES:
            break
    return tuple(distinct)


def _numbered(item: list[Any]) -> Record:
    return {str(place): value for place, value in enumerate(item)}
