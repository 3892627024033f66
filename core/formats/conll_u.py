"""CoNLL-U: ten columns of syntax, with entities in the last one.

Layout: universaldependencies.org/format.html. Entities are tags in ``MISC`` (``NER=B-PER``, as stanza and
some treebanks write them) or brackets (``Entity=(e1-person-1``, CorefUD 1.0, ufal.mff.cuni.cz/corefud).
Blanks: ``SpaceAfter=No``, and UDPipe's ``SpacesAfter`` and ``SpacesBefore``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise

from core.formats.framework.attachments import Discontinuous, to_meta
from core.formats.framework.errors import RecordError
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
from core.formats.framework.source import Notes, Source, legal_text
from core.formats.shapes.brackets import Brackets, Opened, chains_of
from core.formats.shapes.io_tags import with_prefix
from core.formats.shapes.rows import checked_tag, is_tag, note_malformed, scheme_of
from core.formats.shapes.spaced_rows import extents_of, form_of, gaps_of, is_one_line
from core.formats.shapes.tokens import aligned, is_unspaced, join, over_tokens, token_meta
from core.text import Document, Span, SpanKey, sort_spans
from core.text.message import message_of
from core.text.tag_schemes import Malformed, SchemeName, decode, encode
from core.text.tokens import TOKENS, Extent

_SNIFFED = re.compile(r"\s*(#[^\n]*\n)*(0\.\d+|1(-\d+)?)\t[^\t\n]+(\t[^\t\n]*){8}\n")
_CELLS = 10
_TAG_KEYS = ("ner", "ne", "name", "entity_tag")
_NEW_DOCUMENT = re.compile(r"#\s*newdoc\b(?:\s+id\s*=\s?(.*))?")
_COMMENT = re.compile(r"#\s*(sent_id|text|global\.Entity)\s*=\s?(.*)")
_PARAGRAPH = re.compile(r"#\s*newpar\b")
_PART = re.compile(r"(.+)\[(\d+)/(\d+)\]")
_BRACKET = re.compile(r"\(([^()]+)(\)?)|([^()]+)\)")
_NAMES = ("eid", "etype")  # the parts of an opening bracket where no comment names them
_ENTITY_NAMES, _TYPE_NAMES = ("eid", "grp"), ("etype", "entity")
_ESCAPED = re.compile(r"\\([stnrp\\])")
_BLANKS = {"s": " ", "t": "\t", "n": "\n", "r": "\r", "p": "|", "\\": "\\"}
_SPELLED = {char: f"\\{letter}" for letter, char in _BLANKS.items()}
_LABEL_BREAKS = re.compile(r"[\t\r\n\0|]+|^ +| +$")


@dataclass(frozen=True, slots=True)
class _Misc:
    """What the last cell says. ``after`` is None if it does not say what follows the token."""

    tag: str = ""
    entity: str = ""
    before: str = ""
    after: str | None = None


@dataclass(frozen=True, slots=True)
class _Survey:
    """What the whole file shows: its scheme, whether its tags have prefixes, and whether documents begin."""

    scheme: SchemeName
    prefixed: bool
    documents: bool
    entities: bool


@dataclass
class _Sentence:
    """Lines of a sentence, comments included, with the number of the first."""

    line: int
    lines: list[str]

    def comment(self, name: str) -> str | None:
        """The value of a comment; None without."""
        for line in self.lines:
            if line[:1] != "#":
                break
            found = _COMMENT.match(line)
            if found and found[1] == name:
                return found[2]
        return None


@dataclass
class _Read:
    """A document so far: text, the extent of each token and of the token of each word, spans, mentions."""

    text: list[str] = field(default_factory=list)
    length: int = 0
    gap: str | None = ""
    tokens: list[Extent] = field(default_factory=list)
    words: list[Extent] = field(default_factory=list)
    spans: dict[SpanKey, Span] = field(default_factory=dict)
    parts: list[Discontinuous] = field(default_factory=list)
    mentions: list[tuple[str, int, int, str]] = field(default_factory=list)


@dataclass
class _Rows:
    """The rows of a sentence: tokens as they stand in the text, and the syntactic words."""

    forms: list[str] = field(default_factory=list)
    misc: list[_Misc] = field(default_factory=list)
    words: list[int] = field(default_factory=list)  # of each word the place of its token
    tags: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    brackets: list[tuple[str, int, bool, int]] = field(default_factory=list)  # value, word, empty node, line


class ConllU(Format):
    """A document begins at ``# newdoc``; in a file without, each sentence is one.

    Spans are the tags ``NER=`` (or ``NE=``, ``name=``) and CorefUD's mentions that have a type; mentions of
    one entity are a chain. A word of a multiword token has the extent of the token; empty nodes have none.
    """

    name = "conllu"
    title = "CoNLL-U (entities in MISC)"
    extensions = (".conllu", ".conll", ".txt", ".tsv")
    holds = Holds(nested=False, crossing=False, ids=True, empty_texts=False)

    def sniff(self, head: str) -> float:
        """Sure if a row of ten cells, numbered 1, follows comments."""
        return 0.99 if _SNIFFED.match(head.lstrip("\ufeff")) else 0.0

    def read(self, source: Source, options: ReadOptions) -> Iterator[Document | Refusal]:
        """One document per ``# newdoc`` or per sentence."""
        survey = _survey(source)
        source.notes.add("columns", "of the columns, words and MISC were read")
        if not survey.entities:
            source.notes.add("entities", "no entities were found: MISC has neither NER= nor Entity=")
        prefix = options.id_prefix or source.name
        names: list[str] = list(_NAMES)
        for number, sentences in enumerate(_documents(source, survey.documents), 1):
            try:
                yield _document(
                    sentences, survey, f"{prefix}-{number}", options.malformed, source.notes, names
                )
            except RecordError as error:
                raw = "\n\n".join("\n".join(one.lines) for one in sentences) + "\n"
                yield Refusal(sentences[0].line, message_of(error), raw)

    def render(self, document: Document, options: WriteOptions) -> tuple[str, Losses]:
        """The document with ``NER=`` tags; a line is a sentence, unless a span goes on in the next."""
        lost: Counter[str] = Counter(self.general_losses(document, {TOKENS}))
        kept, flattened = flat_spans(document.spans)
        lost.update(flattened)
        spans = [Span(span.start, span.end, _LABEL_BREAKS.sub("_", span.label)) for span in kept]
        lost["labels"] += sum(old.label != new.label for old, new in zip(kept, spans, strict=True))
        text = document.text
        extents = extents_of(document, spans)
        if not extents:
            return "", {"documents": 1}
        forms = [form_of(text[start:end]) for start, end in extents]
        lost["texts"] += any(
            form != text[start:end] for form, (start, end) in zip(forms, extents, strict=True)
        )
        tags = encode(over_tokens(spans, extents), len(extents), "BIO")
        named = is_one_line(document.id)
        lost["ids"] += not named
        chunk = [f"# newdoc id = {document.id}\n" if named else "# newdoc\n"]
        before, first = text[: extents[0][0]], 0
        gaps = gaps_of(text, extents)
        for place, gap in enumerate(gaps):
            last = place == len(extents) - 1
            if not last and ("\n" not in gap or tags[place + 1][0] == "I"):
                continue
            words = " ".join(text[extents[first][0] : extents[place][1]].replace("\0", " ").split())
            chunk.append(f"# text = {words}\n")
            for number, at in enumerate(range(first, place + 1), 1):
                misc = _written(tags[at], before if at == 0 else "", gaps[at], at == len(extents) - 1)
                chunk.append(f"{number}\t{forms[at]}\t_\t_\t_\t_\t_\t_\t_\t{misc}\n")
            chunk.append("\n")
            first = place + 1
        return "".join(chunk), in_order(lost)


