"""What a language model answered: entities read out of it, and found in the text.

Servers that follow the schema answer with one JSON object. Others put prose or a code fence around it, think
aloud before it, or stop in the middle; every complete entity is read all the same.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple

from core.sources.contract import Dropped
from core.text import Span, SpanKey, sort_spans

_DECODER = json.JSONDecoder()
_THOUGHT = "</think>"  # ends what some models think aloud
MOST_ENTITIES = 5_000
LONGEST = 200_000  # characters of an answer that are read
MOST_FAULTS = 100  # places where no object begins after all

Token = tuple[str, float]  # of the answer, with its log probability


class Entity(NamedTuple):
    """One statement: a quotation, a label, which occurrence (None: not said), its probability (or None)."""

    text: str
    label: str
    occurrence: int | None
    probability: float | None


class Read(NamedTuple):
    """The entities of an answer. ``readable``: False if it holds none and does not say so."""

    entities: tuple[Entity, ...]
    malformed: int
    readable: bool


class Found(NamedTuple):
    """Spans of the text, and how many statements are none, by reason."""

    spans: tuple[Span, ...]
    dropped: dict[Dropped, int]


def read_answer(content: str, tokens: Sequence[Token] = ()) -> Read:
    """The entities in an answer.

    Args:
        tokens: of ``content`` with their log probabilities; used only if they make up ``content``. An
            entity's probability is that of all tokens that touch it.
    """
    content = content[:LONGEST]
    begin = content.rfind(_THOUGHT) + len(_THOUGHT) if _THOUGHT in content else 0
    ends = _ends(content, tokens)
    entities: list[Entity] = []
    malformed, says_none = 0, False
    for start, end, value in _objects(content, begin):
        if "entities" in value and value["entities"] == []:
            says_none = True
        elif "text" in value or "label" in value:
            entity = _entity(value, _probability(tokens, ends, start, end))
            if entity is None:
                malformed += 1
            elif len(entities) < MOST_ENTITIES:
                entities.append(entity)
    says_none = says_none or content[begin:].strip() == "[]"
    return Read(tuple(entities), malformed, bool(entities or malformed) or says_none)


def find_in_text(text: str, entities: Sequence[Entity], labels: Collection[str]) -> Found:
    """Find each quotation in ``text``.

    An occurrence that is not there, or not said, is taken for the first one that the same label has not got
    yet. What is not in the text is dropped and counted.
    """
    dropped: Counter[Dropped] = Counter()
    spans: dict[SpanKey, Span] = {}
    for entity in entities:
        surface = entity.text if entity.text in text else entity.text.strip()
        if entity.label not in labels:
            dropped["unknown label"] += 1
            continue
        places = list(_places(text, surface))
        if not places:
            dropped["not in the text"] += 1
            continue
        free = [at for at in places if (at, at + len(surface), entity.label) not in spans]
        number = entity.occurrence
        at = places[number - 1] if number is not None and 1 <= number <= len(places) else None
        if at is None:
            at = free[0] if free else None
        if at is None or at not in free:
            dropped["said twice"] += 1
            continue
        span = Span(at, at + len(surface), entity.label, entity.probability)
        spans[span.key] = span
    return Found(sort_spans(spans.values()), dict(dropped))


def _objects(content: str, begin: int) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """The JSON objects of an answer from the outside in: an entity as a whole, of others what is inside."""
    at, faults = content.find("{", begin), 0
    while at != -1 and faults < MOST_FAULTS:
        try:
            value, end = _DECODER.raw_decode(content, at)
        except (ValueError, RecursionError):
            value, end, faults = None, at + 1, faults + 1
        if isinstance(value, dict):
            yield at, end, value
            is_entity = "text" in value or "label" in value
            end = end if is_entity else at + 1
        at = content.find("{", end)


def _places(text: str, surface: str) -> Iterator[int]:
    at = text.find(surface) if surface else -1
    while at != -1:
        yield at
        at = text.find(surface, at + 1)


def _entity(value: dict[str, Any], probability: float | None) -> Entity | None:
    text, label, number = value.get("text"), value.get("label"), value.get("occurrence")
    if not isinstance(text, str) or not isinstance(label, str) or not text.strip():
        return None
    is_number = isinstance(number, int) and not isinstance(number, bool)
    return Entity(text, label, number if is_number else None, probability)


def _ends(content: str, tokens: Sequence[Token]) -> list[int]:
    """Where each token ends; empty if they do not make up the answer, as where a character is cut."""
    ends, at = [], 0
    for token, _ in tokens:
        at += len(token)
        ends.append(at)
    return ends if "".join(token for token, _ in tokens) == content else []


def _probability(tokens: Sequence[Token], ends: Sequence[int], start: int, end: int) -> float | None:
    if not ends:
        return None
    begins = [0, *ends[:-1]]
    logs = [
        tokens[place][1]
        for place, (begin, stop) in enumerate(zip(begins, ends, strict=True))
        if begin < end and stop > start
    ]
    return min(1.0, math.exp(sum(logs))) if logs else None
