"""HIPE's TSV: columns of tags on historical newspapers.

Layout: CLEF-HIPE-2020 and HIPE-2022, "Participation Guidelines" (zenodo.org/record/3677171), section "Data":
``TOKEN``, layers of entities (coarse, fine, literal, metonymic, nested), links to Wikidata, and ``MISC`` with
``NoSpaceAfter``, ``EndOfLine``, ``EndOfSentence``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from core.formats.column import writable
from core.formats.framework.errors import FormatError, RecordError
from core.formats.framework.format import (
    Format,
    Holds,
    Losses,
    ReadOptions,
    Refusal,
    WriteOptions,
    flat_spans,
    in_order,
)
from core.formats.framework.source import Source, legal_text
from core.formats.shapes.attributes import IDENTIFIER, is_bare, link_of
from core.formats.shapes.rows import checked_tag, note_malformed
from core.formats.shapes.spaced_rows import extents_of, form_of, gaps_of, is_one_line
from core.formats.shapes.tokens import over_tokens, token_meta
from core.runtime.message import message_of
from core.text import Document, Span, SpanKey, sort_spans
from core.text.tag_schemes import Malformed, decode, encode
from core.text.tokens import TOKENS, Extent

_TOKEN, _COARSE, _NESTED, _LINK, _MISC = "TOKEN", "NE-COARSE-LIT", "NE-NESTED", "NEL-LIT", "MISC"
_COLUMNS = (
    _TOKEN, _COARSE, "NE-COARSE-METO", "NE-FINE-LIT", "NE-FINE-METO", "NE-FINE-COMP", _NESTED, _LINK,
    "NEL-METO", _MISC,
)  # fmt: skip
_NOTHING = ("O", "_", "")
_NO_LINK = (*_NOTHING, "NIL")
_COMMENT = re.compile(r"#\s*([^=\t]*?)\s*=\s?(.*)")
_ID = "document_id"


@dataclass
class _Block:
    """The rows of a document, with the line of each, and what its comments say."""

    line: int
    raw: list[str] = field(default_factory=list)
    rows: list[tuple[int, str]] = field(default_factory=list)
    comments: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Layout:
    """The header's columns."""

    names: tuple[str, ...]

    def is_comment(self, line: str) -> bool:
        """Whether it is no row: a row may begin with ``#``, too, but has all its tabs."""
        return line.startswith("#") and line.count("\t") != len(self.names) - 1