def _survey(source: Source) -> _Survey:
    prefixes: set[str] = set()
    documents = entities = False
    for _, line in source.lines():
        if line[:1] == "#":
            documents = documents or _NEW_DOCUMENT.match(line) is not None
            continue
        misc = line.rpartition("\t")[2]
        if "=" not in misc:
            continue
        found = _misc(misc)
        if found.tag and is_tag(found.tag):
            prefixes.add(found.tag[0])
        entities = entities or bool(found.tag or found.entity)
    prefixes.discard("O")
    return _Survey(scheme_of(prefixes), bool(prefixes), documents, entities)


def _sentences(source: Source) -> Iterator[_Sentence]:
    lines: list[str] = []
    first = 0
    for number, line in source.lines():
        if line and not line.isspace():
            if not lines:
                first = number
            lines.append(line)
        elif lines:
            yield _Sentence(first, lines)
            lines = []
    if lines:
        yield _Sentence(first, lines)


def _documents(source: Source, has_documents: bool) -> Iterator[list[_Sentence]]:
    document: list[_Sentence] = []
    for sentence in _sentences(source):
        begins = not has_documents or any(
            _NEW_DOCUMENT.match(line) for line in sentence.lines if line[:1] == "#"
        )
        if begins and any(line[:1] != "#" for one in document for line in one.lines):
            yield document
            document = []
        document.append(sentence)
    if any(line[:1] != "#" for one in document for line in one.lines):
        yield document


