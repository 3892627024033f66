"""CoNLL-U: ten columns of syntax, with entities in the last one.

Layout: universaldependencies.org/format.html. Entities are tags in ``MISC`` (``NER=B-PER``, as stanza and
some treebanks write them) or brackets (``Entity=(e1-person-1``, CorefUD 1.0, ufal.mff.cuni.cz/corefud).
Blanks: ``SpaceAfter=No``, and UDPipe's ``SpacesAfter`` and ``SpacesBefore``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from core.formats.conll_u.cells import misc_of, written
from core.formats.conll_u.document import NEW_DOCUMENT, document_of
from core.formats.conll_u.mentions import NAMES
from core.formats.conll_u.rows import Sentence, Survey
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
from core.formats.framework.source import Source
from core.formats.shapes.rows import is_tag, scheme_of
from core.formats.shapes.spaced_rows import extents_of, form_of, gaps_of, is_one_line
from core.formats.shapes.tokens import over_tokens
from core.runtime.message import message_of
from core.text import Document, Span
from core.text.tag_schemes import encode
from core.text.tokens import TOKENS

_SNIFFED = re.compile(r"\s*(#[^\n]*\n)*(0\.\d+|1(-\d+)?)\t[^\t\n]+(\t[^\t\n]*){8}\n")
_LABEL_BREAKS = re.compile(r"[\t\r\n\0|]+|^ +| +$")


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
        names: list[str] = list(NAMES)
        for number, sentences in enumerate(_documents(source, survey.documents), 1):
            try:
                yield document_of(
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
                misc = written(tags[at], before if at == 0 else "", gaps[at], at == len(extents) - 1)
                chunk.append(f"{number}\t{forms[at]}\t_\t_\t_\t_\t_\t_\t_\t{misc}\n")
            chunk.append("\n")
            first = place + 1
        return "".join(chunk), in_order(lost)


def _survey(source: Source) -> Survey:
    prefixes: set[str] = set()
    documents = entities = False
    for _, line in source.lines():
        if line[:1] == "#":
            documents = documents or NEW_DOCUMENT.match(line) is not None
            continue
        misc = line.rpartition("\t")[2]
        if "=" not in misc:
            continue
        found = misc_of(misc)
        if found.tag and is_tag(found.tag):
            prefixes.add(found.tag[0])
        entities = entities or bool(found.tag or found.entity)
    prefixes.discard("O")
    return Survey(scheme_of(prefixes), bool(prefixes), documents, entities)


def _sentences(source: Source) -> Iterator[Sentence]:
    lines: list[str] = []
    first = 0
    for number, line in source.lines():
        if line and not line.isspace():
            if not lines:
                first = number
            lines.append(line)
        elif lines:
            yield Sentence(first, lines)
            lines = []
    if lines:
        yield Sentence(first, lines)


def _documents(source: Source, has_documents: bool) -> Iterator[list[Sentence]]:
    document: list[Sentence] = []
    for sentence in _sentences(source):
        begins = not has_documents or any(
            NEW_DOCUMENT.match(line) for line in sentence.lines if line[:1] == "#"
        )
        if begins and any(line[:1] != "#" for one in document for line in one.lines):
            yield document
            document = []
        document.append(sentence)
    if any(line[:1] != "#" for one in document for line in one.lines):
        yield document
