"""The document of some sentences of CoNLL-U."""

from __future__ import annotations

import re

from core.formats.conll_u.draft import Draft, add_span
from core.formats.conll_u.mentions import add_mentions
from core.formats.conll_u.rows import Rows, Sentence, Survey, rows_of
from core.formats.framework.attachments import to_meta
from core.formats.framework.source import Notes, legal_text
from core.formats.shapes.brackets import chains_of
from core.formats.shapes.rows import note_malformed
from core.formats.shapes.tokens import aligned, is_unspaced, join, token_meta
from core.text import Document, sort_spans
from core.text.tag_schemes import Malformed, decode
from core.text.tokens import Extent

NEW_DOCUMENT = re.compile(r"#\s*newdoc\b(?:\s+id\s*=\s?(.*))?")
_PARAGRAPH = re.compile(r"#\s*newpar\b")


def document_of(
    sentences: list[Sentence],
    survey: Survey,
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
    read = Draft()
    identifier = ""
    for sentence in sentences:
        paragraph = False
        for line in sentence.lines:
            if line[:1] != "#":
                break
            if (found := NEW_DOCUMENT.match(line)) is not None:
                identifier = (found[1] or "").strip()
            paragraph = paragraph or _PARAGRAPH.match(line) is not None
        if (parts := sentence.comment("global.Entity")) is not None:
            names[:] = parts.strip().lower().split("-")
        rows = rows_of(sentence, survey)
        if rows.forms:
            _add_text(read, rows, sentence, paragraph, notes)
            _add_tags(read, rows, survey, malformed, notes)
            add_mentions(read, rows, names, notes)
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


def _add_text(read: Draft, rows: Rows, sentence: Sentence, paragraph: bool, notes: Notes) -> None:
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


def _spaced(rows: Rows) -> tuple[str, list[Extent]]:
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


def _add_tags(read: Draft, rows: Rows, survey: Survey, malformed: Malformed, notes: Notes) -> None:
    if set(rows.tags) <= {"O"}:
        return
    if survey.prefixed:
        lines, tags = rows.lines, rows.tags
        note_malformed(tags, survey.scheme, malformed, notes, lines.__getitem__, tags.__getitem__)
    first = len(read.words) - len(rows.words)
    for span in decode(rows.tags, survey.scheme, malformed if survey.prefixed else "repair"):
        add_span(read, first + span.start, first + span.end, span.label)
