"""The effects of an edit (of text, dictionary, queries or run) on the predicted spans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from core.inspection.corpus.span_changes import span_changes
from core.inspection.what_if.alignment import Alignment
from core.text import Span, SpanKey

Kind = Literal["kept", "label", "boundary", "lost", "deleted", "new"]
NOTICED = 0.005  # a smaller change of confidence is shown as none


@dataclass(frozen=True, slots=True)
class Effect:
    """One span before and after the edit.

    Args:
        kind: ``kept``; other ``label``; moved ``boundary``; ``lost``; ``deleted`` (its characters are gone);
            ``new``.
        before: in the old text, None if it is new. after: in the new text, None if there is none.
        place: position of the characters of ``before`` in the new text; None if they are deleted.
    """

    kind: Kind
    before: Span | None
    after: Span | None
    place: Span | None = None

    @property
    def change(self) -> float | None:
        """Confidence after minus before, if both are known."""
        if self.before is None or self.after is None:
            return None
        if self.before.score is None or self.after.score is None:
            return None
        return self.after.score - self.before.score

    @property
    def is_noticed(self) -> bool:
        """Whether the span or, noticeably, its confidence differs."""
        return self.kind != "kept" or abs(self.change or 0.0) >= NOTICED


def effects(
    before: Sequence[Span], after: Sequence[Span], alignment: Alignment | None = None
) -> list[Effect]:
    """Every span of both sides once, in the order of the new text; matched by `span_changes`.

    Args:
        alignment: of the two texts; None for the same text.
    """
    moved = {span: span if alignment is None else alignment.moved(span) for span in dict.fromkeys(before)}
    # Two spans may end up in the same position if what separated them was deleted: the first one counts.
    placed: dict[SpanKey, tuple[Span, Span]] = {}
    for span, place in moved.items():
        if place is not None:
            placed.setdefault(place.key, (span, place))
    by_key = {span.key: span for span in after}
    result = [Effect("deleted", span, None) for span, place in moved.items() if place is None]
    result += [Effect("kept", span, by_key[k], place) for k, (span, place) in placed.items() if k in by_key]
    for change in span_changes([place for _, place in placed.values()], by_key.values()):
        old = placed[change.before.key] if change.before is not None else (None, None)
        result.append(Effect(change.kind, old[0], change.after, old[1]))
    return sorted(result, key=_reading_order)


def _reading_order(effect: Effect) -> tuple[int, int, str]:
    span = effect.after or effect.place or effect.before
    assert span is not None
    return (span.start, -span.end, span.label)
