"""The messages that ask a language model for the entities of a text, and the schema of its answer.

The model quotes surfaces and counts their occurrences: it can copy text, but not count characters. Examples
are given as turns of the conversation, in the form that is asked for.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from core.text import Document, LabelSet, Span, sort_spans

Messages = list[dict[str, str]]
_TASK = (
    "You mark named entities. Read the text of the user and quote every entity of these labels exactly as it "
    "is written there: same characters, same script, no correction.\n\n"
    "Labels:\n{labels}\n{more}\n"
    "Answer with JSON only: "
    '{{"entities": [{{"text": "…", "label": "…", "occurrence": 1}}]}}. '
    "text is the quotation, label is one of the labels above, occurrence says which occurrence of the "
    "quotation in the text is meant, counted from 1. List entities in the order of the text, the same "
    'quotation once for each occurrence. Without entities answer {{"entities": []}}.'
)


def messages(
    text: str, labels: LabelSet, examples: Sequence[Document] = (), instruction: str = ""
) -> Messages:
    """The conversation that ends with ``text``.

    Args:
        examples: finished documents, the most similar last, next to the text.
        instruction: more than the guidelines of the labels say.
    """
    listed = "\n".join(f"- {_described(label.name, label.description)}" for label in labels)
    more = f"\n{instruction.strip()}\n" if instruction.strip() else ""
    turns: Messages = [{"role": "system", "content": _TASK.format(labels=listed, more=more)}]
    for example in examples:
        spans = [span for span in example.spans if span.label in labels]
        turns += [
            {"role": "user", "content": example.text},
            {"role": "assistant", "content": answer_of(example.text, spans)},
        ]
    return [*turns, {"role": "user", "content": text}]


def answer_of(text: str, spans: Iterable[Span]) -> str:
    """The answer that says these spans."""
    entities = [
        {
            "text": text[span.start : span.end],
            "label": span.label,
            "occurrence": occurrence(text, span.start, span.end),
        }
        for span in sort_spans(spans)
    ]
    return json.dumps({"entities": entities}, ensure_ascii=False)


def occurrence(text: str, start: int, end: int) -> int:
    """Which occurrence of its surface a place is, counted from 1; occurrences may overlap."""
    surface, count, at = text[start:end], 1, -1
    while (at := text.find(surface, at + 1)) != -1 and at < start:
        count += 1
    return count


def schema(labels: Sequence[str]) -> dict[str, Any]:
    """The JSON schema of an answer, as ``response_format`` of a request."""
    entity = {
        "type": "object",
        "properties": {
            "text": {"type": "string"},
            "label": {"type": "string", "enum": list(labels)},
            "occurrence": {"type": "integer"},
        },
        "required": ["text", "label", "occurrence"],
        "additionalProperties": False,
    }
    whole = {
        "type": "object",
        "properties": {"entities": {"type": "array", "items": entity}},
        "required": ["entities"],
        "additionalProperties": False,
    }
    return {"type": "json_schema", "json_schema": {"name": "entities", "strict": True, "schema": whole}}


def _described(name: str, description: str) -> str:
    guideline = " ".join(description.split())
    return f"{name}: {guideline}" if guideline else name
