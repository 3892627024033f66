"""A mapping: which field of a file holds the text, the spans, the tags, the id, the split and the labels."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from core.formats.framework import conventions
from core.formats.framework.errors import FormatError
from core.runtime.message import message_of

LONGEST = 100_000  # characters of a mapping's file
_SEVERAL = ("tags", "labels")
# What stands before the next comma or plus that no backslash escapes; a backslash escapes a backslash, too.
_BEFORE = {mark: re.compile(rf"((?:[^{mark}\\]|\\(?:.|$))*)([{mark}]|$)", re.DOTALL) for mark in (",", "+")}


@dataclass(frozen=True, slots=True)
class Mapping:
    """Paths (see ``field_path``) to the fields of a record; an empty one is not mapped.

    Args:
        text: the text. tokens: its tokens, a list or a text with blanks; either of the two may be missing.
        tags: a tag for every token (of every character where there are no tokens); several are layers of
            nested spans, the outer ones first.
        spans: a list of spans. start, end, label, surface: within one of them, names or positions (``0``);
            guessed from the first records where they are empty. Without ``spans``, but with ``group``, they
            are columns, and every row is a span.
        id: the document's id. split: train, dev or test. labels: labels of the whole document, which are kept
            in ``meta["document_labels"]``.
        records: the list of records inside the object that the file is.
        group: CSV and TSV: rows one below the other with the same value here are one document; an empty cell
            repeats the one above.
        offsets: what ``start`` and ``end`` count: the name of a convention, or ``auto``. Where there are
            tokens and no text, or the convention's unit is ``tokens``, they number the tokens from 0.
    """

    text: str = ""
    tokens: str = ""
    tags: tuple[str, ...] = ()
    spans: str = ""
    start: str = ""
    end: str = ""
    label: str = ""
    surface: str = ""
    id: str = ""
    split: str = ""
    labels: tuple[str, ...] = ()
    records: str = ""
    group: str = ""
    offsets: str = "auto"

    @property
    def rows_are_spans(self) -> bool:
        """Whether each row of a group is a span."""
        return bool(self.group and self.start and self.end and not self.spans)

    def paths(self) -> list[str]:
        """The paths from a record that are mapped; those inside a span are not among them."""
        inside = (self.start, self.end, self.label, self.surface) if self.rows_are_spans else ()
        named = (self.text, self.tokens, *self.tags, self.spans, *inside, self.id, self.split, *self.labels)
        return list(dict.fromkeys(path for path in (*named, self.group) if path))

    def check(self) -> None:
        """Refuse a mapping that can read nothing.

        Raises:
            FormatError: neither text nor tokens, spans that cannot be told, or an unknown convention.
        """
        if not (self.text or self.tokens):
            raise FormatError("the mapping names neither a text nor tokens; say which field holds the text")
        if (self.start or self.end) and not self.spans and not self.group:
            raise FormatError(
                "the mapping names a start or an end, and not the list of spans they lie in; name it as "
                "spans, or, for a table with a span on each row, the column that names the document as group"
            )
        if self.offsets != "auto":
            try:
                conventions.by_name(self.offsets)
            except ValueError as error:
                raise FormatError(message_of(error)) from None

    def to_json(self) -> dict[str, Any]:
        """The mapped fields as JSON."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in values.items()
            if value and (name, value) != ("offsets", "auto")
        }

    @classmethod
    def from_json(cls, value: Any) -> Mapping:
        """The inverse of `to_json`; one path may stand where several are allowed.

        Raises:
            FormatError: it is no object of paths, has unknown names, or can read nothing (`check`).
        """
        if not isinstance(value, dict):
            raise FormatError('a mapping should be an object, like {{"text": "body", "spans": "ents"}}')
        names = [each.name for each in fields(cls)]
        if unknown := [str(name) for name in value if name not in names]:
            raise FormatError(
                "a mapping has no field {unknown}; it has {names}", unknown=repr(unknown[0]), names=names
            )
        given: dict[str, Any] = {}
        for name, path in value.items():
            paths = path if name in _SEVERAL and isinstance(path, (list, tuple)) else [path]
            if not all(isinstance(each, str) and (each or name not in _SEVERAL) for each in paths):
                raise FormatError(
                    "the mapping's {name} should be the name of a field, but it is {value}",
                    name=name,
                    value=f"{path!r:.60}",
                )
            given[name] = tuple(paths) if name in _SEVERAL else path
        mapping = cls(**given)
        mapping.check()
        return mapping

    @classmethod
    def parse(cls, written: str) -> Mapping:
        r"""A mapping as one writes it on the command line: ``text=body,spans=ents,tags=ner+ner2``.

        A comma or a plus inside a name is escaped by a backslash.

        Raises:
            FormatError: it is no such list, or `from_json` refuses it.
        """
        given: dict[str, Any] = {}
        *parts, last = _split(written, ",")
        for part in [*parts, last] if last.strip() else parts:  # a comma at the end is no fault
            name, equals, path = part.partition("=")
            if not equals or not path:
                raise FormatError(
                    "{part} is no part of a mapping; write text=FIELD,spans=FIELD, with a comma between them",
                    part=repr(part[:60]),
                )
            if name.strip() in given:
                raise FormatError("the mapping names {name} twice", name=repr(name.strip()[:60]))
            several = name.strip() in _SEVERAL
            paths = [_plain(each) for each in (_split(path, "+") if several else [path])]
            given[name.strip()] = paths if several else paths[0]
        return cls.from_json(given)

    def __str__(self) -> str:
        r"""As `parse` reads it."""
        return ",".join(
            f"{name}=" + "+".join(map(_escaped, value if isinstance(value, list) else [value]))
            for name, value in self.to_json().items()
        )


def read_mapping(path: Path | str) -> Mapping:
    """The mapping in a JSON file.

    Raises:
        FormatError: it cannot be read, or is no mapping.
    """
    place = Path(path)
    try:
        if place.stat().st_size > 4 * LONGEST:
            raise FormatError("{name} is too long for a mapping", name=place.name)
        value = json.loads(place.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise FormatError("cannot read {path}: {reason}", path=place, reason=error) from error
    except (ValueError, RecursionError) as error:
        raise FormatError(
            "{name} is not JSON: a mapping is an object with the names of fields", name=place.name
        ) from error
    try:
        return Mapping.from_json(value)
    except FormatError as error:
        raise FormatError("{name}: {reason}", name=place.name, reason=error) from None


def mapping_argument(written: str) -> Mapping:
    """A mapping from the command line: the name of a JSON file, or the mapping itself.

    Raises:
        FormatError: as `read_mapping` or `Mapping.parse`.
    """
    is_file = written.lower().endswith(".json") and "=" not in written
    return read_mapping(written) if is_file or Path(written).is_file() else Mapping.parse(written)


def _split(written: str, mark: str) -> Iterator[str]:
    at = 0
    while match := _BEFORE[mark].match(written, at):
        yield match[1]
        at = match.end()
        if not match[2]:
            return


def _plain(path: str) -> str:
    """A name without the escapes of commas and pluses; those of dots belong to the path."""
    return re.sub(r"\\([,+])", r"\1", path)


def _escaped(path: str) -> str:
    return re.sub(r"([,+])", r"\\\1", path)