def _document(
    sentences: list[_Sentence],
    survey: _Survey,
    generated: str,
    malformed: Malformed,
    notes: Notes,
    names: list[str],
) -> Document:
    """The document of some sentences.

    Args:
        names: the parts of an opening bracket; a comment may change them for the rest of the file.

    Raises:
        RecordError: a row does not fit; the message says its line.
    """
    read = _Read()
    identifier = ""
    for sentence in sentences:
        paragraph = False
        for line in sentence.lines:
            if line[:1] != "#":
                break
            if (found := _NEW_DOCUMENT.match(line)) is not None:
                identifier = (found[1] or "").strip()
            paragraph = paragraph or _PARAGRAPH.match(line) is not None
        if (parts := sentence.comment("global.Entity")) is not None:
            names[:] = parts.strip().lower().split("-")
        rows = _rows(sentence, survey)
        if rows.forms:
            _add_text(read, rows, sentence, paragraph, notes)
            _add_tags(read, rows, survey, malformed, notes)
            _add_mentions(read, rows, names, notes)
    if not survey.documents:
        identifier = (sentences[-1].comment("sent_id") or "").strip()
    if read.gap:
        read.text.append(read.gap)
    text = legal_text("".join(read.text))
    meta = to_meta(read.parts, chains=chains_of(read.mentions, read.words))
    spans = tuple(sort_spans(read.spans.values()))
    return Document(
        legal_text(identifier) or generated, text, spans, {**meta, **token_meta(text, read.tokens)}
    )


def _rows(sentence: _Sentence, survey: _Survey) -> _Rows:
    """The rows of a sentence.

    Raises:
        RecordError: a row has too few cells, no word, or another number than that which follows.
    """
    rows = _Rows()
    forms, kept, words, tags, lines = rows.forms, rows.misc, rows.words, rows.tags, rows.lines
    covered = 0  # the last word of the multiword token being read
    for line, row in enumerate(sentence.lines, sentence.line):
        if row[0] == "#":
            continue
        cells = row.split("\t")
        if len(cells) != _CELLS:
            raise RecordError(
                "line {line}: the number of cells in {row} should be {count}, and its word not empty",
                line=line,
                row=repr(row[:40]),
                count=_CELLS,
            )
        number, form = cells[0], cells[1]
        if not form.strip(" "):
            raise RecordError("line {line}: the row has no word", line=line)
        misc = _misc(cells[9])
        count = len(words)
        empty = False
        if number == str(count + 1):
            if count >= covered:
                forms.append(form)
                kept.append(misc)
            words.append(len(forms) - 1)
            tags.append(_tag(misc.tag, survey, line) if misc.tag else "O")
            lines.append(line)
        elif _is_range(number, count) and count >= covered:
            covered = int(number.partition("-")[2])
            forms.append(form)
            kept.append(misc)
            continue
        elif number.startswith(f"{count}.") and number.partition(".")[2].isdecimal():
            empty = True
        else:
            raise _misnumbered(number, line)
        if misc.entity:
            rows.brackets.append((misc.entity, len(words) - (not empty), empty, line))
    if len(words) < covered:
        raise _misnumbered(f"…-{covered}", sentence.line)
    return rows


