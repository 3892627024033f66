"""spaCy 2's training JSON: documents of paragraphs of sentences, with a BILUO tag per token.

Layout: spaCy 2's documentation, "JSON input format for training", and its ``gold.json_to_tuple``. ``raw`` is
the paragraph's text, ``ner`` of a token its tag; ``-`` marks a token that is not annotated.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from core.formats.framework.errors import RecordError
from core.formats.framework.format import Holds, Losses, ReadOptions, Refusal, WriteOptions, flat_spans
from core.formats.framework.source import Source, legal_text
from core.formats.shapes.json_records import ArrayFormat
from core.formats.shapes.json_values import elements
from core.formats.shapes.tokens import aligned, join, over_tokens, split
from core.runtime.message import message_of
from core.text import Document, OffsetError, Span
from core.text.annotated_regions import REGIONS, joined
from core.text.tag_schemes import decode, encode, malformed_positions
from core.text.tokens import TOKENS, Extent, remembered

_HEAD = re.compile(r'\{[^{}\[]*"paragraphs"\s*:\s*\[\s*\{\s*"(?:raw|sentences|cats)"\s*:')
_TAG = re.compile(r"O|[BILU]-.+", re.DOTALL)
_MISSING = ("-", "", None)


class SpacyParagraphs(ArrayFormat):
    """``[{"id": 0, "paragraphs": [{"raw": …, "sentences": [{"tokens": [{"orth": …, "ner": …}]}]}]}]``.

    Every paragraph becomes a document, partially annotated if it has unannotated tokens.
    """

    name = "spacy_paragraphs"
    title = "spaCy 2 training JSON (paragraphs)"
    extensions = (".json",)
    holds = Holds(nested=False, crossing=False)

    def sniff(self, head: str) -> float:
        """Sure if it begins with a paragraph."""
        return 0.98 if _HEAD.search(head[:2000]) else 0.0

    def read(self, source: Source, options: ReadOptions) -> Iterator[Document | Refusal]:
        """One document per paragraph."""
        prefix = options.id_prefix or source.name
        for line, number, value, error in _paragraphs(source):
            try:
                if error is not None:
                    raise error
                yield _document(f"{prefix}-{number}", value, options, source)
            except (RecordError, OffsetError, ValueError) as problem:
                raw = json.dumps([{"id": number, "paragraphs": [value]}], ensure_ascii=False)
                yield Refusal(line, message_of(problem), raw + "\n")

    def element(self, document: Document, options: WriteOptions) -> tuple[Any, Losses]:
        """One document with one paragraph of one sentence."""
        text = document.text
        flat, overlapping = flat_spans(document.spans)
        lost = self.general_losses(document) | overlapping
        if set(document.meta) == {TOKENS}:
            lost.pop("meta", None)
        extents = _extents(text, document.meta.get(TOKENS), flat)
        tags = encode(over_tokens(flat, extents), len(extents), "BILOU")
        tokens = [
            {"id": place, "orth": text[start:end], "ner": tag}
            for place, ((start, end), tag) in enumerate(zip(extents, tags, strict=True))
        ]
        paragraph = {"raw": text, "sentences": [{"tokens": tokens, "brackets": []}], "cats": []}
        return {"id": 0, "paragraphs": [paragraph]}, lost


def _paragraphs(source: Source) -> Iterator[tuple[int, int, Any, RecordError | None]]:
    """Line, running number and value of every paragraph."""
    number = 0
    for element in elements(source):
        value = element.value
        listed = value.get("paragraphs") if isinstance(value, dict) else None
        if element.error is None and isinstance(listed, list):
            for paragraph in listed:
                number += 1
                yield element.line, number, paragraph, None
        else:
            number += 1
            problem = RecordError("a document of spaCy 2's training JSON has a list of paragraphs")
            yield element.line, number, element.raw[:2000], element.error or problem


def _document(identifier: str, value: Any, options: ReadOptions, source: Source) -> Document:
    words, tags = _tokens(value)
    raw = value.get("raw")
    if isinstance(raw, str):
        text = legal_text(raw)
        extents = aligned(text, words)
        if len(extents) < len(words):
            raise RecordError(
                "token {word} is not at character {at} of the raw text",
                word=f"{words[len(extents)]!r:.60}",
                at=extents[-1][1] if extents else 0,
            )
    elif words:
        text, extents = join([legal_text(word) for word in words])
    else:
        raise RecordError("a paragraph has neither a raw text nor tokens")
    seen = ["O" if tag is None else tag for tag in tags]
    if malformed_positions(seen, "BILOU"):
        source.notes.add(
            "tags", f"{identifier}: tags that spell no whole span were read by {options.malformed}"
        )
    spans = [
        Span(extents[span.start][0], extents[span.end - 1][1], legal_text(span.label))
        for span in decode(seen, "BILOU", options.malformed)
    ]
    meta: dict[str, Any] = {}
    if value.get("cats"):
        meta["cats"] = value["cats"]
    kept = [extent for extent in extents if text[slice(*extent)].strip()]
    if kept != split(text):
        meta[TOKENS] = [list(extent) for extent in kept]
    if None in tags:
        meta[REGIONS] = [list(region) for region in _annotated(extents, tags)]
    return Document(identifier, text, tuple(spans), meta)


def _tokens(value: Any) -> tuple[list[str], list[str | None]]:
    """Words and tags of a paragraph; None for an unannotated token."""
    if not isinstance(value, dict) or not isinstance(value.get("sentences", []), list):
        raise RecordError("a paragraph has a list of sentences, got {value}", value=f"{value!r:.60}")
    words: list[str] = []
    tags: list[str | None] = []
    for sentence in value.get("sentences", []):
        listed = sentence.get("tokens") if isinstance(sentence, dict) else None
        if not isinstance(listed, list):
            raise RecordError("a sentence has a list of tokens, got {sentence}", sentence=f"{sentence!r:.60}")
        for token in listed:
            word = token.get("orth") if isinstance(token, dict) else None
            if not isinstance(word, str) or not word:
                raise RecordError("a token has an orth, got {token}", token=f"{token!r:.60}")
            tag = token.get("ner")
            if tag not in _MISSING and (not isinstance(tag, str) or not _TAG.fullmatch(tag)):
                raise RecordError(
                    "{tag} of {word} is not a BILUO tag", tag=f"{tag!r:.60}", word=f"{word!r:.60}"
                )
            words.append(word)
            tags.append(None if tag in _MISSING else tag)
    return words, tags


def _annotated(extents: list[Extent], tags: list[str | None]) -> tuple[Extent, ...]:
    """The regions of annotated tokens, including the text between adjacent ones."""
    tagged = [extent for extent, tag in zip(extents, tags, strict=True) if tag is not None]
    both = pairwise(zip(extents, tags, strict=True))
    between = [(a[1], b[0]) for (a, tag), (b, other) in both if tag is not None and other is not None]
    return joined([*tagged, *between])


def _extents(text: str, kept: Any, spans: list[Span]) -> list[Extent]:
    """Tokens, split at span boundaries; with all blanks if a span begins or ends with one."""
    edges = {place for span in spans for place in (span.start, span.end)}
    tokens = remembered(text, kept) or split(text)
    places = sorted({0, len(text), *edges, *(place for extent in tokens for place in extent)})
    pieces = list(pairwise(places))
    blank = any(not text[a:b].strip() and {a, b} & edges and _touches(spans, a, b) for a, b in pieces)
    return [(a, b) for a, b in pieces if blank or text[a:b].strip()]


def _touches(spans: list[Span], start: int, end: int) -> bool:
    return any(span.start == start or span.end == end for span in spans)
