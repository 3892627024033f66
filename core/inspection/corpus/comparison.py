"""Compares runs on the same documents: which is right where, and the counts behind their scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from core.inspection.corpus.significance import CountTable
from core.inspection.corpus.span_changes import Compared, SpanChange, span_changes
from core.text import Span, SpanKey
from core.text.annotated_regions import judged

Side = Literal["right_to_wrong", "wrong_to_right", "wrong_to_wrong"]
Outcome = Literal["same", "base_right", "other_right", "both_wrong", "no_gold"]


@dataclass(frozen=True, slots=True)
class SideChange:
    """A change between two runs, seen from the gold spans.

    Args:
        side: whether it fixes or breaks a span. label: the gold label, else the predicted one.
    """

    document_id: int
    side: Side
    label: str
    change: SpanChange


def outcome(document: Compared, base: int = 0, other: int = 1) -> Outcome:
    """Which run is right about the whole document: all spans exact, and no spurious ones.

    In a partially annotated document only its regions count; ``no_gold`` if the runs agree there.
    """
    said_base, said_other = _keys(document.predicted[base]), _keys(document.predicted[other])
    if said_base == said_other:
        return "same"
    if document.gold is None:
        return "no_gold"
    gold = _keys(document.gold)
    said_base, said_other = (_keys(judged(document.document, document.predicted[at])) for at in (base, other))
    if said_base == said_other:
        return "no_gold"
    if said_base == gold:
        return "base_right"
    return "other_right" if said_other == gold else "both_wrong"


def side_changes(document: Compared) -> list[SideChange]:
    """The changes between the two runs, each with its side; empty for an unlabelled document.

    A predicted span is right if it is gold, an absent one if it is not. So a spurious span that disappears
    went from wrong to right. In a partially annotated document only changes in its regions count.
    """
    if document.gold is None:
        return []
    gold = _keys(document.gold)
    # If each run finds another one of two gold spans, that is two changes, not one moved boundary.
    before, after = (judged(document.document, document.predicted[at]) for at in (0, 1))
    changes = span_changes(before, after, apart=gold)
    return [_side_of(document.document_id, change, gold) for change in changes]


def _side_of(document_id: int, change: SpanChange, gold: frozenset[SpanKey]) -> SideChange:
    was = change.before is not None and change.before.key in gold
    now = change.after is not None and change.after.key in gold
    if change.before is None:
        was = not now
    if change.after is None:
        now = not was
    side: Side = "right_to_wrong" if was else "wrong_to_right" if now else "wrong_to_wrong"
    named = next((x for x in (change.before, change.after) if x is not None and x.key in gold), None)
    label = named.label if named else change.labels[0]
    return SideChange(document_id, side, label, change)


def count_tables(documents: Iterable[Compared], runs: int) -> tuple[CountTable, dict[str, CountTable]]:
    """Correct, predicted and gold spans of each run by document: over all labels, and by label.

    Unlabelled documents are left out. Documents with the same counts are interchangeable in every resampling,
    so the tables count how often each row occurs.
    """
    whole: Counter[tuple[int, ...]] = Counter()
    by_label: dict[str, Counter[tuple[int, ...]]] = {}
    for document in documents:
        if document.gold is None:
            continue
        gold, said = (
            _keys(document.gold),
            [_keys(judged(document.document, spans)) for spans in document.predicted[:runs]],
        )
        whole[_row(gold, said)] += 1
        for label in {key[2] for key in gold.union(*said)}:
            row = _row(_of_label(gold, label), [_of_label(keys, label) for keys in said])
            by_label.setdefault(label, Counter())[row] += 1
    total = sum(whole.values())
    for counts in by_label.values():  # resampling also draws documents without the label
        counts[(0,) * 3 * runs] += total - sum(counts.values())
    tables = {label: _table(by_label[label], runs) for label in sorted(by_label)}
    return _table(whole, runs), tables


def _table(counts: Counter[tuple[int, ...]], runs: int) -> CountTable:
    present = sorted((row, times) for row, times in counts.items() if times)
    return CountTable.of([row for row, _ in present], [times for _, times in present], runs)


def _row(gold: frozenset[SpanKey], said: Sequence[frozenset[SpanKey]]) -> tuple[int, ...]:
    return tuple(number for keys in said for number in (len(keys & gold), len(keys), len(gold)))


def _of_label(keys: Iterable[SpanKey], label: str) -> frozenset[SpanKey]:
    return frozenset(key for key in keys if key[2] == label)


def _keys(spans: Iterable[Span]) -> frozenset[SpanKey]:
    return frozenset(span.key for span in spans)