def _is_range(number: str, count: int) -> bool:
    """Whether a number is that of a multiword token after ``count`` words."""
    first, _, last = number.partition("-")
    return first == str(count + 1) and last.isdecimal() and len(last) < 10 and int(last) > count


def _misnumbered(number: str, line: int) -> RecordError:
    return RecordError(
        "line {line}: {number} does not follow the number of the row above it",
        line=line,
        number=repr(number[:40]),
    )


def _tag(tag: str, survey: _Survey, line: int) -> str:
    return checked_tag(tag if survey.prefixed else with_prefix(tag), survey.scheme, line)


def _add_text(read: _Read, rows: _Rows, sentence: _Sentence, paragraph: bool, notes: Notes) -> None:
    said = sentence.comment("text")
    distinct = {id(misc): misc for misc in rows.misc}.values()  # one object for each cell of the file
    explicit = any(one.after is not None or one.before for one in distinct)
    exact = any(one.before or one.after not in (None, "") for one in distinct)
    text, extents, after = "", [], None
    if said is not None and not exact:
        extents = aligned(said, rows.forms)
        if len(extents) == len(rows.forms) and not said[extents[-1][1] :].strip():
            text = said[extents[0][0] : extents[-1][1]]
            extents = [(start - extents[0][0], end - extents[0][0]) for start, end in extents]
            after = rows.misc[-1].after
        else:
            notes.add(
                "texts", f"line {sentence.line}: the comment with the text has other words; it was left out"
            )
    if not text and explicit:
        text, extents = _spaced(rows)
        after = rows.misc[-1].after
    elif not text:
        text, extents = join(rows.forms)
    between = read.gap
    if read.length and paragraph and "\n" not in (between or ""):
        between = "\n"
    elif read.length and between is None:
        between = "" if is_unspaced(read.text[-1][-1:]) else " "
    start = read.length + len(between or "")
    read.text += (between or "", text)
    read.length = start + len(text)
    read.gap = after
    moved = [(start + a, start + b) for a, b in extents] if start else extents
    read.tokens += moved
    read.words += [moved[token] for token in rows.words]


def _spaced(rows: _Rows) -> tuple[str, list[Extent]]:
    """The text of a sentence whose rows say what follows them, without what follows the last."""
    parts: list[str] = []
    extents: list[Extent] = []
    end = 0
    gap = ""
    for form, misc in zip(rows.forms, rows.misc, strict=True):
        if misc.before:
            gap += misc.before
        start = end + len(gap)
        end = start + len(form)
        parts += (gap, form)
        extents.append((start, end))
        gap = " " if misc.after is None else misc.after
    return "".join(parts), extents


def _add_tags(read: _Read, rows: _Rows, survey: _Survey, malformed: Malformed, notes: Notes) -> None:
    if set(rows.tags) <= {"O"}:
        return
    if survey.prefixed:
        lines, tags = rows.lines, rows.tags
        note_malformed(tags, survey.scheme, malformed, notes, lines.__getitem__, tags.__getitem__)
    first = len(read.words) - len(rows.words)
    for span in decode(rows.tags, survey.scheme, malformed if survey.prefixed else "repair"):
        _add_span(read, first + span.start, first + span.end, span.label)


def _add_span(read: _Read, first: int, after: int, label: str) -> None:
    span = Span(read.words[first][0], read.words[after - 1][1], label)
    read.spans.setdefault(span.key, span)


