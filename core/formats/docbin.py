"""spaCy's DocBin (``.spacy``): tokens with their blanks, entities, and span groups for nested spans.

Layout: spaCy's API documentation, ``DocBin`` and ``SpanGroup``. User data in a file is ignored.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any, BinaryIO

from core.formats.framework.errors import FormatError
from core.formats.framework.format import (
    BinaryFormat,
    Holds,
    Losses,
    ReadOptions,
    Refusal,
    WriteOptions,
    flat_spans,
    in_order,
)
from core.formats.framework.optional import required
from core.formats.framework.source import RawSource, Source
from core.formats.shapes.attributes import IDENTIFIER, is_bare, link_of
from core.formats.shapes.tokens import split
from core.runtime.message import ToldValueError, _
from core.text import Document, EntityLink, Span, SpanKey, sort_spans
from core.text.tokens import TOKENS, Extent, document_tokens

GROUP = "sc"  # the span group spaCy's own span categoriser uses
_ZLIB = (b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda")
_LARGEST = 1 << 30  # bytes after unpacking
_WHAT = _("The format .spacy")


class DocBin(BinaryFormat):
    """Entities are read from ``doc.ents`` and all span groups, without duplicates.

    Tokens are split at span boundaries, so that no span is dropped. In every document the group ``sc``, which
    spaCy's span categoriser learns from, has all spans, and ``ents`` the outermost of those that overlap.
    """

    name = "docbin"
    title = "spaCy DocBin"
    extensions = (".spacy",)
    holds = Holds(links=True)

    def recognises(self, source: Source) -> float:
        """Sure if the unpacked beginning names the fields of a DocBin."""
        if not isinstance(source, RawSource) or source.start(2) not in _ZLIB:
            return 0.0
        try:
            head = zlib.decompressobj().decompress(source.start(4096), 256)
        except zlib.error:
            return 0.0
        return 1.0 if b"version" in head and b"attrs" in head else 0.0

    def read(self, source: Source, options: ReadOptions) -> Iterator[Document | Refusal]:
        """One document per Doc."""
        spacy = required("spacy", "spacy", _WHAT)
        bin_ = _loaded(source)
        prefix = options.id_prefix or source.name
        vocab = spacy.vocab.Vocab()
        docs = bin_.get_docs(vocab)
        number = 0
        while True:
            number += 1
            try:
                doc = next(docs)
            except StopIteration:
                return
            except Exception:  # any exception of its arrays; a generator cannot go on
                damaged = _(
                    "document {number} and those after it are damaged; write the file again", number=number
                )
                yield Refusal(number, damaged, " ")
                return
            yield _document(doc, f"{prefix}-{number}")

    def write_binary(
        self, documents: Iterable[Document], target: BinaryIO, options: WriteOptions | None = None
    ) -> Losses:
        """All documents in one bin."""
        spacy = required("spacy", "spacy", _WHAT)
        tokens = required("spacy.tokens", "spacy", _WHAT)
        options = options or WriteOptions()
        lost: Counter[str] = Counter()
        vocab = spacy.vocab.Vocab()
        bin_ = tokens.DocBin(attrs=["ENT_IOB", "ENT_TYPE", "ENT_KB_ID"], store_user_data=False)
        for document in documents:
            lost.update(self.render(document, options)[1])
            lost["links"] += sum(not is_bare(span.link) for span in document.spans)
            bin_.add(_doc(tokens, vocab, document))
        target.write(bin_.to_bytes())
        return in_order(lost)


def _loaded(source: Source) -> Any:
    """Load the bin of a file without its user data.

    Raises:
        FormatError: it is no DocBin, or unpacks to too much.
    """
    tokens = required("spacy.tokens", "spacy", _WHAT)
    try:
        unpacking = zlib.decompressobj()
        plain = unpacking.decompress(source.path.read_bytes(), _LARGEST + 1)
        if len(plain) > _LARGEST:
            raise FormatError(
                "{name} unpacks to more than {most} GiB; split it", name=source.path.name, most=_LARGEST >> 30
            )
        if not unpacking.eof:
            raise FormatError(
                "{name} ends before its packed content does; copy it again", name=source.path.name
            )
        return _filled(tokens.DocBin(store_user_data=False), required("srsly", "spacy", _WHAT), plain)
    except FormatError:
        raise
    except Exception:  # msgpack and numpy raise many kinds
        raise FormatError(
            "{name} is damaged or not a DocBin of spaCy 3; write it again", name=source.path.name
        ) from None


def _filled(bin_: Any, srsly: Any, plain: bytes) -> Any:
    """The bin with the fields of an unpacked file; ``DocBin.from_bytes`` would unpack it again.

    ``tokens`` is uint64 ``[T, A]`` for T tokens of all documents and A attributes, ``spaces`` bool
    ``[T, 1]``, ``lengths`` int32 ``[N]``.
    """
    import numpy as np  # imports spaCy, which no other format needs

    fields = srsly.msgpack_loads(plain)
    lengths = np.frombuffer(fields["lengths"], dtype="int32")
    cuts = np.cumsum(lengths)[:-1]
    bin_.attrs, bin_.strings, bin_.cats = fields["attrs"], set(fields["strings"]), fields["cats"]
    flat = np.frombuffer(fields["tokens"], dtype="uint64").reshape(-1, len(bin_.attrs))
    spaces = np.frombuffer(fields["spaces"], dtype=bool).reshape(-1, 1)
    if not len(flat) == len(spaces) == lengths.sum():
        raise ToldValueError(
            "its documents have {tokens} tokens, but {number} are there",
            tokens=lengths.sum(),
            number=len(flat),
        )
    bin_.tokens = np.split(flat, cuts) if len(lengths) else []
    bin_.spaces = np.split(spaces, cuts) if len(lengths) else []
    bin_.span_groups = fields.get("span_groups", [b""] * len(lengths))
    bin_.flags = fields.get("flags", [{} for _ in lengths])
    bin_.user_data = [None] * len(lengths)
    return bin_


def _document(doc: Any, identifier: str) -> Document:
    text = doc.text
    keys: Counter[SpanKey] = Counter()
    links: dict[SpanKey, EntityLink | None] = {}
    for group in (doc.ents, *doc.spans.values()):  # the same span in two of them is one span
        keys |= Counter((span.start_char, span.end_char, span.label_) for span in group)
        for span in group:
            if span.kb_id_:
                links.setdefault(
                    (span.start_char, span.end_char, span.label_), link_of(IDENTIFIER, span.kb_id_, None)
                )
    spans = [Span(*key, link=links.get(key)) for key in keys.elements() if key[2].strip() and key[0] < key[1]]
    extents = [(token.idx, token.idx + len(token)) for token in doc if not token.is_space]
    kept = {} if extents == split(text) else {TOKENS: [list(extent) for extent in extents]}
    return Document(identifier, text, sort_spans(spans), kept)


def _doc(tokens: Any, vocab: Any, document: Document) -> Any:
    text = document.text
    edges = {place for span in document.spans for place in (span.start, span.end)}
    kept = document_tokens(document) or split(text)
    words, spaces = _words(text, kept, edges)
    doc = tokens.Doc(vocab, words=words, spaces=spaces)
    flat, _ = flat_spans(document.spans)
    doc.ents = [_char_span(doc, span) for span in flat]
    doc.spans[GROUP] = [_char_span(doc, span) for span in document.spans]
    return doc


def _char_span(doc: Any, span: Span) -> Any:
    known = span.link.id if span.link else ""
    aligned = doc.char_span(span.start, span.end, label=span.label, kb_id=known)
    if aligned is None:  # impossible: tokens are split at every edge
        raise FormatError(
            "span {label} {start}-{end} does not align with tokens",
            label=span.label,
            start=span.start,
            end=span.end,
        )
    return aligned


def _words(text: str, tokens: list[Extent], edges: set[int]) -> tuple[list[str], list[bool]]:
    """Words, and whether a blank follows each; blanks at span boundaries are separate words."""
    places = sorted({0, len(text), *edges, *(place for extent in tokens for place in extent)})
    words: list[str] = []
    spaces: list[bool] = []
    for start, end in pairwise(places):
        if text[start:end] == " " and words and not spaces[-1] and not {start, end} & edges:
            spaces[-1] = True
            continue
        words.append(text[start:end])
        spaces.append(False)
    return words, spaces