class Hipe(Format):
    """Spans are those of the literal coarse layer, and inside them those of the nested layer.

    A document begins with its ``document_id``; in a file without any, at a blank line. Nested labels are
    fine ones (``loc.adm.town``), of which the coarse part is read. The ids of ``NEL-LIT`` (also ``NIL``)
    are the links of the coarse layer. Metonymic, fine and component layers and their links are counted in a
    note. Comments go into ``meta``.
    """

    name = "hipe"
    title = "HIPE TSV (historical newspapers)"
    extensions = (".tsv", ".txt", ".conll")
    holds = Holds(crossing=False, links=True, ids=True, line_breaks=False, empty_texts=False)

    def sniff(self, head: str) -> float:
        """Sure if the first row names the columns."""
        return 0.99 if _layout(head) is not None else 0.0

    def read(self, source: Source, options: ReadOptions) -> Iterator[Document | Refusal]:
        """One document for each ``document_id``.

        Raises:
            FormatError: the first row does not name the columns.
        """
        layout = _layout(source.head())
        if layout is None:
            raise FormatError(
                "{name}: the first row should name the columns: {columns}",
                name=source.path.name,
                columns=" ".join(_COLUMNS),
            )
        left_out: Counter[str] = Counter()
        prefix = options.id_prefix or source.name
        for number, block in enumerate(_blocks(source, layout), 1):
            try:
                yield _document(block, layout, f"{prefix}-{number}", options.malformed, source, left_out)
            except RecordError as error:
                yield Refusal(block.line, message_of(error), "".join(block.raw))
        if left_out:
            counted = ", ".join(f"{count} in {name}" for name, count in left_out.most_common())
            source.notes.add("columns", f"annotations of other columns were left out: {counted}")

    def refused_header(self, source: Source) -> str:
        """The row that names the columns."""
        return source.head().lstrip("\ufeff").split("\n", 1)[0] + "\n"

    def header(self, options: WriteOptions) -> str:
        """The row that names the columns."""
        return "\t".join(_COLUMNS) + "\n"

    def render(self, document: Document, options: WriteOptions) -> tuple[str, Losses]:
        """The id and the rows; layers that are not known are ``_``."""
        lost: Counter[str] = Counter(self.general_losses(document, {TOKENS}))
        outer, inner = _layers(document.spans, lost)
        extents = extents_of(document, [*outer, *inner])
        if not extents:
            return "", {"documents": 1}
        forms = [form_of(document.text[start:end]) for start, end in extents]
        gaps = gaps_of(document.text, extents)
        layers = [encode(over_tokens(layer, extents), len(extents), "BIO") for layer in (outer, inner)]
        linked = _linked(outer, extents, lost)
        lost["links"] += sum(span.link is not None for span in document.spans) - sum(
            span.link is not None for span in outer
        )
        rows = []
        for form, gap, coarse, nested, id_ in zip(forms, gaps, *layers, linked, strict=True):
            end = "_" if gap else "NoSpaceAfter"
            rows.append(f"{form}\t{coarse}\tO\t_\t_\t_\t{nested}\t{id_}\t_\t{end}\n")
        rebuilt = "".join(form + " " * bool(gap) for form, gap in zip(forms, gaps, strict=True)).rstrip(" ")
        lost["texts"] += rebuilt != document.text
        named = is_one_line(document.id)
        lost["ids"] += not named
        identifier = document.id if named else ""
        return f"# {_ID} = {identifier}\n" + "".join(rows) + "\n", in_order(lost)


def _layout(head: str) -> _Layout | None:
    names = tuple(name.strip() for name in head.lstrip("\ufeff").split("\n", 1)[0].split("\t"))
    return _Layout(names) if names[0] == _TOKEN and _COARSE in names else None


def _blocks(source: Source, layout: _Layout) -> Iterator[_Block]:
    block = _Block(0)
    named = _has_ids(source, layout)
    lines = source.lines()
    next(lines, None)
    for number, line in lines:
        comment = line[:1] == "#" and layout.is_comment(line)
        if comment or not line or line.isspace():
            found = _COMMENT.match(line) if comment else None
            key = found[1].rpartition(":")[2] if found else ""
            if block.rows and (key == _ID if named else not comment):
                yield block
                block = _Block(0)
            if found is not None:
                block.comments[key] = found[2].strip()
            if not comment:
                continue
        else:
            block.rows.append((number, line))
        block.line = block.line or number
        block.raw.append(line + "\n")
    if block.rows:
        yield block


def _has_ids(source: Source, layout: _Layout) -> bool:
    comments = (line for line in source.head().split("\n") if layout.is_comment(line))
    return any((found := _COMMENT.match(line)) and found[1].rpartition(":")[2] == _ID for line in comments)


