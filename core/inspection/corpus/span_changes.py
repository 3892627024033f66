"""The differences between two predictions on a text: spans that are new, lost, moved or relabelled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from core.text import Document, Span, SpanKey, sort_spans

ChangeKind = Literal["new", "lost", "boundary", "label"]
CHANGE_KINDS: tuple[ChangeKind, ...] = ("new", "lost", "boundary", "label")


class Compared(Protocol):
    """A document with predictions of several runs.

    Attributes:
        document_id: its id. document: its text.
        gold: the gold spans; None if it is not labelled.
        predicted: the spans of each run, in the order of the runs.
    """

    @property
    def document_id(self) -> int: ...

    @property
    def document(self) -> Document: ...

    @property
    def gold(self) -> tuple[Span, ...] | None: ...

    @property
    def predicted(self) -> tuple[tuple[Span, ...], ...]: ...


@dataclass(frozen=True, slots=True)
class SpanChange:
    """A span that another prediction lacks, and its counterpart there, if any.

    ``before`` is None for a new span, ``after`` for a lost one. ``boundary``: same label, other extent;
    ``label``: same extent, other label.
    """

    kind: ChangeKind
    before: Span | None
    after: Span | None

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels involved, the old one first."""
        spans = (span for span in (self.before, self.after) if span is not None)
        return tuple(dict.fromkeys(span.label for span in spans))

    @property
    def extent(self) -> tuple[int, int]:
        """Start and end of the text that changes."""
        spans = [span for span in (self.before, self.after) if span is not None]
        return min(span.start for span in spans), max(span.end for span in spans)


@dataclass(frozen=True, slots=True)
class ChangeGroup:
    """Changes with the same kind, labels and surfaces.

    Args:
        kind: of the changes. before, after: label and surface; None if there is no span.
        count: number of changes. documents: ids, each once, in order.
        example: the first change, in the first of ``documents``.
    """

    kind: ChangeKind
    before: tuple[str, str] | None
    after: tuple[str, str] | None
    count: int
    documents: tuple[int, ...]
    example: SpanChange

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels involved, the old one first."""
        return self.example.labels


def span_changes(
    base: Iterable[Span], other: Iterable[Span], apart: Collection[SpanKey] = frozenset()
) -> list[SpanChange]:
    """How ``other`` differs from ``base``, in reading order; scores do not count.

    Spans that only one side has are matched: first by the same extent (label), then by the same label and the
    largest overlap (boundary). Each is matched once; unmatched ones are lost or new.

    Args:
        apart: span keys; two spans that are both in it are never matched.
    """
    before = {span.key: span for span in sort_spans(base)}
    after = {span.key: span for span in sort_spans(other)}
    gone = [span for key, span in before.items() if key not in after]
    come = [span for key, span in after.items() if key not in before]
    changes: list[SpanChange] = []
    _pair("label", gone, come, changes, apart)
    _pair("boundary", gone, come, changes, apart)
    changes += [SpanChange("lost", span, None) for span in gone]
    changes += [SpanChange("new", None, span) for span in come]
    return sorted(changes, key=lambda change: (*change.extent, change.labels))


def grouped(documents: Iterable[Compared], base: int = 0, other: int = 1) -> list[ChangeGroup]:
    """The changes from run ``base`` to run ``other``, by kind, label and surface, the most frequent first."""
    counts: Counter[tuple[ChangeKind, tuple[str, str] | None, tuple[str, str] | None]] = Counter()
    places: dict[object, list[int]] = {}
    examples: dict[object, SpanChange] = {}
    for document in documents:
        for change in span_changes(document.predicted[base], document.predicted[other]):
            key = (
                change.kind,
                _label_and_surface(document.document, change.before),
                _label_and_surface(document.document, change.after),
            )
            counts[key] += 1
            examples.setdefault(key, change)
            ids = places.setdefault(key, [])
            if not ids or ids[-1] != document.document_id:
                ids.append(document.document_id)
    return [
        ChangeGroup(*key, count, tuple(places[key]), examples[key])
        for key, count in sorted(
            counts.items(), key=lambda item: (-item[1], CHANGE_KINDS.index(item[0][0]), str(item[0][1:]))
        )
    ]


def by_label(groups: Iterable[ChangeGroup]) -> list[ChangeGroup]:
    """The groups merged over surfaces, by kind and labels; surfaces are left empty."""
    merged: dict[tuple[ChangeKind, tuple[str, ...]], list[ChangeGroup]] = {}
    for group in groups:
        merged.setdefault((group.kind, group.labels), []).append(group)
    joined = [
        ChangeGroup(
            parts[0].kind,
            None if parts[0].before is None else (parts[0].before[0], ""),
            None if parts[0].after is None else (parts[0].after[0], ""),
            sum(part.count for part in parts),
            tuple(sorted({number for part in parts for number in part.documents})),
            min(parts, key=lambda part: part.documents[0]).example,
        )
        for parts in merged.values()
    ]
    return sorted(joined, key=lambda group: (-group.count, CHANGE_KINDS.index(group.kind), group.labels))


def _pair(
    kind: Literal["label", "boundary"],
    gone: list[Span],
    come: list[Span],
    changes: list[SpanChange],
    apart: Collection[SpanKey],
) -> None:
    """Move matched spans out of ``gone`` and ``come`` into ``changes``, the best overlap first."""
    candidates = [
        (min(old.end, new.end) - max(old.start, new.start), old, new)
        for old in gone
        for new in come
        if _matches(kind, old, new) and not (old.key in apart and new.key in apart)
    ]
    for _, old, new in sorted(candidates, key=lambda item: (-item[0], item[1].key, item[2].key)):
        if old in gone and new in come:
            gone.remove(old)
            come.remove(new)
            changes.append(SpanChange(kind, old, new))


def _matches(kind: Literal["label", "boundary"], old: Span, new: Span) -> bool:
    if kind == "label":
        return (old.start, old.end) == (new.start, new.end)
    return old.label == new.label and old.overlaps(new)


def _label_and_surface(document: Document, span: Span | None) -> tuple[str, str] | None:
    return None if span is None else (span.label, document.surface(span))


def count_by_kind(groups: Sequence[ChangeGroup]) -> dict[str, int]:
    """Number of changes by kind, zeros included."""
    counts: dict[str, int] = dict.fromkeys(CHANGE_KINDS, 0)
    for group in groups:
        counts[group.kind] += group.count
    return counts
