"""From the labels of a source to those of the project."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from core.text import Span, SpanKey, sort_spans

# Names of the same thing in widespread corpora and taggers (CoNLL-2003, OntoNotes, MSRA, LAC, ResumeNER).
_SAME = (
    ("per", "person", "name", "nr", "人名", "人物", "姓名", "人"),
    ("loc", "location", "gpe", "place", "ns", "lct", "地名", "地点", "位置"),
    ("org", "organization", "organisation", "company", "nt", "机构", "机构名", "组织", "组织机构", "公司"),
    ("time", "date", "t", "时间", "日期"),
    ("misc", "miscellaneous", "其他"),
)


@dataclass(frozen=True, slots=True)
class Mapped:
    """Spans with labels of the project; ``unknown``: spans left out, by a label the project lacks."""

    spans: tuple[Span, ...]
    unknown: Mapping[str, int]


def proposed(theirs: Iterable[str], ours: Collection[str]) -> dict[str, str]:
    """The project's label for each of a source's labels that has one by name or by a usual other name.

    Where several labels of the project fit, the first one is proposed.
    """
    found: dict[str, str] = {}
    by_name = {name.casefold(): name for name in reversed(tuple(ours))}
    for label in theirs:
        name = label.casefold()
        group = next((names for names in _SAME if name in names), ())
        match = by_name.get(name) or next((ours for key, ours in by_name.items() if key in group), None)
        if match is not None:
            found[label] = match
    return found


def map_labels(spans: Iterable[Span], mapping: Mapping[str, str], ours: Collection[str]) -> Mapped:
    """Rename labels by ``mapping``; one that it leaves out keeps its name.

    Spans whose label is mapped to ``""`` are left out silently. Of spans that become equal, the likeliest
    stays.
    """
    kept: dict[SpanKey, Span] = {}
    unknown: Counter[str] = Counter()
    for span in spans:
        label = mapping.get(span.label, span.label)
        if not label:
            continue
        if label not in ours:
            unknown[span.label] += 1
            continue
        renamed = Span(span.start, span.end, label, span.score)
        rival = kept.get(renamed.key)
        if rival is None or (rival.score or 0) < (renamed.score or 0):
            kept[renamed.key] = renamed
    return Mapped(sort_spans(kept.values()), dict(unknown))