def _document(
    block: _Block,
    layout: _Layout,
    generated: str,
    malformed: Malformed,
    source: Source,
    left_out: Counter[str],
) -> Document:
    parts: list[str] = []
    extents: list[Extent] = []
    layers: tuple[list[str], list[str]] = ([], [])
    ids: list[str] = []
    end = 0
    gap = ""
    others: Counter[tuple[str, ...]] = Counter()
    for line, row in block.rows:
        form, _, rest = row.partition("\t")
        cells = _cells(rest, layout.names)
        if cells is None or not form.strip(" "):
            raise RecordError(
                "line {line}: the number of cells in {row} should be {count}, and its word not empty",
                line=line,
                row=repr(row[:40]),
                count=len(layout.names),
            )
        coarse, nested, closing, id_, other = cells
        ids.append(id_)
        layers[0].append(coarse if coarse == "O" else checked_tag(coarse, "BIO", line))
        layers[1].append(nested if nested == "O" else checked_tag(nested, "BIO", line))
        if other:
            others[other] += 1
        start = end + len(gap)
        end = start + len(form)
        extents.append((start, end))
        parts += (gap, form)
        gap = closing
    text = legal_text("".join(parts))
    spans: dict[SpanKey, Span] = {}

    def line_of(at: int) -> int:
        return block.rows[at][0]

    for is_coarse, tags in zip((True, False), layers, strict=True):
        if set(tags) == {"O"}:
            continue
        note_malformed(tags, "BIO", malformed, source.notes, line_of, tags.__getitem__)
        for span in decode(tags, "BIO", malformed):
            link = link_of(IDENTIFIER, legal_text(ids[span.start]), None) if is_coarse else None
            found = Span(extents[span.start][0], extents[span.end - 1][1], span.label, link=link)
            spans.setdefault(found.key, found)
    for names, count in others.items():
        for name in names:
            left_out[name] += count
    comments = {name: legal_text(value) for name, value in block.comments.items() if name and value}
    identifier = comments.pop(_ID, "") or generated
    return Document(
        identifier, text, tuple(sort_spans(spans.values())), {**comments, **token_meta(text, extents)}
    )


@lru_cache(maxsize=1 << 14)
def _cells(rest: str, names: tuple[str, ...]) -> tuple[str, str, str, str, tuple[str, ...]] | None:
    """Coarse and nested tag, the gap after the token, the id of ``NEL-LIT``, other columns with annotations.

    None if there are too few or too many cells. Cached, because nearly all rows of a file end alike.
    """
    cells = rest.split("\t")
    if len(cells) != len(names) - 1:
        return None
    by_name = {name: cell.strip(" ") for name, cell in zip(names[1:], cells, strict=True)}
    coarse, nested = by_name.pop(_COARSE), by_name.pop(_NESTED, "O")
    flags = by_name.pop(_MISC, "").split("|")
    id_ = by_name.pop(_LINK, "")
    first = {_COARSE: coarse} | by_name
    others = tuple(
        name
        for name, cell in by_name.items()
        if cell.startswith("B-")
        or (
            name.startswith("NEL-")
            and cell not in _NO_LINK
            and first.get(f"NE-COARSE-{name[4:]}", "")[:2] == "B-"
        )
    )
    return (
        "O" if coarse in _NOTHING else coarse,
        "O" if nested in _NOTHING else nested.partition(".")[0],
        "" if "NoSpaceAfter" in flags else " ",
        "" if id_ in _NOTHING else id_,
        others,
    )


def _linked(spans: Sequence[Span], extents: Sequence[Extent], lost: Counter[str]) -> list[str]:
    """The cell of ``NEL-LIT`` of every token; what is not read as it is counts as lost."""
    cells = ["_"] * len(extents)
    for span in spans:
        if span.link is None:
            continue
        id_ = span.link.id
        fits = id_ == id_.strip(" ") and id_ not in _NOTHING
        lost["links"] += not fits or not is_bare(span.link)
        for at, (start, end) in enumerate(extents):
            if fits and span.start <= start and end <= span.end:
                cells[at] = id_
    return cells


def _layers(spans: Sequence[Span], lost: Counter[str]) -> tuple[list[Span], list[Span]]:
    """The outermost spans, and of those inside them one layer; others are counted in ``lost``."""
    outer, _ = flat_spans(spans)
    kept = {id(span) for span in outer}
    rest = [span for span in sort_spans(spans) if id(span) not in kept]
    named = [Span(span.start, span.end, writable(span.label, "\t"), link=span.link) for span in outer]
    keys = {span.key for span in named}
    inside: list[Span] = []
    for span in rest:
        found = Span(span.start, span.end, writable(span.label, "\t").replace(".", "_"))
        if not any(one.contains(span) for one in outer):
            lost["crossing_spans"] += 1
        elif found.key in keys or (inside and inside[-1].overlaps(found)):
            lost["nested_spans"] += 1
        else:
            inside.append(found)
            lost["labels"] += found.label != span.label
    lost["labels"] += sum(old.label != new.label for old, new in zip(outer, named, strict=True))
    return named, inside
