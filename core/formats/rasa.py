"""Rasa's NLU training data: YAML, the older Markdown, and the oldest form, JSON, which is written.

Layout: Rasa's documentation, "NLU Training Data" and, of Rasa 1, "Training Data Format". Of YAML the
documented subset is read, line by line, so that an example that cannot be read has its line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from core.formats.framework.conventions import CODE_POINTS
from core.formats.framework.errors import RecordError
from core.formats.framework.format import Holds, Losses, ReadOptions, Refusal, WriteOptions
from core.formats.framework.source import Source, legal_text
from core.formats.shapes.attributes import ATTRIBUTES, Attribute, written_in_order
from core.formats.shapes.json_lines import Record, label_field, objects_of, text_field
from core.formats.shapes.json_records import ArrayFormat
from core.formats.shapes.json_values import elements
from core.formats.shapes.standoff import Mark, Standoff, checked_mark
from core.formats.shapes.standoff import Record as StandoffRecord
from core.runtime.message import message_of
from core.text import Document, SpanKey

INTENT = "intent"
_ATTRIBUTES = ("value", "role", "group")
_JSON = re.compile(r'\s*\{\s*"rasa_nlu_data"\s*:\s*\{')
_EXAMPLES = re.compile(r'"common_examples"\s*:\s*(?=\[)')
_JSON_HEAD = '{"rasa_nlu_data": {"common_examples": '
_MARKDOWN = re.compile(
    r"(?:\s*(?:<!--(?:(?!-->).)*-->|#(?!#)[^\n]*\n))*\s*##\s*(?:intent|synonym|lookup|regex)\s*:", re.S
)
_YAML = re.compile(
    r"(?:(?:---|#[^\n]*|version:[^\n]*|)\n)*nlu:[ \t]*(?:#[^\n]*)?\n(?:\s*#[^\n]*\n)*"
    r"\s*-\s+(?:intent|synonym|regex|lookup)\s*:"
)
_SECTION = re.compile(r"##\s*(\w+)\s*:\s*(.*)")
_ITEM = re.compile(r"(\s*)-\s+(intent|synonym|regex|lookup)\s*:\s*(.*)")
_FIELD = re.compile(r"(\s*)(-\s+)?(\w+)\s*:\s*(.*)")
# [Berlin](city), [NYC](city:New York), [Berlin]{"entity": "city"}, [Berlin][{"entity": "city"}, …]
_ENTITY = re.compile(
    r"\[(?P<words>[^\[\]]+)\](?:\((?P<label>[^():]+)(?::(?P<value>[^()]*))?\)|(?P<one>\{[^{}]*\})|(?P<more>\[\s*\{[^\[\]]*\}\s*\]))"
)


class _Example(NamedTuple):
    line: int
    intent: str
    text: str


class Rasa(ArrayFormat, Standoff):
    """``nlu: - intent: x, examples: | - fly to [Berlin](city)``, ``## intent:x``, or ``rasa_nlu_data``.

    Every example is a document with its intent as a further field. Synonyms, lookup tables and regular
    expressions have no texts to annotate and are passed over. Role and group of an entity are attributes, and
    so is its value where that is not its surface.
    """

    name = "rasa"
    opening, closing = _JSON_HEAD, "}}\n"
    title = "Rasa NLU training data (YAML, Markdown, JSON)"
    extensions = (".json", ".yml", ".yaml", ".md")
    holds = Holds()

    def sniff(self, head: str) -> float:
        """Sure of what such a file begins with."""
        head = head.lstrip("\ufeff")
        return 0.99 if any(form.match(head) for form in (_JSON, _MARKDOWN, _YAML)) else 0.0

    def records(self, source: Source, options: ReadOptions) -> Iterator[StandoffRecord | Refusal]:
        """One record per example."""
        prefix = options.id_prefix or source.name
        if _JSON.match(source.head().lstrip("\ufeff")):
            return _of_json(source, prefix)
        return _of_examples(source, prefix)

    def refused_header(self, source: Source) -> str:
        """The beginning of the list of examples in JSON; elsewhere every example comes with its heading."""
        return _JSON_HEAD + "[\n" if _JSON.match(source.head().lstrip("\ufeff")) else ""

    def element(self, document: Document, options: WriteOptions) -> tuple[Record, Losses]:
        """One example."""
        intent = document.meta.get(INTENT)
        is_kept = isinstance(intent, str) and bool(intent)
        own = written_in_order(
            document.meta,
            [span.key for span in document.spans],
            lambda one: (
                one.text is None and one in _attributes(document.text, one.span, {one.name: one.value})
            ),
        )
        entities = [
            {"start": span.start, "end": span.end, "entity": span.label}
            | {one.name: one.value for one in (own or {}).get(span.key, ())}
            for span in document.spans
        ]
        for span, entity in zip(document.spans, entities, strict=True):
            entity.setdefault("value", document.surface(span))
        record: Record = {"text": document.text, "entities": entities}
        kept = {INTENT} if is_kept else set()
        lost = self.general_losses(document, kept | {ATTRIBUTES} if own else kept)
        return {**record, INTENT: intent} if is_kept else record, lost


def _of_json(source: Source, prefix: str) -> Iterator[StandoffRecord | Refusal]:
    with source.open() as stream:
        start = _EXAMPLES.search(stream.read().lstrip("\ufeff"))
    if start is None:
        return
    for ordinal, element in enumerate(elements(source, start.end()), 1):
        value = element.value
        if isinstance(value, str) or (element.error is not None and element.raw.startswith((":", "}"))):
            return  # what follows the list of examples
        raw = (element.raw if element.error else json.dumps(value, ensure_ascii=False)) + ",\n"
        try:
            if element.error is not None:
                raise element.error
            yield _of_example(source, element.line, f"{prefix}-{ordinal}", value, raw)
        except RecordError as error:
            yield Refusal(element.line, message_of(error), raw)


def _of_example(source: Source, line: int, identifier: str, value: Any, raw: str) -> StandoffRecord:
    if not isinstance(value, dict):
        raise RecordError(
            'an example should be an object, like {{"text": …}}, but it is {value}', value=f"{value!r:.60}"
        )
    text = text_field(value, "text")
    marks: list[Mark] = []
    attributes = []
    for item in objects_of(value.get("entities") or [], "entities"):
        mark = checked_mark(item.get("start"), item.get("end"), item.get("entity"))
        if mark.start == mark.end:
            source.notes.add("empty", f"line {line}: an entity without characters was left out: {item!r:.60}")
            continue
        _note_others(source, line, item)
        key = (max(mark.start, 0), max(mark.end, 0), mark.label)
        attributes += [(one.name, one.value, len(marks), None) for one in _attributes(text, key, item)]
        marks.append(mark)
    meta = {name: entry for name, entry in value.items() if name not in ("text", "entities") and entry}
    return StandoffRecord(line, identifier, text, marks, meta, attributes=attributes, raw=raw)


def _of_examples(source: Source, prefix: str) -> Iterator[StandoffRecord | Refusal]:
    """The records of YAML or Markdown."""
    is_yaml = _MARKDOWN.match(source.head().lstrip("\ufeff")) is None
    every = _Yaml().examples(source.lines()) if is_yaml else _of_markdown(source.lines())
    for ordinal, found in enumerate(every, 1):
        one_line = found.text.replace("\n", " ")
        raw = f"## intent:{found.intent}\n- {one_line}\n"
        try:
            if isinstance(found, _Refused):
                raise found.error
            text, marks, attributes = _marked(source, found.line, found.text)
            meta = {INTENT: legal_text(found.intent)} if found.intent else {}
            identifier = f"{prefix}-{ordinal}"
            yield StandoffRecord(
                found.line, identifier, text, marks, meta,
                attributes=attributes, convention=CODE_POINTS, raw=raw,
            )  # fmt: skip
        except RecordError as error:
            yield Refusal(found.line, message_of(error), raw)


@dataclass(frozen=True)
class _Refused:
    """A line that is no example where one should be."""

    line: int
    intent: str
    text: str
    error: RecordError


def _no_example(line: int, intent: str, text: str) -> _Refused:
    error = RecordError(
        "an example should begin with a hyphen and a blank, but the line is {line}", line=f"{text!r:.60}"
    )
    return _Refused(line, intent, text, error)


def _of_markdown(lines: Iterable[tuple[int, str]]) -> Iterator[_Example | _Refused]:
    kind = intent = ""
    in_comment = False
    for number, line in lines:
        words = line.lstrip("\ufeff").strip()
        if in_comment or words.startswith("<!--"):
            in_comment = "-->" not in words
        elif section := _SECTION.match(words):
            kind, intent = section[1], section[2].strip()
        elif not words or kind != INTENT or words.startswith("#"):
            continue
        elif words[0] in "-*+" and words[1:].strip():
            yield _Example(number, intent, words[1:].strip())
        else:
            yield _no_example(number, intent, words)


class _Yaml:
    """The documented subset of Rasa's YAML: items of ``nlu`` with a block of examples or a list of texts."""

    def __init__(self) -> None:
        self.in_nlu = False
        self.kind = self.intent = ""
        self.block: int | None = None  # the indent of the field that began the block being read
        self.text: _Example | None = None  # that block as far as it is read, where it is one example
        self.one_text = False
        self.in_list = False  # of ``- text:``
        self.column = 0  # of the fields of that list's items; 0 before the first

    def examples(self, lines: Iterable[tuple[int, str]]) -> Iterator[_Example | _Refused]:
        """The examples of all intents."""
        for number, line in lines:
            line = line.lstrip("\ufeff")
            if words := line.strip():
                yield from self._line(number, line, words)
        yield from self._end_of_text()

    def _end_of_text(self) -> Iterator[_Example]:
        if self.text is not None:
            yield self.text
            self.text = None

    def _line(self, number: int, line: str, words: str) -> Iterator[_Example | _Refused]:
        indent = len(line) - len(line.lstrip(" \t"))
        if self.block is not None:
            if indent > self.block:
                yield from self._in_block(number, words)
                return
            self.block = None
            yield from self._end_of_text()
        if words.startswith("#"):
            return
        if indent == 0 and not words.startswith("-"):
            self.in_nlu = words.split("#")[0].strip() == "nlu:"
            self.kind = ""
        elif not self.in_nlu:
            return
        elif (item := _ITEM.fullmatch(line)) and self._begins_item(indent):
            self.kind, self.intent = item[2], _scalar(item[3])
            self.in_list = False
        elif self.kind == INTENT and (field := _FIELD.fullmatch(line)):
            yield from self._field(number, indent, field[2] or "", field[3], field[4].strip())
        elif self.kind == INTENT:
            yield self._refused(number, words)

    def _begins_item(self, indent: int) -> bool:
        """Whether an item of ``nlu`` may begin here, and not a field of an example."""
        return not self.in_list or not self.column or indent < self.column - 1

    def _field(
        self, number: int, indent: int, hyphen: str, name: str, value: str
    ) -> Iterator[_Example | _Refused]:
        column = indent + len(hyphen)
        bare = value.split("#")[0].strip()
        is_block = bare in ("|", "|-", "|+")
        if name == "examples" and not hyphen:
            self.in_list, self.column = not bare, 0
            if is_block:
                self.block, self.one_text = column, False
            elif bare:
                yield self._refused(number, value)
        elif self.in_list:
            self.column = self.column or column
            if name == "text" and column == self.column:  # else it is a field of the metadata
                if is_block:
                    self.block, self.one_text = column, True
                elif bare in (">", ">-", ">+"):
                    yield self._refused(number, value)
                elif bare:
                    yield _Example(number, self.intent, _scalar(value))

    def _in_block(self, number: int, words: str) -> Iterator[_Example | _Refused]:
        if self.one_text:
            before = self.text
            self.text = (
                before._replace(text=before.text + "\n" + words)
                if before
                else _Example(number, self.intent, words)
            )
        elif self.kind != INTENT or words.startswith("#"):
            return
        elif words[0] == "-" and words[1:].strip():
            yield _Example(number, self.intent, words[1:].strip())
        else:
            yield _no_example(number, self.intent, words)

    def _refused(self, number: int, words: str) -> _Refused:
        error = RecordError("the examples should be a block (examples: |) or a list of texts")
        return _Refused(number, self.intent, words, error)


