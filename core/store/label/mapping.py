"""What becomes of spans, events, claims and imported fields when a label turns into another or goes away."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.store.annotation.corrections import Claim
from core.store.db.cells import load_json
from core.text import Span, sort_spans

Key = tuple[int, int, str]
Saved = dict[str, Any]  # JSON: what one document held before


@dataclass(frozen=True, slots=True)
class Change:
    """What an event added, removed and left rejected."""

    added: tuple[Span, ...]
    removed: tuple[Span, ...]
    rejected: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class LabelMapping:
    """``old`` becomes ``new``; None takes it away with its spans."""

    old: str
    new: str | None

    def span(self, span: Span) -> Span | None:
        """One span afterwards."""
        if span.label != self.old:
            return span
        return None if self.new is None else Span(span.start, span.end, self.new, span.score)

    def spans(self, spans: Iterable[Span]) -> tuple[Span, ...]:
        """A set of spans afterwards; where two coincide the one that had the label before stays."""
        found: dict[Key, Span] = {}
        given = list(spans)
        for span in (*(x for x in given if x.label != self.old), *(x for x in given if x.label == self.old)):
            mapped = self.span(span)
            if mapped is not None:
                found.setdefault(mapped.key, mapped)
        return sort_spans(found.values())

    def predicted(self, spans: Iterable[Span]) -> tuple[Span, ...]:
        """Predicted spans afterwards; of two that coincide the surer one stays."""
        return called(spans, {self.old: self.new})

    def events(self, start: Iterable[Span], events: Iterable[Change]) -> Iterator[Change]:
        """The events afterwards: what folds to the mapped spans at every revision.

        Not each event mapped by itself: where two spans coincide afterwards, taking one away takes nothing
        away as long as the other stands.

        Args:
            start: the spans before the first event.
        """
        state = {span.key: span for span in start}
        before = {span.key: span for span in self.spans(state.values())}
        for event in events:
            for span in event.removed:
                state.pop(span.key, None)
            state.update((span.key, span) for span in event.added)
            after = {span.key: span for span in self.spans(state.values())}
            yield Change(
                sort_spans(span for key, span in after.items() if key not in before),
                sort_spans(span for key, span in before.items() if key not in after),
                self.rejected(event.rejected, after),
            )
            before = after

    def rejected(self, rejected: Iterable[Span], annotated: Iterable[Key]) -> tuple[Span, ...]:
        """Rejected spans afterwards; what is annotated is not rejected."""
        stands = set(annotated)
        return tuple(span for span in self.spans(rejected) if span.key not in stands)

    def back(self, spans: Iterable[Span], before: Iterable[Span]) -> tuple[Span, ...]:
        """``spans`` of today with those that had the old label in ``before`` under it again."""
        was = {span.key: span for span in before}
        found: dict[Key, Span] = {}
        for span in spans:
            old_key = (span.start, span.end, self.old)
            if span.label == self.new and old_key in was:
                found[old_key] = was[old_key]
                if span.key not in was:
                    continue
            found[span.key] = span
        if self.new is None:
            found.update((key, span) for key, span in was.items() if span.label == self.old)
        return sort_spans(found.values())

    def claim(self, claim: Claim) -> Claim | None:
        """A correction afterwards; None where nothing is left of what it said."""
        before = None if claim.before is None else self.span(claim.before)
        after = None if claim.after is None else self.span(claim.after)
        if before is None and after is None:
            return None
        if claim.kind == "confirmed":
            return Claim("confirmed", before, after)
        if before == after:
            return None  # the run said what the person says, now that the two labels are one
        if before is None:
            return Claim("missed", None, after)
        return Claim("spurious", before, None) if after is None else Claim(claim.kind, before, after)

    def meta(self, meta: str) -> str:
        """A document's further fields afterwards: labels of discontinuous spans and of relations' ends."""
        fields = load_json(meta)
        if not isinstance(fields, dict):
            return meta
        for name, mapped in (("discontinuous", self._discontinuous), ("relations", self._relation)):
            if isinstance(fields.get(name), list):
                fields[name] = [one for item in fields[name] if (one := mapped(item)) is not None]
        return json.dumps(fields, ensure_ascii=False)

    def _discontinuous(self, item: Any) -> Any:
        if not isinstance(item, dict) or item.get("label") != self.old:
            return item
        return None if self.new is None else item | {"label": self.new}

    def _relation(self, item: Any) -> Any:
        if not isinstance(item, dict):
            return item
        changed = dict(item)
        for end in ("from", "to"):
            value = item.get(end)
            if isinstance(value, list) and len(value) == 3 and value[2] == self.old:
                if self.new is None:
                    return None
                changed[end] = [*value[:2], self.new]
        return changed


def called(spans: Iterable[Span], names: Mapping[str, str | None]) -> tuple[Span, ...]:
    """Predicted spans with all labels as ``names`` has them (None: gone); of two alike the surer stays."""
    found: dict[Key, Span] = {}
    for span in spans:
        label = names.get(span.label, span.label)
        if label is None:
            continue
        mapped = Span(span.start, span.end, label, span.score)
        before = found.get(mapped.key)
        if before is None or (mapped.score or 0) > (before.score or 0):
            found[mapped.key] = mapped
    return sort_spans(found.values())


def touched(keys: Iterable[Key], events: Sequence[Change]) -> bool:
    """Whether one of the events added or took away one of these spans."""
    wanted = set(keys)
    return any(span.key in wanted for event in events for span in (*event.added, *event.removed))
