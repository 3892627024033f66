"""From a document of ours to the structure of a BioC document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import chain
from typing import Any

from core.formats.bioc.reading import BiocFormat
from core.formats.bioc.structure import (
    MOST_BLANKS,
    PASSAGES,
    SCORE,
    TYPE,
    Annotation,
    Bioc,
    Clean,
    Passage,
    Tie,
    filler,
)
from core.formats.framework.attachments import ANNOTATED_AT, ANNOTATOR, Attachments, attachments_of, one_line
from core.formats.framework.format import Losses
from core.formats.shapes.attributes import (
    ATTRIBUTES,
    IDENTIFIER,
    Attribute,
    by_span,
    is_bare,
    written_in_order,
)
from core.text import Document, EntityLink, SpanKey


def structure_of(document: Document, format: BiocFormat, clean: Clean) -> tuple[Bioc, Losses]:
    """A document as BioC, and what is lost.

    Args:
        clean: replaces characters that the file cannot hold, each by one.
    """
    lost: Counter[str] = Counter(format.general_losses(document))
    del lost["meta"]
    attached = attachments_of(document)
    text = clean(document.text)
    lost["texts"] += text != document.text
    found = Bioc(clean(document.id))
    lost["ids"] += found.id != document.id
    attributes = _written_attributes(attached, document, clean)
    own = by_span(attributes or ())
    names: dict[SpanKey, str] = {}
    extents: list[tuple[SpanKey, str, tuple[tuple[int, int], ...], float | None, EntityLink | None]]
    extents = [
        (span.key, span.label, ((span.start, span.end),), span.score, span.link) for span in document.spans
    ]
    extents += [(item.key, item.label, item.parts, None, None) for item in attached.discontinuous]
    for at, (key, label, parts, score, link) in enumerate(extents):
        kind = one_line(clean(label))
        if not kind:
            lost["spans" if at < len(document.spans) else "discontinuous"] += 1
            continue
        lost["labels"] += kind != label
        number = f"T{len(found.annotations) + 1}"
        infons = {TYPE: kind} | {one.name: one.value for one in own.pop(key, ())}
        if score is not None:
            infons[SCORE] = repr(score)
        if link is not None:
            fits = IDENTIFIER not in infons and clean(link.id) == link.id
            lost["links"] += not fits or not is_bare(link)
            infons |= {IDENTIFIER: link.id} if fits else {}
        places = tuple((start, end - start) for start, end in parts)
        surface = " ".join(text[start:end] for start, end in parts)
        found.annotations.append(Annotation(number, infons, places, surface))
        names.setdefault(key, number)
    for relation in attached.relations:
        ends = names.get(relation.source), names.get(relation.target)
        kind = one_line(clean(relation.type))
        if ends[0] is None or ends[1] is None or kind != relation.type:
            lost["relations"] += 1
            continue
        nodes = ((ends[0], "Arg1"), (ends[1], "Arg2"))
        found.ties.append(Tie(f"R{len(found.ties) + 1}", {TYPE: kind}, nodes))
    passages = _written_passages((attached.rest or {}).get(PASSAGES), text, clean)
    found.passages = passages or [Passage({}, ((0, text),))]
    rest = dict(attached.rest or {})
    for name, written in ((ATTRIBUTES, attributes), (PASSAGES, passages)):
        if written:
            del rest[name]
    for name, value in ((ANNOTATOR, attached.annotator), (ANNOTATED_AT, attached.annotated_at)):
        if value and clean(value) == value:
            found.infons[name] = value
        elif value:
            lost["authors"] = 1
    for name, value in rest.items():
        if isinstance(value, str) and name and clean(name) == name and clean(value) == value:
            found.infons[name] = value
        else:
            lost["meta"] = 1
    return found, dict(+lost)


def _written_attributes(attached: Attachments, document: Document, clean: Clean) -> list[Attribute] | None:
    """The attributes in ``meta`` if they are read as they are; else None."""
    keys = list(dict.fromkeys(span.key for span in document.spans))
    keys += [item.key for item in attached.discontinuous if item.key not in keys]
    own = written_in_order(
        attached.rest,
        keys,
        lambda one: (
            one.text is None
            and one.name not in (TYPE, SCORE)
            and clean(one.name + one.value) == one.name + one.value
            and bool(one_line(clean(one.span[2])))
        ),
    )
    return None if own is None else list(chain(*own.values()))


def _written_passages(items: Any, text: str, clean: Clean) -> list[Passage] | None:
    """The passages in ``meta`` if they are read as they are; else None."""
    if not isinstance(items, (list, tuple)) or not items:
        return None
    passages: list[Passage] = []
    at = 0
    for item in items:
        extent = _extent(item)
        if extent is None or not at <= extent[0] <= extent[1] <= len(text):
            return None
        infons = item["infons"]
        if not isinstance(infons, Mapping) or not all(_is_infon(*pair, clean) for pair in infons.items()):
            return None
        start, end = extent
        if text[at:start] != filler(start - at, bool(passages)) or start - at > MOST_BLANKS:
            return None
        passages.append(Passage(dict(infons), ((start, text[start:end]),)))
        at = end
    is_told = len(passages) > 1 or passages[0].infons or passages[0].pieces[0][0]
    return passages if at == len(text) and is_told else None


def _extent(item: Any) -> tuple[int, int] | None:
    if not isinstance(item, Mapping) or set(item) != {"start", "end", "infons"}:
        return None
    start, end = item["start"], item["end"]
    return (start, end) if type(start) is int and type(end) is int else None


def _is_infon(name: Any, value: Any, clean: Clean) -> bool:
    return (
        isinstance(name, str)
        and isinstance(value, str)
        and bool(name)
        and clean(name) == name
        and clean(value) == value
    )