def _scalar(value: str) -> str:
    """A plain or quoted scalar without the comment after it."""
    value = value.strip()
    for quote in "\"'":
        if value.startswith(quote) and (end := value.find(quote, 1)) > 0:
            return value[1:end]
    return re.sub(r"\s+#.*", "", value)


def _marked(
    source: Source, line: int, example: str
) -> tuple[str, list[Mark], list[tuple[str, str, int, None]]]:
    """The text of an example without its marks, its spans, and their attributes as `Record` has them.

    Raises:
        RecordError: an entity has no name, or its description is not JSON.
    """
    legal_text(example)
    parts: list[str] = []
    marks: list[Mark] = []
    attributes: list[tuple[str, str, int, None]] = []
    end = at = 0
    for match in _ENTITY.finditer(example):
        parts += [example[at : match.start()], match["words"]]
        start = end + match.start() - at
        end, at = start + len(match["words"]), match.end()
        label, value = match["label"], match["value"]
        short = None if label is None else [{"entity": label, "value": value}]
        for item in short or _described(match["one"] or match["more"]):
            mark = Mark(start, end, label_field(item.get("entity")))
            _note_others(source, line, item)
            found = _attributes(match["words"], (0, len(match["words"]), mark.label), item)
            attributes += [(one.name, one.value, len(marks), None) for one in found]
            marks.append(mark)
    return "".join(parts) + example[at:], marks, attributes


def _described(written: str) -> list[Record]:
    try:
        value = json.loads(written)
    except (ValueError, RecursionError):
        raise RecordError(
            "the description of an entity is not JSON: {written}", written=f"{written:.60}"
        ) from None
    return objects_of(value if isinstance(value, list) else [value], "entity")


def _attributes(text: str, key: SpanKey, item: Record) -> list[Attribute]:
    """Role, group and value of an entity in the order of ``item``, the value where it is not the surface."""
    return [
        Attribute(name, legal_text(value), key)
        for name, value in item.items()
        if name in _ATTRIBUTES and value and isinstance(value, str)
        if name != "value" or value != text[key[0] : key[1]]
    ]


def _note_others(source: Source, line: int, item: Record) -> None:
    """Say which of them are no text, such as the number that an entity stands for."""
    if left := [name for name in _ATTRIBUTES if item.get(name) and not isinstance(item[name], str)]:
        source.notes.add("attributes", f"line {line}: {', '.join(left)} of an entity left out: {item!r:.60}")