def _add_mentions(read: _Read, rows: _Rows, names: list[str], notes: Notes) -> None:
    """The mentions of a sentence, whose brackets close in it."""
    if not rows.brackets:
        return
    offset = len(read.words) - len(rows.words)
    entity_at = next((names.index(name) for name in _ENTITY_NAMES if name in names), 0)
    type_at = next((names.index(name) for name in _TYPE_NAMES if name in names), None)
    brackets = Brackets()
    pieces: dict[str, list[tuple[int, int]]] = {}
    for value, word, empty, line in rows.brackets:
        place = 0
        for found in _BRACKET.finditer(value):
            if found.start() != place:
                break
            place = found.end()
            if found[1] is not None:
                cells = found[1].split("-")
                entity = cells[entity_at] if entity_at < len(cells) else cells[0]
                label = cells[type_at] if type_at is not None and type_at < len(cells) else ""
                brackets.open(Opened(entity, word, line, label))
                if not found[2]:
                    continue
                closing = entity
            else:
                closing = _closing(brackets, found[3], entity_at)
            opened = brackets.close(closing, line)
            after = word + (not empty)
            if opened.first >= after:
                notes.add("entities", f"line {opened.line}: a mention without words was left out")
                continue
            _add_mention(read, opened, offset, after, pieces, notes)
        if place != len(value):
            raise RecordError(
                "line {line}: {cell} is not a list of brackets", line=line, cell=repr(value[:40])
            )
    brackets.finish()


def _closing(brackets: Brackets, name: str, entity_at: int) -> str:
    """The entity that a closing bracket names: by its name alone, or by the parts up to its name."""
    if brackets.opened.get(name):
        return name
    cells = name.split("-")
    return cells[entity_at] if entity_at < len(cells) else name


def _add_mention(
    read: _Read,
    opened: Opened,
    offset: int,
    after: int,
    pieces: dict[str, list[tuple[int, int]]],
    notes: Notes,
) -> None:
    first, last = offset + opened.first, offset + after
    part = _PART.fullmatch(opened.name)
    if part is None:
        read.mentions.append((opened.name, first, last, opened.label))
        if opened.label:
            _add_span(read, first, last, opened.label)
        return
    found = pieces.setdefault(part[1], [])
    found.append((read.words[first][0], read.words[last - 1][1]))
    if part[2] != part[3]:
        return
    del pieces[part[1]]
    found.sort()
    if not opened.label or any(left[1] > right[0] for left, right in pairwise(found)):
        return
    if len(found) > 1:
        read.parts.append(Discontinuous(tuple(found), opened.label))
    else:
        _add_span(read, first, last, opened.label)


@lru_cache(maxsize=1 << 14)
def _misc(cell: str) -> _Misc:
    # Most rows of a file have one of few cells.
    if cell == "_" or "=" not in cell:
        return _Misc()
    items = dict(item.partition("=")[::2] for item in cell.split("|"))
    tag = next((value for key, value in items.items() if key.lower() in _TAG_KEYS), "")
    after: str | None = None
    if items.get("SpaceAfter") == "No":
        after = ""
    elif "SpacesAfter" in items:
        after = _unescaped(items["SpacesAfter"])
    before = _unescaped(items.get("SpacesBefore", ""))
    return _Misc("" if tag in ("O", "_") else tag, items.get("Entity", ""), before, after)


def _unescaped(value: str) -> str:
    return _ESCAPED.sub(lambda found: _BLANKS[found[1]], value)


def _written(tag: str, before: str, gap: str, last: bool) -> str:
    """The last cell of a row; ``last`` is that of the document, after which no blank is understood."""
    items = [] if tag == "O" else [f"NER={tag}"]
    if not gap:
        items.append("SpaceAfter=No")
    elif gap != " " or last:
        items.append(f"SpacesAfter={_escaped(gap)}")
    if before:
        items.append(f"SpacesBefore={_escaped(before)}")
    return "|".join(items) or "_"


def _escaped(blanks: str) -> str:
    return "".join(_SPELLED.get(char, char) for char in blanks)
