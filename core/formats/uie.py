"""PaddleNLP's JSONL for UIE: one line for each text and prompt, with the spans that answer it.

Layout: PaddleNLP's documentation of UIE, its ``doccano.py``: ``content``, ``prompt``, and ``result_list`` of
``text``, ``start``, ``end``; code points, end exclusive. Prompts without an answer are negatives.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from core.formats.framework.format import Holds, Losses, ReadOptions, Refusal, WriteOptions
from core.formats.framework.source import Source
from core.formats.shapes.json_lines import Record, dump, id_field, objects_of, read_records, share, text_field
from core.formats.shapes.standoff import Mark, Standoff, checked_mark
from core.formats.shapes.standoff import Record as StandoffRecord
from core.text import Document

_OF = "的"  # between a surface and a relation: 陈禾的出生地


@dataclass
class _Text:
    """What the lines say of one text."""

    line: int
    id: str
    answers: dict[tuple[Mark, ...], None] = field(default_factory=dict)  # a line that is repeated counts once
    raw: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Answer:
    line: int
    id: str
    text: str
    prompt: str
    marks: list[Mark]
    raw: str


class Uie(Standoff):
    """``{"content", "result_list": [{"text", "start", "end"}], "prompt": label}``, one line a text and label.

    The lines of a text become one document, wherever they stand in the file. A prompt about an entity of the
    text (陈禾的出生地) asks for a relation, which is left out with a note.
    """

    name = "uie"
    title = "PaddleNLP UIE JSONL (a line for each text and prompt)"
    extensions = (".txt", ".jsonl", ".json")
    holds = Holds(ids=True)
    label_fields = ("result_list",)

    def sniff(self, head: str) -> float:
        """Sure if records have a content, a prompt and a list of results."""
        return 0.98 * share(head, _is_record)

    def records(self, source: Source, options: ReadOptions) -> Iterator[StandoffRecord | Refusal]:
        """One record per text; refused lines first."""
        prefix = options.id_prefix or source.name
        texts: dict[tuple[str, str], _Text] = {}
        for answer in read_records(source, _answer):
            if isinstance(answer, Refusal):
                yield answer
                continue
            of_text = texts.setdefault(
                (answer.id, answer.text), _Text(answer.line, answer.id or f"{prefix}-{len(texts) + 1}")
            )
            of_text.raw.append(answer.raw)
            if _asks_for_a_relation(answer.prompt, answer.text):
                if answer.marks:
                    source.notes.add(
                        "relations", f"line {answer.line}: the relation {answer.prompt!r:.60} was left out"
                    )
                continue
            of_text.answers[tuple(answer.marks)] = None
        for (_, text), found in texts.items():
            marks = [mark for answers in found.answers for mark in answers]
            yield StandoffRecord(found.line, found.id, text, marks, raw="".join(found.raw))

    def render(self, document: Document, options: WriteOptions) -> tuple[str, Losses]:
        """A line for each label of the document; one without a prompt if it has none."""
        results: dict[str, list[Record]] = {}
        for span in document.spans:
            result = {"text": document.surface(span), "start": span.start, "end": span.end}
            results.setdefault(span.label, []).append(result)
        lines = [
            dump({"id": document.id, "content": document.text, "result_list": found, "prompt": label})
            for label, found in (results or {"": []}).items()
        ]
        lost = self.general_losses(document)
        unread = sum(
            _asks_for_a_relation(label, document.text) * len(found) for label, found in results.items()
        )
        return "".join(lines), lost | ({"labels": unread} if unread else {})


def _answer(ordinal: int, line: int, raw: str, record: Record) -> _Answer:
    text = text_field(record, "content")
    prompt = text_field(record, "prompt")
    results = objects_of(record.get("result_list", []), "result_list")
    marks = [
        checked_mark(result.get("start"), result.get("end"), prompt, result.get("text")) for result in results
    ]
    return _Answer(line, id_field(record, "id", ""), text, prompt, marks, raw)


def _asks_for_a_relation(prompt: str, text: str) -> bool:
    about, of, _ = prompt.rpartition(_OF)
    return bool(of and about and about in text)


def _is_record(record: Record) -> bool:
    results: Any = record.get("result_list")
    return (
        isinstance(record.get("content"), str)
        and isinstance(record.get("prompt"), str)
        and isinstance(results, list)
    )
