"""BERT-MRC's JSON: one question per label and context, answered by token positions with inclusive ends.

Layout: Li et al. 2020, "A Unified MRC Framework for Named Entity Recognition", and its code
(github.com/ShannonAI/mrc-for-flat-nested-ner, ``data_generate``).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any, NamedTuple, TextIO

from core.formats.column import reads_back, writable
from core.formats.framework.errors import RecordError
from core.formats.framework.format import Format, Holds, Losses, ReadOptions, Refusal, WriteOptions, in_order
from core.formats.framework.source import Source
from core.formats.shapes.json_lines import (
    Record,
    label_field,
    numbered_records,
    offset_field,
    share,
    text_field,
)
from core.formats.shapes.json_records import write_array
from core.formats.shapes.tokens import join, token_meta, tokens_of
from core.runtime.message import message_of
from core.text import Document, Span, sort_spans
from core.text.tokens import TOKENS


class _Query(NamedTuple):
    line: int
    raw: str
    context: str
    group: str
    record: Record


class BertMrc(Format):
    """``{"context": "拜 登", "start_position": [0], "end_position": [1], "entity_label", "qas_id": "0.1"}``.

    Consecutive questions of one context become one document. ``span_position`` pairs starts and ends; without
    it they are paired in order.
    """

    name = "bert_mrc"
    title = "BERT-MRC JSON"
    extensions = (".json", ".mrc")
    holds = Holds(line_breaks=False, empty_texts=False)
    label_fields = ("entity_label",)

    def sniff(self, head: str) -> float:
        """Sure when records have a context and start positions."""
        return 0.98 * share(head, lambda record: {"context", "start_position"} <= record.keys())

    def read(self, source: Source, options: ReadOptions) -> Iterator[Document | Refusal]:
        """One document per context."""
        prefix = options.id_prefix or source.name
        number = 0
        for key, items in groupby(_queries(source), key=_group):
            if key is None:
                yield from (item for item in items if isinstance(item, Refusal))
                continue
            number += 1
            yield from _document(f"{prefix}-{number}", [item for item in items if isinstance(item, _Query)])

    def render(self, document: Document, options: WriteOptions) -> tuple[str, Losses]:
        """The questions of one document that have an answer."""
        records, lost = _records(document, 0, (), self.general_losses(document, {TOKENS}))
        return ",\n".join(json.dumps(record, ensure_ascii=False) for record in records), lost

    def write(
        self, documents: Iterable[Document], target: TextIO, options: WriteOptions | None = None
    ) -> Losses:
        """One array; every document has a question for every label of the corpus."""
        corpus = list(documents)
        labels = tuple(
            dict.fromkeys(writable(span.label, " ") for document in corpus for span in document.spans)
        )
        lost: Counter[str] = Counter()

        def rendered() -> Iterator[str]:
            for number, document in enumerate(corpus):
                general = self.general_losses(document, {TOKENS})
                records, losses = _records(document, number, labels or ("O",), general)
                lost.update(losses)
                yield from (json.dumps(record, ensure_ascii=False) for record in records)

        write_array(target, rendered())
        return in_order(lost)


def _records(
    document: Document, number: int, labels: tuple[str, ...], lost: Losses
) -> tuple[list[Record], Losses]:
    if not document.text:
        return [], {"documents": 1}
    extents, tokens = tokens_of(document.text, document.meta.get(TOKENS), document.spans)
    if not reads_back(tokens, document.text):
        lost = lost | {"texts": 1}
    first = {start: index for index, (start, _) in enumerate(extents)}
    last = {end: index for index, (_, end) in enumerate(extents)}
    answers: dict[str, list[tuple[int, int]]] = {label: [] for label in labels}
    renamed = 0
    for span in document.spans:
        label = writable(span.label, " ")
        renamed += label != span.label
        answers.setdefault(label, []).append((first[span.start], last[span.end]))
    records = [
        {
            "context": " ".join(tokens),
            "query": label,
            "start_position": [start for start, _ in places],
            "end_position": [end for _, end in places],
            "span_position": [f"{start};{end}" for start, end in places],
            "entity_label": label,
            "impossible": not places,
            "qas_id": f"{number}.{question}",
        }
        for question, (label, places) in enumerate(answers.items(), 1)
    ]
    return records, lost | ({"labels": renamed} if renamed else {})


def _group(item: _Query | Refusal) -> tuple[str, str] | None:
    return None if isinstance(item, Refusal) else (item.context, item.group)


def _queries(source: Source) -> Iterator[_Query | Refusal]:
    for line, raw, record in numbered_records(source):
        try:
            if isinstance(record, RecordError):
                raise record
            context = text_field(record, "context")
            if not context.strip(" "):
                raise RecordError("the context is empty")
            group = str(record.get("qas_id", "")).partition(".")[0]
            yield _Query(line, raw, context, group, record)
        except RecordError as error:
            yield Refusal(line, message_of(error), raw)


def _document(identifier: str, queries: list[_Query]) -> Iterator[Document | Refusal]:
    """One document; unreadable questions are refused, the others kept."""
    tokens = [token for token in queries[0].context.split(" ") if token]
    text, extents = join(tokens)
    spans: list[Span] = []
    for query in queries:
        try:
            for start, end in _places(query.record, len(tokens)):
                label = label_field(query.record.get("entity_label"))
                spans.append(Span(extents[start][0], extents[end][1], label))
        except RecordError as error:
            yield Refusal(query.line, message_of(error), query.raw)
    yield Document(identifier, text, sort_spans(spans), token_meta(text, extents))


def _places(record: Record, tokens: int) -> Iterator[tuple[int, int]]:
    pairs = record.get("span_position")
    starts, ends = record.get("start_position") or [], record.get("end_position") or []
    if isinstance(pairs, list) and pairs:
        places: list[Any] = [str(pair).replace(",", ";").split(";") for pair in pairs]
    elif isinstance(starts, list) and isinstance(ends, list) and len(starts) == len(ends):
        places = [list(place) for place in zip(starts, ends, strict=True)]
    else:
        raise RecordError(
            "starts {starts} and ends {ends} should be lists of the same length",
            starts=f"{starts!r:.40}",
            ends=f"{ends!r:.40}",
        )
    for place in places:
        if len(place) != 2:
            raise RecordError(
                "a span should have a first and a last token, but it is {place}", place=f"{place!r:.60}"
            )
        start, end = (offset_field(value, "a token's number") for value in place)
        if not 0 <= start <= end < tokens:
            raise RecordError(
                "tokens {start}-{end} do not lie in the context, which has {tokens}",
                start=start,
                end=end,
                tokens=tokens,
            )
        yield start, end
